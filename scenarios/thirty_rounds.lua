-- The round limit with nothing said: what does the parent read?
--
-- What it shows: a child that is cut off after thirty rounds has written no answer, and its last message is a tool's
-- result.  The engine says so: the parent reads that the limit was reached, and the report says `max_turns`.  With a
-- contract the parent reads how far the child got, in fields that it can branch on.  An agent that takes silence for
-- "nothing found" draws the wrong conclusion from the same thirty rounds: `credulous` does.
-- Try next: --rounds 41, enough to finish.
local sim = require "simagent"

local opt = sim.options {
  { "rounds", default = 30, min = 1, max = 100, help = "the child's limit of rounds" },
}

local files, paths = {}, {}
for i = 1, 40 do
  paths[i] = ("logs/day_%02d.log"):format(i)
  files[paths[i]] = ("day %d: all quiet\n"):format(i) .. (i == 37 and "day 37: disk failure\n" or "")
end

local function reader(returns)
  return function()
    local turns = {}
    for i, path in ipairs(paths) do turns[i] = { tool_calls = { sim.call("read_file", { path = path }) } } end
    turns[#turns + 1] = { text = "A disk failed on day 37.", stop = true,
                          result = returns and { finding = "disk failure on day 37" } or nil }
    return { tools = { "read_file" }, max_turns = opt.rounds, model = turns, returns = returns }
  end
end

local contract = {
  schema = { type = "object", required = { "finding" },
             properties = { finding = { type = "string", maxLength = 80 } } },
  coverage = { requested = #paths, tool = "read_file" },
}

local function parent(conclude)
  return function(request)
    if request.turn > 1 then return conclude(request.results[1]) end
    return { tool_calls = { sim.call("task", { prompt = "Read all logs. Did anything fail?" }) } }
  end
end

return sim.scenario {
  name        = "thirty_rounds",
  description = "A limit is not an answer.",
  task        = "Did anything fail?",
  workspace   = files,
  variants    = {
    { name = "credulous", subagents = { reader = reader() },
      model = parent(function(answer)
        return answer.content:find("failed on") and answer.content or "Nothing failed."
      end) },
    { name = "careful", subagents = { reader = reader() },
      model = parent(function(answer)
        return answer.is_error and "Not known: " .. answer.content or answer.content
      end) },
    { name = "contract", subagents = { reader = reader(contract) },
      model = parent(function(answer)
        local read = answer.content:match('"read":(%d+)')
        local complete = answer.content:find('"status":"complete"', 1, true)
        return complete and "Known in full: " .. answer.content:match('"finding":"(.-)"')
          or ("Not known: %s of %d logs read."):format(read, #paths)
      end) },
  },
  expect = opt.rounds == 30 and {
    ["credulous.final_text"] = "Nothing failed.",
    ["careful.final_text"] = "Not known: ERROR: subagent reader stopped: max_turns (30) reached",
    ["contract.final_text"] = "Not known: 30 of 40 logs read.",
    ["contract.subagents.1.status"] = "partial",
  } or nil,
}
