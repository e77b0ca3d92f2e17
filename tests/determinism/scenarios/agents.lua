-- Coroutines, functions and children of children, some of which a limit ends.
local sim = require "simagent"

local note = sim.tool { name = "note", run = function(arguments, context)
  return context.run .. "@" .. context.turn .. ":" .. tostring(arguments.n) .. ("."):rep(math.random(20))
end }

local function leaf(prompt)
  return { tools = { note }, model = sim.coroutine(function(agent)
    for i = 1, #agent.prompt % 4 + 1 do
      local content = agent:call("note", { n = i }, "leaf " .. i)
      if #content > 30 then return "early " .. content end
    end
    agent:turn { text = "both", tool_calls = { sim.call("note", { n = 8 }), sim.call("note", { n = 9 }) } }
    agent:finish(agent.prompt .. "/" .. #agent.transcript)
  end) }
end

local function middle(prompt)
  return { tools = { note }, subagents = { leaf = leaf, other = leaf }, max_turns = 4, model = function(request)
    if request.turn == 3 and math.random(2) == 1 then return "stopped by chance" end
    local calls = { sim.call("note", { n = math.random(100) }) }
    for i = 1, math.random(3) do
      calls[#calls + 1] = sim.call("task", { subagent = math.random(2) == 1 and "leaf" or "other", prompt = prompt .. i })
    end
    return { text = "middle " .. request.turn .. " " .. #request.transcript, tool_calls = calls }
  end }
end

local function root(count)
  return { subagents = { middle = middle }, model = sim.coroutine(function(agent)
    for i = 1, count do agent:call("task", { prompt = ("p"):rep(i) }, "round " .. i) end
    return "spread"
  end) }
end

local a, b = root(2), root(4)
a.name, b.name = "two", "four"
return sim.scenario { task = "Spread out.", max_depth = 2, count_schemas = true, variants = { a, b },
                      expect = { ["two.stop_reason"] = "!= error" } }
