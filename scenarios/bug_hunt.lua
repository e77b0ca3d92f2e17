-- Thirty files, sixty rounds, a hundred and twenty messages: the hunt for one bug, inline and behind a subagent.
--
-- What it shows: for each file one round reads it and one searches it.  Inline all of that is still in the window when
-- the answer is written, and sixty rounds re-read it; delegated, the parent carries one line.  The total hardly
-- changes: one child re-reads its own debris just the same.  `split` gives each child ten files, and the total falls
-- to a third.
-- Try next: --files 60, and watch the total grow with the square.
local sim = require "simagent"

local opt = sim.options {
  { "files", default = 30, min = 3, max = 300, help = "how many files to search" },
}

local files, paths = {}, {}
for i = 1, opt.files do
  paths[i] = ("src/part_%02d.c"):format(i)
  local line = ("static int step_%02d(int x) { return x + %d; }\n"):format(i, i)
  local bug = "int last(int n) { return n <= 0 ? 0 : last(n); } /* never ends */\n"
  files[paths[i]] = line:rep(25) .. (i == opt.files and bug or "")
end

-- Two rounds for each file, then the verdict.
local function hunt(list, verdict)
  local turns = {}
  for _, path in ipairs(list) do
    turns[#turns + 1] = { tool_calls = { sim.call("read_file", { path = path }) } }
    turns[#turns + 1] = { tool_calls = { sim.call("grep", { pattern = "never ends", path = path }) } }
  end
  turns[#turns + 1] = { text = verdict, stop = true }
  return turns
end

local function hunter(list, verdict)
  return function()
    return { tools = { "read_file", "grep" }, max_turns = 2 * #list + 1, model = hunt(list, verdict) }
  end
end

local third = math.ceil(opt.files / 3)
local split, hunters = {}, {}
for i = 1, 3 do
  local share = table.move(paths, (i - 1) * third + 1, math.min(i * third, opt.files), 1, {})
  hunters["hunter_" .. i] = hunter(share, i == 3 and "last() never ends." or "Nothing found.")
  split[i] = { tool_calls = { sim.call("task", { subagent = "hunter_" .. i, prompt = "Search your files." }) } }
end
split[4] = { text = "last() never ends.", stop = true }

return sim.scenario {
  name        = "bug_hunt",
  description = "60 rounds of debris, in the parent's window or elsewhere.",
  task        = "Why does the program hang?",
  workspace   = files,
  variants    = {
    { name = "inline", tools = { "read_file", "grep" }, max_turns = 2 * opt.files + 1,
      model = hunt(paths, "last() never ends.") },
    { name = "delegated", subagents = { hunter = hunter(paths, "last() never ends.") },
      model = { { tool_calls = { sim.call("task", { prompt = "Find what hangs." }) } },
                { text = "last() never ends.", stop = true } } },
    { name = "split", model = split, subagents = hunters },
  },
  expect = opt.files == 30 and {
    ["inline.measurement.turn_count"] = 61,
    ["delegated.parent_peak_savings_ratio"] = "> 0.99",
    ["split.total_ratio"] = "< 0.4",
  } or nil,
}
