-- The coding agent whose `task` tool gives a subtask fresh messages and keeps its side effects.
--
-- What it shows, one variant for each thing to try:
--   framework     a subtask finds the testing framework; the parent reads the conclusion, none of the files
--   summaries     a subtask reads every .py file in agents/ and sums each up
--   string_tools  a subtask creates a file, and the *parent* reads it afterwards: what a child writes stays
-- The child has five tools and no `task`: it cannot delegate further.  A hook guards every call, the child's too.
-- Try next: --log to watch the calls, or read "changes" in the JSON report.
local sim = require "simagent"

local files = {
  ["pyproject.toml"]         = "[project]\nname = \"agents\"\n\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n",
  ["agents/loop.py"]         = ("def loop(model, tools):\n    while True:\n        step(model, tools)\n"):rep(20),
  ["agents/hooks.py"]        = ("def fire(event, *values):\n    for hook in HOOKS[event]:\n        hook()\n"):rep(15),
  ["agents/todo.py"]         = ("def render(items):\n    return \"\\n\".join(str(item) for item in items)\n"):rep(25),
  ["tests/test_loop.py"]     = ("import pytest\n\n@pytest.mark.slow\ndef test_loop(n): ...\n"):rep(8),
}

local CHILD  = { "bash", "read_file", "write_file", "edit_file", "glob" }
local PARENT = { "bash", "read_file", "write_file", "edit_file", "glob", "todo_write" }
local SUB_SYSTEM = "You are a coding agent. Complete the task you were given, then sum up. Do not delegate further."

-- What must never run, by substring, whoever asks.
local DENIED = { "rm -rf /", "sudo", "shutdown", "reboot", "mkfs", "dd if=" }

local function permission(event)
  if event.tool ~= "bash" then return end
  for _, denied in ipairs(DENIED) do
    if tostring(event.arguments.command):find(denied, 1, true) then
      return { block = ("Permission denied: \"%s\" is on the deny list"):format(denied) }
    end
  end
end

local function variant(name, prompt, child, parent)
  return {
    name = name, tools = PARENT, system = "You are a coding agent.", max_turns = 30, model = parent,
    task = prompt,
    subagents = {
      worker = function(own)
        return { tools = CHILD, system = SUB_SYSTEM, max_turns = 30, model = child }
      end,
    },
  }
end

local SLUGIFY = "def slugify(text: str) -> str:\n    return \"-\".join(text.lower().split())\n"
local TARGET  = "s06_subagent/example/string_tools.py"

return sim.scenario {
  name        = "s06_subagent",
  description = "Fresh messages for a subtask; only its conclusion returns, and its files stay.",
  workspace   = files,
  hooks       = { PreToolUse = permission },
  bash        = { ["python -m pytest -q"] = "....\n4 passed in 0.02s" },
  variants    = {
    variant("framework", "Use a subtask to find what testing framework this project uses.",
      {
        { tool_calls = { sim.call("glob", { pattern = "**/test_*.py" }),
                         sim.call("read_file", { path = "pyproject.toml" }) } },
        { tool_calls = { sim.call("read_file", { path = "tests/test_loop.py" }) } },
        { tool_calls = { sim.call("bash", { command = "sudo pip install pytest" }) } },
        { text = "The project uses pytest.", stop = true },
      },
      {
        { tool_calls = { sim.call("task", { description = "Find the testing framework." }) } },
        { text = "It uses pytest.", stop = true },
      }),
    variant("summaries", "Delegate: read all .py files in agents/ and sum up what each does.",
      {
        { tool_calls = { sim.call("glob", { pattern = "agents/*.py" }) } },
        { tool_calls = { sim.call("read_file", { path = "agents/hooks.py" }),
                         sim.call("read_file", { path = "agents/loop.py" }),
                         sim.call("read_file", { path = "agents/todo.py" }) } },
        { text = "hooks.py fires hooks. loop.py runs the agent. todo.py prints the list.", stop = true },
      },
      {
        { tool_calls = { sim.call("task", { description = "Read agents/*.py and sum up each." }) } },
        { text = "Three modules: hooks, loop, todo.", stop = true },
      }),
    variant("string_tools", "Use a task to create slugify(text: str) in " .. TARGET .. ", then verify it here.",
      {
        { tool_calls = { sim.call("write_file", { path = TARGET, content = SLUGIFY }) } },
        { tool_calls = { sim.call("edit_file", { path = TARGET, old_text = "text.lower()",
                                                 new_text = "text.strip().lower()" }) } },
        { text = "Created slugify.", stop = true },
      },
      {
        { tool_calls = { sim.call("todo_write", { items = {
          { content = "create slugify", status = "in_progress" },
          { content = "verify it", status = "pending" } } }) } },
        { tool_calls = { sim.call("task", { description = "Create " .. TARGET .. " with slugify." }) } },
        { tool_calls = { sim.call("read_file", { path = TARGET }),
                         sim.call("bash", { command = "python -m pytest -q" }) } },
        { text = "slugify is there, and the tests pass.", stop = true },
      }),
  },
  expect = {
    ["framework.subagents.1.hooks.blocked"] = 1,
    ["summaries.measurement.peak"] = "< 400",
    ["string_tools.subagents.1.changes.1.versions"] = 2,
    ["string_tools.subagents.1.changes.1.bytes_after"] = #SLUGIFY + #".strip()",
  },
}
