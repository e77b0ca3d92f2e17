-- Reads every file of a repository in one context, behind one subagent, and split over several.
--
-- What it shows: an agent re-sends all it has read at every turn.  One subagent takes that out of the parent's context
-- but pays for it itself, so the total rises by what the parent says; several subagents each re-read only their own
-- share, so the total falls.
-- Try next: --repo DIR on a real directory, --children 8, --limit 5, --unit bytes.
local sim = require "simagent"

local opt = sim.options {
  { "repo",     type = "dir", help = "a directory to scan (without it, the demo project)" },
  { "limit",    default = 0, min = 0, help = "scan only the first N files (0 = all)" },
  { "exclude",  type = "string", help = "what to leave out of --repo besides .git: a pattern, such as build/**" },
  { "children", default = 3, min = 1, help = "how many subagents share the work in the variant split" },
}

assert(opt.repo or not opt.exclude, "--exclude leaves something out of --repo DIR, which was not given")
local left  = { exclude = { "**/.git/**", opt.exclude } }
local repo  = opt.repo and sim.workspace.dir(opt.repo, left) or sim.workspace.demo()
local paths = repo:paths(opt.limit)
local task  = "Summarise this repository."

-- Contiguous shares in path order; sizes differ by one at most, larger ones first.
local function shares(list, count)
  count = math.max(1, math.min(count, #list))
  local result, from = {}, 1
  for i = 1, count do
    local size = #list // count + (i <= #list % count and 1 or 0)
    result[i] = table.move(list, from, from + size - 1, 1, {})
    from = from + size
  end
  return result
end

-- A factory is called afresh for every invocation, so no reader inherits another one's state.
local function reader(share, final_text)
  return function()
    return { tools = { "read_file" }, max_turns = #share + 1, model = sim.models.scan(share, final_text) }
  end
end

local split, readers = {}, {}
for i, share in ipairs(shares(paths, opt.children)) do
  local name = ("reader_%d"):format(i)
  readers[name] = reader(share, "Part summarised.")
  split[i] = { text = ("Delegating part %d."):format(i),
               tool_calls = { sim.call("task", { subagent = name, prompt = "Scan your part." }) } }
end
split[#split + 1] = { text = "Summary complete.", stop = true }

return sim.scenario {
  name        = "repo_scan",
  description = "Read every file in one context, or behind subagents.",
  task        = task,
  unit        = "chars",
  workspace   = repo,
  variants    = {
    { name = "monolithic", tools = { "read_file" }, max_turns = #paths + 1,
      model = sim.models.scan(paths, "Summary complete.") },
    { name = "delegated",
      model = {
        { text = "Delegating the scan.",
          tool_calls = { sim.call("task", { subagent = "repo_scanner", prompt = task }) } },
        { text = "Summary complete.", stop = true },
      },
      subagents = { repo_scanner = reader(paths, "Repo summarised.") } },
    { name = "split", max_turns = #split, model = split, subagents = readers },
  },
  -- These hold for the demo project; a real directory may be too small for any saving.
  expect = not opt.repo and opt.limit == 0 and opt.children == 3 and {
    ["delegated.parent_peak_savings_ratio"] = ">= 0.5",
    ["delegated.total_ratio"] = "> 1",
    ["split.total_ratio"] = "< 1",
  } or nil,
}
