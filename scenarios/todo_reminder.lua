-- A reminder that comes with a tool's result when the list of todos was not touched for three rounds.
--
-- What it shows: the reminder is a few words, but like everything else it stays in the context and is read again at
-- every later turn.  `reminded` pays for it, and for updating its list; `silent` drifts on and pays for neither.
-- Try next: --every 1, a reminder with every result.
local sim = require "simagent"

local opt = sim.options {
  { "every", default = 3, min = 1, help = "rounds without todo_write after which the reminder comes" },
}

local REMINDER = "\n<reminder>Update your todos.</reminder>"

-- A search whose result carries the reminder when it is due.  Rounds are counted for each run by itself.
local function search(remind, rounds)
  return sim.tool {
    name = "search", description = "Search the code.",
    run = function(arguments, context)
      rounds[context.run] = (rounds[context.run] or 0) + 1
      local hit = ("src/module_%02d.c: found %s"):format(rounds[context.run], arguments.query)
      return remind and rounds[context.run] % opt.every == 0 and hit .. REMINDER or hit
    end,
  }
end

-- Searches nine times; when it was reminded, it updates the list first.
local function agent(request)
  local last = request.results[1]
  local reminded = last and last.content:find("<reminder>", 1, true)
  local done = 0
  for i = 1, #request.transcript do
    local entry = request.transcript[i]
    if entry.role == "tool_result" and entry.name == "search" then done = done + 1 end
  end
  if reminded then
    return { tool_calls = { sim.call("todo_write", { items = {
      { content = ("searched %d of 9"):format(done), status = done < 9 and "in_progress" or "completed" } } }) } }
  elseif done < 9 then
    return { text = ("Search %d."):format(done + 1), tool_calls = { sim.call("search", { query = "parse" }) } }
  end
  return "Nine modules parse."
end

return sim.scenario {
  name        = "todo_reminder",
  description = "A nudge that is read again at every turn.",
  task        = "Find every module that parses.",
  variants    = {
    { name = "silent", tools = { search(false, {}), "todo_write" }, model = agent },
    { name = "reminded", tools = { search(true, {}), "todo_write" }, model = agent },
  },
  expect = opt.every == 3 and {
    ["silent.measurement.turn_count"] = 10,
    ["reminded.measurement.turn_count"] = 13,
    ["reminded.total_ratio"] = "> 1",
  } or nil,
}
