-- A subagent that may spawn subagents: one review becomes 19 of them, until every one has used up its steps.
--
-- What it shows: the conventions investigator was given `investigate`, its parent's tool, by copy and paste, and those
-- that it spawns inherit the mistake.  In `copied` only the limit of ten steps ends it.  In `scoped` each level has the
-- tools of its depth, so that the same model finds no such tool; `--max_depth 1`, the default of any scenario, does the
-- same to all variants.  `pooled` makes the mistake with a budget, 250,000 tokens for the review and 60,000 a child.
-- The example is stated as 19 subagents on three levels for $71; steps, prices and sizes are not.  Here 3 + 4 + 12 of
-- them read 3,100 tokens of prompt and tools, a diff of 6,800, and 2,836 a search, in ten steps at most: $50.  Either
-- figure shows that no budget was in force, though the same example hands one out: a pool of 250,000 is about $4.
-- Try next: --max_depth 1, --max_depth 2, --steps 20, and --trace /dev/stdout for what a child without the tool reads.
local sim = require "simagent"

local opt = sim.options {
  { "max_depth", default = 3, min = 1, max = 5, help = "how deep agents may spawn (the engine's cap)" },
  { "steps", default = 10, min = 5, max = 50, help = "model calls after which an investigator is stopped" },
}

local function commas(number) return (tostring(number):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")) end
local function tokens(text) return (#text + 2) // 3 end
local function words(count) return ("lorem ipsum "):rep(count):sub(1, 3 * count) end

local opening, searched = 3100 + 6800, 2836
local spawns = { 4, 3 } -- how often an investigator of level 1 and of level 2 hands its question on
local question = "Does this follow the conventions?"

local search = sim.tool { name = "grep", run = function() return sim.sized(searched - tokens("grep({})")) end }

-- One step a turn: first the spawning that its level tries, then searching, never an answer.
local function restless(level)
  local turns = {}
  for i = 1, opt.steps do
    local spawning = i <= (spawns[level] or 1)
    turns[i] = { tool_calls = { spawning and sim.call("investigate", { prompt = question }) or sim.call("grep") } }
  end
  return turns
end

-- The mistake is here: `copied` hands the parent's tool on to whatever is spawned.
local function investigator(level, copied)
  return { tool = "investigate", agent = function(prompt)
    return { system = words(opening - tokens(prompt)), tools = { search }, model = restless(level),
             max_turns = opt.steps,
             subagents = copied and { investigator = investigator(level + 1, true) } or nil }
  end }
end

-- The other two investigators search three times and answer.
local function sensible(prompt)
  local turns = {}
  for i = 1, 3 do turns[i] = { tool_calls = { sim.call("grep") } } end
  turns[4] = { text = "Fine.", stop = true }
  return { system = words(opening - tokens(prompt)), tools = { search }, model = turns }
end

local function review(name, copied, pool, allocation)
  local conventions = investigator(1, copied)
  local function budgeted(agent) return { agent = agent, budget = allocation } end
  return {
    name = name, budget = pool, system = words(opening - tokens("Review it.")),
    subagents = { callers = budgeted(sensible), tests = budgeted(sensible), conventions = budgeted(conventions.agent) },
    model = {
      { tool_calls = {
        sim.call("task", { subagent = "callers", prompt = question }),
        sim.call("task", { subagent = "tests", prompt = question }),
        sim.call("task", { subagent = "conventions", prompt = question }),
      } },
      { text = "Looks good.", stop = true },
    },
  }
end

-- By arithmetic: what an investigator of this level reads alone, and with all that it spawns.
local asking = tokens(('investigate({"prompt":"%s"})'):format(question))
local function reads(level, depth)
  local spawning, total, agents, context = level < depth, 0, 1, opening
  local answer = spawning and ("ERROR: subagent investigator stopped: max_turns (%d) reached"):format(opt.steps)
                 or "ERROR: unknown tool investigate"
  for step = 1, opt.steps do
    total = total + context
    local tries = step <= (spawns[level] or 1)
    context = context + (tries and asking + tokens(answer) or searched)
    if tries and spawning then
      local below, more = reads(level + 1, depth)
      total, agents = total + below, agents + more
    end
  end
  return total, agents
end
local quiet = 4 * opening + 6 * searched
local function whole(depth)
  local total, agents = reads(1, depth)
  return 2 * quiet + total, agents + 2
end

local isolated, agents = whole(opt.max_depth)
local scoped = whole(1)
if opt.steps == 10 then
  for _, row in ipairs {
    { "", "stated", "computed" },
    { "subagents", "19", agents },
    { "levels", "3", opt.max_depth },
    { "tokens that they read", "-", commas(isolated) },
    { "at $15 a million", "$71", ("$%.0f"):format(isolated * 15 / 1e6) },
    { "with tools by depth", "-", ("$%.0f"):format(scoped * 15 / 1e6) },
  } do print(("%-24s %9s %12s"):format(table.unpack(row))) end
end

return sim.scenario {
  name        = "recursion_accident",
  description = "A spawn tool copied to a subagent, and what stops it.",
  task        = "Review it.",
  unit        = "tokens",
  count_schemas = false,
  max_depth   = opt.max_depth,
  price       = "claude-opus-4-1",
  price_date  = "2025-09-01",
  variants    = { review("copied", true), review("scoped", false), review("pooled", true, 250000, 60000) },
  expect      = {
    ["copied.isolated.cumulative"] = isolated,
    ["copied.isolated.turn_count"] = 2 * 4 + (agents - 2) * opt.steps,
    ["copied.subagents.3.stop_reason"] = "max_turns",
    ["scoped.isolated.cumulative"] = scoped,
    ["scoped.total_ratio"] = opt.max_depth == 1 and "== 1" or "< 0.4",
    ["pooled.subagents.3.stop_reason"] = "budget_exhausted",
    ["pooled.total.cost.picodollars"] = "< 5e12",
  },
}
