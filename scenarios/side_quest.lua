-- A side quest of eleven turns in the main thread, or behind a subagent: how far the request is from the decision.
--
-- What it shows: the quest (who is right about the delivery date?) stays in the thread that it was done in, and every
-- later turn re-reads it.  The buyer's request then stands 12,000 tokens behind newer material; with a subagent it is
-- a verdict away.  The price is 700 tokens of prompt and tools at every turn of the subagent, two more model calls (the
-- one that asks and the one that writes the verdict) and 4.4 s.  These figures follow.  What does not is the line of
-- four calls or 3,000 tokens from which isolation "earns its keep on the arithmetic alone": it pays by the turns that
-- are still to come, and at that line without any of them the subagent costs more in all.
-- Try next: --quest 4 --material 3000 --later 0 (that line), the same with --later 2, --later 0 alone (about even).
local sim = require "simagent"

local opt = sim.options {
  { "quest", default = 11, min = 1, max = 1000, help = "turns of the side quest" },
  { "material", default = 12000, min = 100, help = "tokens that the quest brings in" },
  { "later", default = 5, min = 0, max = 1000, help = "turns that the thread goes on after it" },
}

local function commas(number) return (tostring(number):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")) end
local function tokens(text) return (#text + 2) // 3 end
local function words(count) return ("lorem ipsum "):rep(count):sub(1, 3 * count) end

local specialist, helper = 980, 700 -- prompt and tools of the thread's agent and of the subagent, at every turn
local request = "Please refund to the card that expires in May, not as store credit."
local question = "Who is right about the delivery date?"
local verdict = "The carrier: delivered on 3 May, signed by a neighbour; seller and buyer both misread the slip."

local function share(i) return opt.material // opt.quest + (i <= opt.material % opt.quest and 1 or 0) end
local look_up = sim.tool { name = "look_up", run = function(arguments)
  return sim.sized(share(arguments.n) - tokens(('look_up({"n":%d})'):format(arguments.n)))
end }
local policy = sim.tool { name = "read_policy", run = function() return sim.sized(200 - tokens("read_policy({})")) end }

local function quest(turns)
  for i = 1, opt.quest do turns[#turns + 1] = { tool_calls = { sim.call("look_up", { n = i }) } } end
  return turns
end

-- The thread goes on with the policy, and decides.
local function decision(turns)
  for _ = 1, opt.later do turns[#turns + 1] = { tool_calls = { sim.call("read_policy") } } end
  turns[#turns + 1] = { text = "Refunded to the card.", stop = true }
  return turns
end

local function thread(name, turns, tools, subagents)
  return { name = name, model = decision(turns), max_turns = #turns + 1, system = words(specialist), tools = tools,
           subagents = subagents }
end

-- By arithmetic: contexts of a row of turns that add these amounts, from `base` on.
local function reads(base, added)
  local total, context = 0, base
  for _, size in ipairs(added) do total, context = total + context, context + size end
  return total + context, context -- the last turn adds nothing that is read again
end
local base = specialist + tokens(request)
local asking = tokens(('task({"prompt":"%s"})'):format(question))
local in_thread, by_helper, behind = {}, {}, { asking + tokens(verdict) }
for i = 1, opt.quest do in_thread[i], by_helper[i] = share(i), share(i) end
for _ = 1, opt.later do
  in_thread[#in_thread + 1] = 200
  behind[#behind + 1] = 200
end
local inline, inline_end = reads(base, in_thread)
local parent, parent_end = reads(base, behind)
local child = reads(helper + tokens(question), by_helper)

for _, row in ipairs {
  { "", "stated", "inline", "isolated" },
  { "tokens between request and decision", "12,000", commas(inline_end - base), commas(parent_end - base) },
  { "  of them the quest", "", commas(opt.material), commas(behind[1]) },
  { "model calls", "+2", opt.quest + opt.later + 1, opt.quest + 1 + opt.later + 2 },
  { "latency", "+4.4 s", ("%.1f s"):format(2.2 * (opt.quest + opt.later + 1)),
    ("%.1f s"):format(2.2 * (opt.quest + opt.later + 3)) },
  { "tokens read in all", "-", commas(inline), commas(parent + child) },
  { "  of them the subagent's overhead", "700 a turn", "", commas(helper * (opt.quest + 1)) },
} do print(("%-36s %10s %9s %9s"):format(table.unpack(row))) end

return sim.scenario {
  name        = "side_quest",
  description = "Eleven turns that the decision does not need to see.",
  task        = request,
  unit        = "tokens",
  count_schemas = false, -- the stated overheads hold the tools
  verdict     = "checklist",
  price       = "claude-sonnet-4-5",
  price_date  = "2026-01-31",
  latency     = { base_ms = 2200 }, -- half of the 4.4 s that two calls are stated to take
  variants    = {
    thread("inline", quest {}, { look_up, policy }),
    thread("isolated", { { tool_calls = { sim.call("task", { prompt = question }) } } }, { policy }, {
      detective = function()
        local turns = quest {}
        turns[#turns + 1] = { text = verdict, stop = true }
        return { system = words(helper), tools = { look_up }, max_turns = #turns, model = turns }
      end,
    }),
  },
  expect      = {
    ["inline.measurement.cumulative"] = inline,
    ["inline.measurement.peak"] = inline_end,
    ["isolated.measurement.cumulative"] = parent,
    ["isolated.measurement.peak"] = parent_end,
    ["isolated.isolated.cumulative"] = child,
    ["inline.time.elapsed_us"] = 2200000 * (opt.quest + opt.later + 1),
    ["isolated.time.elapsed_us"] = 2200000 * (opt.quest + opt.later + 3),
    ["isolated.total_ratio"] = parent + child < inline and "< 1" or ">= 1",
    ["inline.recommendation.delegate"] = opt.quest + opt.later >= 4 or opt.material >= 3000,
  },
}
