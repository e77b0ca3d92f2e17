-- Subagents that spawn subagents, each invoked twice: nothing is left over from the first time.
--
-- What it shows: a factory is called afresh for every invocation.  The counter inside it starts at one each time, so
-- both editors say the same; the counter outside it is the scenario's own and does carry on.  `max_depth = 2` lets the
-- editor spawn; with the default of 1 it has no `task` tool, and its call is one to an unknown tool.
-- Try next: --depth 1, and read what the editor is told.
local sim = require "simagent"

local opt = sim.options {
  { "depth", default = 2, min = 1, max = 3, help = "how deep agents may spawn (max_depth)" },
}

local invocations = 0 -- of the editor, over all variants: the scenario's own state

local function checker(prompt)
  return { model = { { text = "Checked: " .. prompt, stop = true } } }
end

local function editor(prompt)
  invocations = invocations + 1
  local mine, number = 0, invocations
  return {
    system = "You edit one chapter.",
    subagents = { checker = checker },
    model = function(request)
      mine = mine + 1
      if mine <= 2 then
        return { text = ("Draft %d."):format(mine),
                 tool_calls = { sim.call("task", { subagent = "checker", prompt = prompt }) } }
      end
      local last = request.results[1]
      return ("%s after %d turns (editor %d): %s"):format(prompt, mine, number, last.content)
    end,
  }
end

local function parent()
  return {
    { text = "Both chapters, one after the other.", tool_calls = { sim.call("task", { prompt = "chapter 1" }) } },
    { tool_calls = { sim.call("task", { prompt = "chapter 1" }) } },
    { text = "The book is done.", stop = true },
  }
end

return sim.scenario {
  name        = "nested_factories",
  description = "Two levels of subagents, every invocation a fresh one.",
  task        = "Edit the book.",
  max_depth   = opt.depth,
  variants    = {
    { name = "first",  model = parent(), subagents = { editor = editor } },
    { name = "second", model = parent(), subagents = { editor = editor } },
  },
  expect = opt.depth == 2 and {
    ["first.subagents.1.final_text"]  = "chapter 1 after 3 turns (editor 1): Checked: chapter 1",
    ["first.subagents.2.final_text"]  = "chapter 1 after 3 turns (editor 2): Checked: chapter 1",
    ["second.subagents.2.final_text"] = "chapter 1 after 3 turns (editor 4): Checked: chapter 1",
    ["first.subagents.2.subagents.1.run"] = "first/2/1",
    ["second.total_ratio"] = "== 1",
  } or nil,
}
