#!/usr/bin/env python3
"""What models may give back: each form of a turn, and for each mistake a message with the place where it was made."""
import json
import os
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import ProgramTest, binary, is_sanitized, main  # noqa: E402

SCENARIO = """local sim = require 'simagent'
local echo = sim.tool { name = 'echo', run = function(a) return (a.text or '') .. '.' end }
return sim.scenario { task = 'Go.', variants = { { name = 'v', tools = { echo }, model = %s
} } }
"""


class Models(ProgramTest):
    def run_model(self, code, model, says=()):
        return self.expect(code, self.write("m.lua", SCENARIO % model), "--json", says=says)

    def variant(self, model, code=0):
        return json.loads(self.run_model(code, model).out)["variants"][0]

    def coroutine(self, body):
        return "sim.coroutine(function(agent)\n%s\nend)" % body

    def test_the_three_forms_measure_the_same(self):
        turn = "{ text = 'Ask.', tool_calls = { { name = 'echo', arguments = { text = 'a' } } } }"
        forms = [
            "{ %s, { text = 'Done.', stop = true } }" % turn,
            "function(request) return request.turn == 1 and %s or 'Done.' end" % turn,
            self.coroutine("agent:call('echo', { text = 'a' }, 'Ask.')\nreturn 'Done.'"),
            self.coroutine("agent:turn(%s)\nagent:finish('Done.')" % turn),
            self.coroutine("agent:turn(%s)\nagent:turn { text = 'Done.', stop = true }" % turn),
        ]
        # Turn 1 reads "Go." (3), turn 2 also "Ask." (4), `echo({"text":"a"})` (18) and "a." (2).
        for form in forms:
            got = self.variant(form)["measurement"]
            self.assertEqual((got["peak"], got["cumulative"]), (27, 3 + 27), form)

    def test_a_turn_may_inherit_its_fields(self):
        turn = "setmetatable({ stop = true }, { __index = { text = 'Done.' } })"
        self.assertEqual(self.variant("{ %s }" % turn), self.variant("{ { text = 'Done.', stop = true } }"))
        call = "{ text = 'x', tool_calls = { setmetatable({ name = 'echo' }, { __index = { arguments = { text = 'b' } } }) } }"
        self.assertEqual(self.variant("{ %s, { text = 'D', stop = true } }" % call),
                         self.variant("{ { text = 'x', tool_calls = { { name = 'echo', arguments = { text = 'b' } } } }, "
                                      "{ text = 'D', stop = true } }"))

    def test_arguments_of_every_size(self):
        for count in (0, 1, 7, 8, 9, 30):
            pairs = ", ".join("k%02d = %s" % (i, ["'s'", "7", "true", "{ 1 }", "1.5"][i % 5]) for i in range(count))
            written = {"k%02d" % i: ["s", 7, True, [1], 1.5][i % 5] for i in range(count)}
            model = "{ { tool_calls = { { name = 'nobody', arguments = { %s } } } }, { text = 'D', stop = true } }" % pairs
            expected = 3 * 2 + len("nobody(%s)" % json.dumps(written, separators=(",", ":"))) + len("ERROR: unknown tool nobody")
            self.assertEqual(self.variant(model)["measurement"]["cumulative"], expected, pairs)

    def test_mistakes_in_turns(self):
        for turn, says in [
            ("7", "m.lua:3: a model must return a turn, a string or nil, got the number 7"),
            ("{ txt = 'a' }", 'm.lua:3: unknown key "txt"; did you mean "text"?'),
            ("{ zzz = 1, aaa = 1 }", 'm.lua:3: unknown key "aaa"'),
            ("{ 'a' }", "m.lua:3: a key is the number 1; only named keys belong here"),
            ("{ text = 7 }", "m.lua:3: text: must be a string, got the number 7"),
            ("{ stop = 'yes' }", 'm.lua:3: stop: must be true or false, got the string "yes"'),
            ("{ tool_calls = 'x' }", 'm.lua:3: tool_calls: a turn\'s calls must be a table, got the string "x"'),
            ("{ tool_calls = { name = 'echo' } }",
             'm.lua:3: tool_calls: a turn\'s calls must be a list, but one key is the string "name"'),
            ("{ tool_calls = { [2] = { name = 'echo' } } }", "m.lua:3: tool_calls: a turn's calls must be a list without holes"),
            ("{ tool_calls = { 'echo' } }", 'm.lua:3: tool_calls[1]: a tool call must be a table, got the string "echo"'),
            ("{ tool_calls = { { nam = 'echo' } } }", 'm.lua:3: tool_calls[1]: unknown key "nam"; did you mean "name"?'),
            ("{ tool_calls = { { arguments = {} } } }", "m.lua:3: tool_calls[1].name: must be the name of a tool, got nil"),
            ("{ tool_calls = { { name = 'echo', arguments = { 1 } } } }",
             "m.lua:3: tool_calls[1].arguments: must be a table with named keys, got a list"),
            ("{ tool_calls = { { name = 'echo', arguments = { a = 1, [2] = 2 } } } }",
             "m.lua:3: tool_calls[1].arguments: a table must be a list or have named keys, not both"),
            ("{ tool_calls = { { name = 'echo', arguments = { a = { nil, nil, 3, [0] = 1, [-1] = 1 } } } } }",
             "m.lua:3: tool_calls[1].arguments.a: a list must be 1..n without holes"),
            ("{ tool_calls = { nil, nil, {}, [0] = {}, [-1] = {} } }",
             "m.lua:3: tool_calls: a turn's calls must be a list without holes"),
            ("{ tool_calls = { { name = 'echo', arguments = { ['a\\nb'] = print } } } }",
             'm.lua:3: tool_calls[1].arguments["a\\nb"]: a function cannot be data'),
            ("{ text = true, stop = 'a\\n\\27b' }", "m.lua:3: text: must be a string, got true"),
            ("{ stop = 'a\\n\\27b' }", 'm.lua:3: stop: must be true or false, got the string "a\\n\\x1Bb"'),
            ("{ ['text\\0'] = 'a' }", 'm.lua:3: unknown key "text\\x00"'),
            ("{ tool_calls = { { name = 'echo', arguments = { b = print, a = 0/0 } } } }",
             "m.lua:3: tool_calls[1].arguments.a: nan is not a number that JSON knows"),
            ("{ tool_calls = { { name = 'echo', arguments = setmetatable({ a = print }, {}) } } }",
             "m.lua:3: tool_calls[1].arguments.a: a function cannot be data"),
            ("{ result = {} }", "m.lua:3: result: belongs to a turn with stop = true"),
        ]:
            self.run_model(3, "function() return %s end" % turn, says=says)

    def test_mistakes_in_coroutines(self):
        for body, says in [
            ("return 7", "m.lua:3: a coroutine model must return the final text or nothing, got the number 7"),
            ("return {}, 'x'", "m.lua:3: a coroutine model must return the final text or nothing, got a table"),
            ("coroutine.yield('x')", "m.lua:3: a coroutine model must not yield by itself"),
            ("agent:call(7)", "m.lua:4: bad argument #1 to 'call' (string expected, got number)"),
            ("\nagent:call('echo', { 1 })",
             "m.lua:5: agent:call.arguments: must be a table with named keys, got a list"),
            ("agent:call('echo', {}, 7)", "m.lua:4: agent:call: the text must be a string, got the number 7"),
            ("\n\nagent:turn { txt = 'a' }", 'm.lua:6: agent:turn: unknown key "txt"; did you mean "text"?'),
            ("agent:turn(7)", "m.lua:4: bad argument #1 to 'turn' (table expected, got number)"),
            ("agent:turn { stop = 1 }", "m.lua:4: agent:turn.stop: must be true or false, got the number 1"),
            ("agent:finish()", "m.lua:4: bad argument #1 to 'finish' (string expected, got no value)"),
            ("agent.prompt = 'x'", "m.lua:4: an object of simagent cannot be changed"),
            ("return agent.nothing", 'm.lua:4: an agent has no field "nothing"; it has call, turn, finish'),
            ("coroutine.wrap(function() agent:call('echo') end)()", "must be called from its own coroutine"),
            ("table.sort({ 2, 1 }, function() agent:call('echo') end)", "attempt to yield across a C-call boundary"),
            ("agent.call({}, 'echo')", "an agent expected, got table"),
        ]:
            self.run_model(3, self.coroutine(body), says=says)

    def test_a_mistake_may_be_caught_and_asks_nothing(self):
        for wrong in ("agent:call('echo', { 1 })", "agent:turn { txt = 'a' }", "agent:call('echo', {}, 7)",
                      "table.sort({ 2, 1 }, function() agent:call('echo') end)"):
            body = "local ok = pcall(function() %s end)\nreturn tostring(ok)" % wrong
            got = self.variant(self.coroutine(body))
            self.assertEqual((got["measurement"]["turn_count"], got["measurement"]["cumulative"]), (1, 3), wrong)
        # What was not handed over is not mistaken for a turn when the script yields by itself.
        self.run_model(3, self.coroutine("pcall(table.sort, { 2, 1 }, function() agent:call('echo') end)\n"
                                         "coroutine.yield()"), says="must not yield by itself")

    def test_a_call_inside_pcall_yields(self):
        body = "local ok, content, failed = pcall(agent.call, agent, 'echo', { text = 'q' })\n" \
               "assert(ok and content == 'q.' and failed == false)\n" \
               "local ok, content, failed = pcall(agent.call, agent, 'nobody')\n" \
               "assert(ok and content == 'ERROR: unknown tool nobody' and failed == true)\nreturn 'D'"
        self.assertEqual(self.variant(self.coroutine(body))["measurement"]["turn_count"], 3)

    def test_names_that_are_not_there(self):
        for code, says in [
            ("sim.scenaro {}", 'm.lua:3: sim has no field "scenaro"; did you mean "scenario"?'),
            ("sim.models.scna()", 'm.lua:3: sim.models has no field "scna"; did you mean "scan"?'),
            ("sim.workspace.dirr()", 'm.lua:3: sim.workspace has no field "dirr"; did you mean "dir"?'),
            ("sim.workspace.demo():pths()", 'm.lua:3: a workspace has no field "pths"; did you mean "paths"?'),
            ("return sim.zzzzzz", 'm.lua:3: sim has no field "zzzzzz"; it has array, call, command,'),
            ("return sim['tool\\0']", 'm.lua:3: sim has no field "tool\\x00"'),
            ("rawset(sim, 1, 2) return sim.scenaro", 'm.lua:3: sim has no field "scenaro"; did you mean "scenario"?'),
            ("return sim[1]", "m.lua:3: sim has named fields only, got a number"),
            ("sim.x = 1", "m.lua:3: sim cannot be changed"),
            ("return echo.name", 'm.lua:3: a tool has no field "name"'),
            ("sim.sized('5')", "m.lua:3: bad argument #1 to 'sized' (number expected, got string)"),
        ]:
            self.run_model(3, "function() %s end" % code, says=says)

    def with_tool(self, body, tool):
        return self.write("w.lua", """local sim = require 'simagent'
local co
local poke = sim.tool { name = 'poke', run = function() %s end }
return sim.scenario { task = 'Go.', variants = { { name = 'v', tools = { poke }, model = sim.coroutine(function(agent)
co = coroutine.running()
%s
end) } } }
""" % (tool, body))

    def test_a_waiting_agent_is_not_for_others_to_resume(self):
        waits = "waits for an answer: its coroutine must not be resumed or closed by a script"
        for body in ("agent:call('poke')", "agent:turn { tool_calls = { { name = 'poke' } } }"):
            path = self.with_tool(body, "return select(2, coroutine.resume(co))")
            self.expect(3, path, says="w.lua:4: the agent's coroutine was resumed or closed by the script")
            path = self.with_tool(body, "assert(coroutine.resume(co))")
            self.expect(3, path, says=waits)
        for method in ("agent:call('poke')", "agent:turn {}", "agent:finish 'x'"):
            path = self.with_tool("local x <close> = setmetatable({}, { __close = function() %s end })\n"
                                  "agent:call('poke')" % method, "assert(coroutine.close(co))")
            self.expect(3, path, says=waits)

    def test_a_waiting_agent_that_was_driven_on_is_not_asked_again(self):
        path = self.with_tool("pcall(agent.call, agent, 'poke')\ncoroutine.yield()\nreturn 'D'",
                              "coroutine.resume(co) return 'x'")
        self.expect(3, path, says="w.lua:4: the agent's coroutine was resumed or closed by the script")

    def test_what_was_refused_leaves_nothing_behind(self):
        """A turn is what its own table says, whatever the script tries while the table is read."""
        for sneaky in ("agent.call, agent, 'echo', {}, 'sneaky'", "agent.finish, agent, 'sneaky'",
                       "agent.turn, agent, { stop = true }"):
            body = "local turn = setmetatable({ text = 'only' }, { __index = function() pcall(%s) end })\n" \
                   "agent:turn(turn)\nreturn 'end'" % sneaky
            got = self.variant(self.coroutine(body))
            self.assertEqual((got["final_text"], got["per_turn"]), ("end", [3, 7]), sneaky)

    def test_refused_calls_use_no_memory(self):
        """What failed calls have copied is given back: a thousand of 1 MiB each fit into a run of 64 MiB."""
        for attempt in ("agent.call, agent, 'echo', { a = big, b = print }", "agent.turn, agent, { text = big, stop = 7 }",
                        "agent.turn, agent, { text = big, tool_calls = { { name = big }, 7 } }",
                        "agent.turn, agent, { text = big, stop = true, result = { a = big, b = print } }"):
            body = "local big = ('x'):rep(1 << 20)\nfor i = 1, 1000 do assert(not pcall(%s)) end\nreturn 'D'" % attempt
            path = self.write("m.lua", SCENARIO % self.coroutine(body))
            if is_sanitized(binary()):
                self.expect(0, path)
                continue
            process = subprocess.Popen([binary(), path, "--json"], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0, attempt)
            self.assertLess(max(usage.ru_maxrss, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss), 64 << 10)

    def test_an_agent_that_has_finished(self):
        kept = "(function()\n local kept\n return sim.coroutine(function(agent)\n" \
               "  if kept then kept:call('echo') end\n  kept = agent\n  return 'D'\n end)\nend)()"
        path = self.write("two.lua", """local sim = require 'simagent'
local echo = sim.tool { name = 'echo', run = function() return '.' end }
local model = %s
return sim.scenario { task = 'Go.', variants = {
  { name = 'a', tools = { echo }, model = model }, { name = 'b', tools = { echo }, model = model } } }
""" % kept)
        self.expect(3, path, says="two.lua:6: this agent has finished")


if __name__ == "__main__":
    main()
