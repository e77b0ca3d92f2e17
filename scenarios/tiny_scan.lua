-- One small file: the case where delegation is refused.
--
-- What it shows: every context is read once or twice, so there is hardly anything to save.  All three gates stay shut
-- for the single agent, and handing the work to a subagent makes the total larger: its answer and its prompt cost more
-- than the one re-read they avoid.
-- Try next: --files 12, and watch the gates open one by one.
local sim = require "simagent"

local opt = sim.options {
  { "files", default = 1, min = 1, max = 1000, help = "how many small files to read" },
}

local bodies, paths = {}, {}
for i = 1, opt.files do
  paths[i] = ("notes/%03d.txt"):format(i)
  bodies[paths[i]] = ("Note %d: water the plants, then ring the dentist.\n"):format(i):rep(4)
end

return sim.scenario {
  name        = "tiny_scan",
  description = "A task so small that a subagent only adds to it.",
  task        = "What do my notes say?",
  workspace   = bodies,
  variants    = {
    { name = "monolithic", tools = { "read_file" }, max_turns = opt.files + 1,
      model = sim.models.scan(paths, "Water the plants, ring the dentist.") },
    { name = "delegated",
      model = {
        { tool_calls = { sim.call("task", { prompt = "Read the notes and say what they ask for." }) } },
        { text = "Water the plants, ring the dentist.", stop = true },
      },
      subagents = {
        reader = function()
          return { tools = { "read_file" }, max_turns = opt.files + 1,
                   model = sim.models.scan(paths, "The notes ask to water the plants and ring the dentist.") }
        end,
      } },
  },
  expect = opt.files == 1 and {
    ["monolithic.recommendation.delegate"] = false,
    ["monolithic.recommendation.failed_rules.3.rule"] = "min_boundary_savings_ratio",
    ["delegated.total_ratio"] = "> 1",
  } or nil,
}
