-- What an agent reads when its tools go wrong, and what that costs.
--
-- What it shows: an unknown tool, a missing file and a tool that fails are all results like any other.  The run goes
-- on, and the error texts stay in the context until the end: `clumsy` pays for its four mistakes at every later turn.
-- In `contained` a subagent makes the same mistakes and only its answer crosses; `runaway` shows what the parent reads
-- of a child that hits its turn limit.
-- Try next: simagent scenarios/tool_errors.lua --trace /dev/stdout --quiet -o /dev/null
local sim = require "simagent"

local deploy = sim.tool {
  name        = "deploy",
  description = "Deploy the service.",
  run = function(arguments, context)
    if arguments.target ~= "staging" then
      return sim.failure(("ERROR: %s may not deploy to %s"):format(context.agent, tostring(arguments.target)))
    end
    return "deployed"
  end,
}

-- The same mistakes, then the work, for whoever is asked.
local mistakes = {
  { text = "Looking around.", tool_calls = { sim.call("list_files") } },
  { tool_calls = { sim.call("read_file", { path = "REAMDE.md" }), sim.call("read_file") } },
  { tool_calls = { sim.call("deploy", { target = "production" }) } },
  { tool_calls = { sim.call("read_file", { path = "README.md" }) } },
  { tool_calls = { sim.call("deploy", { target = "staging" }) } },
  { text = "Deployed to staging.", stop = true },
}

local function ask(subagent, prompt)
  return {
    { tool_calls = { sim.call("task", { subagent = subagent, prompt = prompt }) } },
    { text = "Done: see above.", stop = true },
  }
end

return sim.scenario {
  name        = "tool_errors",
  description = "Failures are results: they are read, paid for, and stay.",
  task        = "Deploy the service.",
  workspace   = { ["README.md"] = "Deploy to staging only.\n" },
  variants    = {
    { name = "clumsy", tools = { "read_file", deploy }, model = mistakes },
    { name = "contained", model = ask("deployer", "Deploy it."),
      subagents = { deployer = function() return { tools = { "read_file", deploy }, model = mistakes } end } },
    { name = "runaway", model = ask("deployer", "Deploy it."),
      subagents = { deployer = function()
        return { tools = { "read_file", deploy }, model = mistakes, max_turns = 3 }
      end } },
    { name = "wrong_name", model = ask("deploy_bot", "Deploy it."),
      subagents = { deployer = function() return { tools = { "read_file", deploy }, model = mistakes } end } },
  },
  expect = {
    ["clumsy.final_text"] = "Deployed to staging.",
    ["contained.parent_peak_savings_ratio"] = "> 0.5",
    ["runaway.subagents.1.stop_reason"] = "max_turns",
    ["runaway.subagents.1.status"] = "partial",
    ["wrong_name.isolated.turn_count"] = 0,
  },
}
