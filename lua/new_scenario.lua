-- What does it cost to read some files: in one context, or behind a subagent?  Run me: simagent THIS_FILE.lua
local sim = require "simagent"

local opt = sim.options { -- flags of this file: --files 20
  { "files", default = 8, min = 1, help = "how many files there are to read" },
}

local paths, files = {}, {} -- the agents' files, made up here; sim.workspace.dir(path) takes real ones
for i = 1, opt.files do
  paths[i] = ("notes/%02d.md"):format(i)
  files[paths[i]] = ("A line of the notes.\n"):rep(40)
end

return sim.scenario {
  description = "Reads files in one context, or behind a subagent.",
  task = "Summarise the notes.",
  workspace = files,
  variants = { -- ways to do the same task; the first is the baseline
    { name = "alone", tools = { "read_file" }, max_turns = #paths + 1,
      model = sim.models.scan(paths, "Here is the summary.") }, -- reads each path, then says this
    { name = "delegated",
      model = { -- a model as a list of turns
        { tool_calls = { sim.call("task", { subagent = "reader", prompt = "Read the notes." }) } },
        { text = "Here is the summary.", stop = true },
      },
      subagents = { -- called afresh for every invocation
        reader = function()
          return { tools = { "read_file" }, max_turns = #paths + 1, model = sim.models.scan(paths, "Done.") }
        end,
      } },
  },
  cases = { { name = "many", options = { files = 40 } } }, -- what `simagent test` runs as well
  expect = { ["delegated.parent_peak_savings_ratio"] = ">= 0.5" }, -- not met: exit code 1
}
