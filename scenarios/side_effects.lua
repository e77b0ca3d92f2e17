-- What a child writes is there for its parent, and only its files cross besides its answer.
--
-- What it shows: a subagent has its own transcript, but the workspace is shared.  `trusting` believes the child's word;
-- `verifying` reads the file itself, pays for that, and finds the line that the child's summary left out.
-- Each variant starts from the files as they were: nothing of one is seen by the next.
-- Try next: give the child a workspace of its own (workspace = { … } in what the factory returns).
local sim = require "simagent"

local BEFORE = "def total(orders):\n    return sum(order.price for order in orders)\n"

local function fixer()
  return {
    tools = { "read_file", "edit_file", "write_file" },
    model = {
      { tool_calls = { sim.call("read_file", { path = "src/total.py" }) } },
      { tool_calls = { sim.call("edit_file", { path = "src/total.py", old_text = "order.price",
                                               new_text = "order.price * order.count" }) } },
      { tool_calls = { sim.call("write_file", { path = "NOTES.md", content = "Discounts are still ignored.\n" }) } },
      { text = "Fixed total().", stop = true },
    },
  }
end

local delegate = { tool_calls = { sim.call("task", { prompt = "total() ignores the count. Fix it." }) } }

return sim.scenario {
  name        = "side_effects",
  description = "The child's messages are gone, its files are not.",
  task        = "Fix total().",
  workspace   = { ["src/total.py"] = BEFORE },
  variants    = {
    { name = "trusting", model = { delegate, { text = "Fixed.", stop = true } }, subagents = { fixer = fixer } },
    { name = "verifying", tools = { "read_file", "grep" }, subagents = { fixer = fixer },
      model = function(request)
        if request.turn == 1 then return delegate end
        if request.turn == 2 then
          return { tool_calls = { sim.call("grep", { pattern = "price", path = "src/*.py" }),
                                  sim.call("read_file", { path = "NOTES.md" }) } }
        end
        return "Fixed, but: " .. request.results[2].content
      end },
  },
  expect = {
    ["verifying.final_text"] = "Fixed, but: Discounts are still ignored.\n",
    ["verifying.subagents.1.changes.2.bytes_before"] = #BEFORE,
    ["verifying.subagents.1.changes.2.bytes_after"] = #BEFORE + #" * order.count",
  },
}
