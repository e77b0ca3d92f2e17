-- A hook that blocks a call: the reason becomes the result, the tool does not run, and a child cannot get round it.
--
-- What it shows: PreToolUse may block or replace arguments, PostToolUse hears of every call that ran, and both see the
-- calls of subagents too.  Each block costs a turn: the agent reads the reason and tries another way.
-- Try next: --log shows the blocked calls as they happen; let the hook return { replace = … } instead.
local sim = require "simagent"

local heard = 0

local function guard(event)
  if event.tool == "write_file" and event.arguments.path:match("^config/") then
    return { block = "config/ is read-only: propose the change instead" }
  end
  if event.tool == "read_file" and event.arguments.path == "config/secrets.env" then
    return { replace = { path = "config/secrets.example.env" } }
  end
end

local work = {
  { tool_calls = { sim.call("read_file", { path = "config/secrets.env" }) } },
  { text = "The port is wrong.",
    tool_calls = { sim.call("write_file", { path = "config/app.toml", content = "port = 8080\n" }) } },
  { tool_calls = { sim.call("write_file", { path = "proposal.md", content = "Set port = 8080 in config.\n" }) } },
  { text = "I may not write config/; the proposal is in proposal.md.", stop = true },
}

return sim.scenario {
  name        = "blocked_tool",
  description = "Permission is checked before every call, in the child too.",
  task        = "Fix the port.",
  workspace   = {
    ["config/app.toml"]            = "port = 80\n",
    ["config/secrets.env"]         = "TOKEN=do-not-read-this\n",
    ["config/secrets.example.env"] = "TOKEN=...\n",
  },
  hooks       = { PreToolUse = guard, PostToolUse = function() heard = heard + 1 end },
  variants    = {
    { name = "inline", tools = { "read_file", "write_file" }, model = work },
    { name = "delegated",
      model = { { tool_calls = { sim.call("task", { prompt = "Fix the port." }) } },
                { text = "Proposed.", stop = true } },
      subagents = { fixer = function() return { tools = { "read_file", "write_file" }, model = work } end } },
  },
  expect = {
    ["inline.hooks.blocked"] = 1,
    ["inline.hooks.fired"] = 5, -- three before calls, two after those that ran
    ["inline.changes.1.path"] = "proposal.md",
    ["delegated.hooks.blocked"] = 0,
    ["delegated.subagents.1.hooks.blocked"] = 1,
    ["delegated.subagents.1.changes.1.path"] = "proposal.md",
  },
}
