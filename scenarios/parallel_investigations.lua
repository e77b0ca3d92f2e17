-- Four investigations of about twelve seconds: one after the other, side by side, and one that waits for the other.
--
-- What it shows: subagents of one turn run side by side, so that the parent waits for the slowest only; what they read
-- and cost is the same to the token.  With `parallel = 1` they queue; in `dependent` each question needs the answer
-- before it, so that no slots help: the context benefit without the latency benefit.
-- The example states about 48 s and 14 s and calls that a quarter: it is 29 %, 3.4 times as fast.  The 48 s are stated
-- of a single agent, which has no parent to wait for but answers once more.  That the cost is unchanged holds against
-- subagents in a row (`queued`), not against the single agent, which re-reads every result and pays 4.4x.
-- "Four investigations, 4m 20s to 1m 10s at the same cost" is a review with three of them, whose cost fell by 75 %.
-- Try next: --slots 2, --slots 3 (hardly better: the fourth one queues), --slowest 30000.
local sim = require "simagent"

local opt = sim.options {
  { "slots", default = 4, min = 1, max = 100, help = "how many calls of a turn run side by side" },
  { "slowest", default = 1500, min = 0, max = 600000, help = "milliseconds of a search in the slowest investigation" },
}

-- An investigation: two searches and a conclusion, three model calls of 3 s.
local base_ms, searches = 3000, 2
local work = {
  { name = "callers", ms = opt.slowest },
  { name = "logs", ms = 1250 },
  { name = "tests", ms = 1250 },
  { name = "settings", ms = 1000 },
}
local function lasts(part) return (searches + 1) * base_ms + searches * part.ms end

local parent_ms = 1000 -- of each of the parent's model calls: one that asks, one that reads
local total, slowest = 0, 0
for _, part in ipairs(work) do
  total, slowest = total + lasts(part), math.max(slowest, lasts(part))
  part.search = sim.tool { name = "search_" .. part.name, latency_ms = part.ms,
                           run = function() return sim.sized(2000) end }
  part.ask = sim.call("task", { subagent = part.name, prompt = "What do the " .. part.name .. " say?" })
end

local function investigation(part)
  local turns = {}
  for i = 1, searches do turns[i] = { tool_calls = { sim.call("search_" .. part.name) } } end
  turns[searches + 1] = { text = "The " .. part.name .. " say nothing of a timer.", stop = true }
  return turns
end

local subagents = {}
for _, part in ipairs(work) do
  subagents[part.name] = function()
    return { tools = { part.search }, model = investigation(part), latency = { base_ms = base_ms },
             system = "You investigate one question." }
  end
end

-- Starts `parts` subagents at a time, over `#work / parts` turns.
local function variant(name, slots, parts)
  local turns = {}
  for i = 1, #work, parts do
    local turn = { tool_calls = {} }
    for j = i, math.min(i + parts - 1, #work) do table.insert(turn.tool_calls, work[j].ask) end
    turns[#turns + 1] = turn
  end
  turns[#turns + 1] = { text = "Nothing resets the timer.", stop = true }
  return { name = name, model = turns, subagents = subagents, latency = { base_ms = parent_ms, parallel = slots } }
end

-- The same 13 model calls without a parent: every conclusion is a turn, and the answer.
local alone, tools = {}, {}
for i, part in ipairs(work) do
  tools[i] = part.search
  for _, turn in ipairs(investigation(part)) do
    alone[#alone + 1] = { text = turn.text, tool_calls = turn.tool_calls }
  end
end
alone[#alone + 1] = { text = "Nothing resets the timer.", stop = true }

local alone_ms     = total + base_ms
local queued_ms    = total + 2 * parent_ms
local dependent_ms = total + (#work + 1) * parent_ms
local parallel_ms  = slowest + 2 * parent_ms
local as_stated    = opt.slots == 4 and opt.slowest == 1500

if as_stated then
  local function seconds(ms) return ("%.1f s"):format(ms / 1000) end
  for _, row in ipairs {
    { "", "stated", "computed" },
    { "single agent", "~48 s", seconds(alone_ms) },
    { "subagents one after the other", "-", seconds(queued_ms) },
    { "subagents side by side", "~14 s", seconds(parallel_ms) },
    { "  of one after the other", "a quarter", ("%.0f %%"):format(100 * parallel_ms / queued_ms) },
    { "each question from the last answer", "-", seconds(dependent_ms) },
  } do print(("%-36s %9s %9s"):format(table.unpack(row))) end
end

return sim.scenario {
  name        = "parallel_investigations",
  description = "Four independent questions, and what it saves to ask them at once.",
  task        = "Why do the retries never back off?",
  unit        = "tokens",
  price       = "claude-sonnet-4-5",
  price_date  = "2026-01-31",
  baseline    = "queued",
  variants    = {
    { name = "single", model = alone, tools = tools, latency = { base_ms = base_ms } },
    variant("queued", 1, #work),
    variant("parallel", opt.slots, #work),
    variant("dependent", opt.slots, 1),
  },
  expect      = {
    ["single.time.elapsed_us"] = alone_ms * 1000,
    ["queued.time.elapsed_us"] = queued_ms * 1000,
    ["queued.time.critical_path_us"] = parallel_ms * 1000,
    ["parallel.time.elapsed_us"] = opt.slots >= #work and parallel_ms * 1000 or ("> %d"):format(parallel_ms * 1000),
    ["parallel.time.work_us"] = queued_ms * 1000,
    ["parallel.total_ratio"] = "== 1",
    ["dependent.time.elapsed_us"] = dependent_ms * 1000,
    ["dependent.time.critical_path_us"] = dependent_ms * 1000,
    ["single.total_ratio"] = "> 1",
  },
}
