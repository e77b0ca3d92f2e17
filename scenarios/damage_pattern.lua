-- The confident summary: a subagent that read 12 of 40 records sounds like one that read them all.
--
-- What it shows: in `prose` the parent reads one tidy sentence and declines the claim.  With a contract the engine
-- writes status and coverage, from what was fetched: the parent reads "partial" and 12 of 40.  `second_pass` tries to
-- decline all the same, is refused because the tool has `requires_complete`, and asks again with a larger budget;
-- `escalated` hands the coverage to a human; `inline` reads all 40 itself, against a budget of 8,000 for returns.
-- What is stated and does not follow: the same 12 records show "6 of 12, all at LDS-2" and "no consistent pattern"
-- (here: the first, and prose that hides it); the evidence names 3 ids for 6; "the model contributes the
-- finding, and only the finding", but confidence and evidence are its own too; 12 records in four turns are three a
-- turn, or four a turn and a turn to answer, as here.  Its stop reason, turn_budget_exhausted, comes with a finding; a
-- run that a limit ends has no last word here, so that the child knows its turns and stops by itself, partial.
-- Try next: --second 8 (still partial: 28 of 40), --first 11 (complete at once), --trace /dev/stdout --quiet -o t.json.
local sim = require "simagent"

local opt = sim.options {
  { "first", default = 4, min = 2, max = 100, help = "turns of the first pass" },
  { "second", default = 11, min = 2, max = 100, help = "turns of the second pass" },
}

local requested, batch = 40, 4

-- Records of 301 or 302 tokens: 12 of them 3,620, all 40 of them 12,067.  Every second one is damaged.
local ids, records, read_size = {}, {}, { [0] = 0 }
local named = { [2] = "SU-88421", [4] = "SU-90317", [6] = "SU-91044" }
for i = 1, requested do
  ids[i] = named[i] or ("SU-%d"):format(80000 + 211 * i)
  local size = 3 * (i % 3 == 0 and 301 or 302)
  local head = ids[i] .. (i % 2 == 0 and " DAMAGE depot LDS-2;" or " ok;")
  records[ids[i]] = head .. (" scan 0800 depot LHR-1"):rep(50):sub(1, size - #head)
  read_size[i] = read_size[i - 1] + size // 3
end
local function covered(turns) return math.min(requested, batch * (turns - 1)) end

local history = sim.tool { name = "get_scan_history", description = "A delivery's scans.",
                           run = function(arguments) return records[arguments.order] end }
local function decision(name, evidence) -- it moves money or refuses a claim, so it needs complete evidence
  return sim.tool { name = name, requires_complete = evidence, run = function() return "done" end }
end
local unguarded = decision("decline_claim")
local guarded = { decision("decline_claim", "damage_pattern_check"), decision("pay_claim", "damage_pattern_check") }
local escalate = sim.tool { name = "escalate_to_human", run = function(arguments) return arguments.why end }

-- Reads in batches as long as its turns allow, and keeps the last one to answer.
local function read_batches(agent, turns)
  local found, read = {}, 0
  for turn = 1, turns - 1 do
    local calls = {}
    for i = read + 1, math.min(read + batch, requested) do
      calls[#calls + 1] = sim.call("get_scan_history", { order = ids[i] })
    end
    if #calls == 0 then break end
    for _, result in ipairs(agent:turn { tool_calls = calls }) do
      read = read + 1
      if result.content:find("DAMAGE", 1, true) then found[#found + 1] = ids[read] end
    end
  end
  return found, read
end

local returns = {
  coverage = { requested = requested, tool = "get_scan_history" },
  schema = { type = "object", required = { "finding", "confidence", "evidence" }, properties = {
    finding    = { type = "string", maxLength = 200 },
    confidence = { enum = { "low", "medium", "high" } },
    evidence   = { type = "array", maxItems = 3, items = { type = "string", maxLength = 12 } },
  } },
}

-- 700 tokens of prompt and tools on every turn, as stated; the turns it may take are in its prompt.
local function checker(contract)
  return { agent = function(prompt)
    local turns = tonumber(prompt:match("(%d+) turns"))
    return {
      tools = { history }, returns = contract, max_turns = turns,
      system = ("Check the pattern. "):rep(120):sub(1, 3 * 700),
      model = sim.coroutine(function(agent)
        local found, read = read_batches(agent, turns)
        if not contract then return "No consistent pattern of transit damage across recent deliveries." end
        agent:turn { stop = true, result = {
          finding = ("%d of %d deliveries carry a damage scan; all %d at depot LDS-2"):format(#found, read, #found),
          confidence = read < requested and "low" or "high", evidence = { found[1], found[2], found[3] },
        } }
      end),
    }
  end }
end

local function ask(agent, turns)
  return (agent:call("task", { prompt = ("Mishandled in transit? You have %d turns."):format(turns) }))
end
local function summary(text)
  return ("%s, %s of %s, %s tokens"):format(text:match('"status":"(%a+)"'), text:match('"read":(%d+)'),
                                            text:match('"requested":(%d+)'), text:match('"tokens_read":(%d+)'))
end
-- What a decision came to: the coverage is in the refusal's text.
local function try(agent, name)
  local text, failed = agent:call(name)
  return ("%s %s"):format(name, failed and "refused, " .. text:match("%d+ of %d+ read") or text)
end
local function variant(name, contract, tools, body)
  return { name = name, tools = tools, subagents = { damage_pattern_check = checker(contract) },
           system = ("Handle returns. "):rep(200):sub(1, 2940), model = sim.coroutine(body) }
end

-- By arithmetic: what the envelope of a pass says, and what a guarded decision comes to after it.
local function stated(turns)
  local read = covered(turns)
  local status = read < requested and "partial" or "complete"
  return ("%s, %d of %d, %d tokens"):format(status, read, requested, read_size[read])
end
local function decided(name, turns)
  local read = covered(turns)
  return name .. (read < requested and (" refused, %d of %d read"):format(read, requested) or " done")
end

for _, row in ipairs {
  { "", "stated", "computed" },
  { "records read in the first pass", "12", covered(opt.first) },
  { "their tokens", "3,620", read_size[covered(opt.first)] },
  { "tokens of all 40", "~12,000", read_size[requested] },
} do print(("%-32s %9s %9s"):format(table.unpack(row))) end

return sim.scenario {
  name = "damage_pattern", task = "The buyer says the parcel was damaged in transit.", unit = "tokens",
  description = "Twelve of forty records, a confident summary, and the contract that catches it.",
  count_schemas = false, verdict = "checklist", latency = { base_ms = 2200 }, -- two more calls are the 4.4 s stated
  variants = {
    { name = "inline", tools = { history, unguarded }, system = ("Handle returns. "):rep(200):sub(1, 2940),
      model = sim.coroutine(function(agent)
        return ("%d of %d are damaged"):format(#(read_batches(agent, opt.second)), requested)
      end) },
    variant("prose", nil, { unguarded }, function(agent)
      ask(agent, opt.first)
      return try(agent, "decline_claim")
    end),
    variant("second_pass", returns, guarded, function(agent)
      local first, hasty = summary(ask(agent, opt.first)), try(agent, "decline_claim")
      return table.concat({ first, hasty, summary(ask(agent, opt.second)), try(agent, "pay_claim") }, "; ")
    end),
    variant("escalated", returns, { escalate }, function(agent)
      return (agent:call("escalate_to_human", { why = summary(ask(agent, opt.first)) }))
    end),
  },
  expect = {
    ["inline.measurement.peak"] = opt.second >= 11 and "> 8000" or nil,
    ["prose.subagents.1.status"] = "complete", -- the engine was not asked for coverage, so nothing says otherwise
    ["prose.final_text"] = "decline_claim done",
    ["second_pass.measurement.peak"] = "< 8000",
    ["second_pass.subagents.1.status"] = covered(opt.first) < requested and "partial" or "complete",
    ["second_pass.final_text"] = table.concat({ stated(opt.first), decided("decline_claim", opt.first),
                                                stated(opt.second), decided("pay_claim", opt.second) }, "; "),
    ["escalated.final_text"] = stated(opt.first),
  },
}
