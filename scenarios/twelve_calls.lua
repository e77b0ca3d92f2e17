-- Twelve tool calls of 2,000 tokens: what a single agent re-reads, and what four subagents save of it.
--
-- What it shows: the agent re-sends every result at every later call, so its input grows with the square of the calls;
-- four subagents with three calls each stay on the low part of that curve.  The example is stated as 180,000 tokens
-- against 74,000, "2.4x".  It does not follow: call 12 reads 25,000 (27,000 is call 13, the answer), the sum is 168,000
-- for twelve calls and 195,000 with the answer.  Without answers the saving is 2.30x, and with the answer that every
-- agent has to give 1.73x.  The variants `*_calls` leave the answers out, as the example does: a searcher's third call
-- is then its last word, so it has read two results only.  Savings are also not O(n): the parent re-reads every answer.
-- Try next: --calls 24, --children 12 (each pays its own base), and --cache 5m --json: re-reading then costs a
-- tenth, the five agents of `isolated` write five prefixes, and the single agent is the cheaper one ($0.153 v. $0.184).
local sim = require "simagent"

local opt = sim.options {
  { "calls",    default = 12, min = 1, max = 1000, help = "tool calls of the whole task" },
  { "children", default = 4, min = 1, max = 100, help = "how many subagents share them (a divisor of the calls)" },
  { "base",     default = 3000, min = 100, help = "tokens of system prompt, tools and task, of every agent" },
  { "added",    default = 2000, min = 20, help = "tokens that a call and its result add" },
  { "answer",   default = 200, min = 40, help = "tokens that a subagent's call and answer add to the parent" },
  { "cache",    type = "enum", values = { "none", "5m", "1h" }, default = "none", help = "how long a prefix is warm" },
}
if opt.calls % opt.children ~= 0 then error("--calls must be a multiple of --children", 0) end
local each = opt.calls // opt.children

local function commas(number) return (tostring(number):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")) end

-- Tokens as they are estimated: three bytes each, rounded up; and a text of exactly so many.
local function tokens(text) return (#text + 2) // 3 end
local function words(count) return ("lorem ipsum "):rep(count):sub(1, 3 * count) end

-- What `count` model calls read when the first reads `base` and each adds `added`.
local function read_by(count, base, added) return count * base + added * (count * (count - 1) // 2) end

local task = "Find out why the retries never back off."
local search = sim.tool { name = "search", description = "Search the code.",
                          run = function(arguments)
                            return sim.sized(opt.added - tokens(('search({"n":%d})'):format(arguments.n)))
                          end }

-- `count` calls, then the answer.
local function searching(count, answer)
  local turns = {}
  for i = 1, count do turns[i] = { tool_calls = { sim.call("search", { n = i }) } } end
  turns[count + 1] = { text = answer, stop = true }
  return turns
end

local prompt = "Look into your part."
local asking = tokens(('task({"prompt":"%s"})'):format(prompt))

-- The parent asks for one part after the other; a searcher makes `count` calls before it answers.
local function isolated(name, count, parent_turns)
  local turns = {}
  for i = 1, opt.children do turns[i] = { tool_calls = { sim.call("task", { prompt = prompt }) } } end
  turns[opt.children + 1] = { text = "The timer is never reset.", stop = true }
  return {
    name = name, model = turns, max_turns = parent_turns, system = words(opt.base - tokens(task)),
    subagents = {
      searcher = function()
        return { tools = { search }, max_turns = count + 1, system = words(opt.base - tokens(prompt)),
                 model = searching(count, words(opt.answer - asking)) }
      end,
    },
  }
end

local function single(name, max_turns)
  return { name = name, tools = { search }, max_turns = max_turns, system = words(opt.base - tokens(task)),
           model = searching(opt.calls, "The timer is never reset.") }
end

local alone       = read_by(opt.calls + 1, opt.base, opt.added)
local alone_calls = read_by(opt.calls, opt.base, opt.added)
local child       = read_by(each + 1, opt.base, opt.added)
local child_calls = read_by(each, opt.base, opt.added)
local parent       = read_by(opt.children + 1, opt.base, opt.answer)
local parent_calls = read_by(opt.children, opt.base, opt.answer)
local split        = opt.children * child + parent
local split_calls  = opt.children * child_calls + parent_calls

if opt.calls == 12 and opt.children == 4 and opt.base == 3000 and opt.added == 2000 and opt.answer == 200 then
  print(("%-36s %9s %9s %12s"):format("input tokens", "stated", "computed", "with answers"))
  for _, row in ipairs {
    { "last call of the single agent", "27,000", opt.base + (opt.calls - 1) * opt.added,
      opt.base + opt.calls * opt.added },
    { "single agent in all", "~180,000", alone_calls, alone },
    { "one subagent", "~15,000", child_calls, child },
    { "four subagents", "60,000", opt.children * child_calls, opt.children * child },
    { "parent", "14,000", parent_calls, parent },
    { "isolated in all", "~74,000", split_calls, split },
    { "saving", "2.4x", ("%.2fx"):format(alone_calls / split_calls), ("%.2fx"):format(alone / split) },
    { "parent's context at the end", "3,500", opt.base + (opt.children - 1) * opt.answer,
      opt.base + opt.children * opt.answer },
  } do print(("%-36s %9s %9s %12s"):format(row[1], row[2], commas(row[3]), commas(row[4]))) end
end

return sim.scenario {
  name        = "twelve_calls",
  description = "The square of twelve tool calls, alone and behind four subagents.",
  task        = task,
  unit        = "tokens",
  count_schemas = false, -- the base is given as one number, so the tools must not come on top of it
  price       = "claude-sonnet-4-5",
  price_date  = "2026-01-31",
  cache       = { ttl = opt.cache },
  variants    = {
    single("monolithic", opt.calls + 1),
    isolated("isolated", each, opt.children + 1),
    single("monolithic_calls", opt.calls),
    isolated("isolated_calls", each - 1, opt.children),
  },
  expect = {
    ["monolithic.measurement.cumulative"] = alone,
    ["monolithic.measurement.peak"] = opt.base + opt.calls * opt.added,
    ["monolithic_calls.stop_reason"] = "max_turns",
    ["monolithic_calls.measurement.cumulative"] = alone_calls,
    ["monolithic_calls.measurement.peak"] = opt.base + (opt.calls - 1) * opt.added,
    ["isolated.subagents.1.measurement.cumulative"] = child,
    ["isolated.measurement.cumulative"] = parent,
    ["isolated.total_cumulative"] = split,
    ["isolated_calls.stop_reason"] = "max_turns",
    ["isolated_calls.isolated.cumulative"] = opt.children * child_calls,
    ["isolated_calls.measurement.cumulative"] = parent_calls,
    ["isolated_calls.total_cumulative"] = split_calls,
    ["isolated_calls.measurement.final_context"] = opt.base + opt.children * opt.answer,
  },
}
