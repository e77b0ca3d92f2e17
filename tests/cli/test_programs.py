#!/usr/bin/env python3
"""Programs of the user's: external hooks and real commands, what they may decide and what they may not learn."""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import ProgramTest, main, plain_environment  # noqa: E402

HOOKED = r"""
local sim = require "simagent"
local opt = sim.options { { "sh", type = "string" }, { "event", default = "PreToolUse" }, { "size", default = 1 } }
return sim.scenario {
  hooks = { [opt.event] = sim.command { "/bin/sh", "-c", opt.sh } },
  variants = { { name = "v", tools = { "write_file" }, model = {
    { tool_calls = { sim.call("write_file", { path = "a", content = ("x"):rep(opt.size) }) } },
    { text = "one", stop = true }, { text = "two", stop = true }, { text = "three", stop = true } } } },
}
"""


class Hooks(ProgramTest):
    def setUp(self):
        super().setUp()
        self.scenario = self.write("hooked.lua", HOOKED)

    def hooked(self, sh, *arguments):
        report = json.loads(self.expect(0, self.scenario, "--allow-exec", "--json", "--sh", sh, *arguments).out)
        return report["variants"][0]

    def test_decisions(self):
        block = r'{\"decision\":\"block\",\"reason\":\"no\"}'
        for blocked, sh in [
            (0, "true"), (1, "echo no >&2; exit 2"), (0, "echo no >&2; exit 1"), (0, "echo block"),
            (1, f'printf "%s" "{block}"'), (1, f'printf "\n\t %s\n" "{block}"'),
            (1, r'''echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}' '''),
            (1, r'''printf '\357\273\277{"decision":"block"}' '''),
            (1, r'''echo '{"decision":"approve","decision":"block"}' '''),
            (0, r'''echo '{"decision":"block","decision":null,"hookSpecificOutput":{"permissionDecision":"ask"}}' '''),
            (0, r'''echo '{"decision":"approve","continue":true}' '''),
        ]:
            with self.subTest(sh):
                variant = self.hooked(sh)
                self.assertEqual(variant["hooks"], {"fired": 1, "blocked": blocked})
                self.assertEqual("changes" in variant, not blocked)

    def test_what_cannot_be_judged_is_not_let_through(self):
        for sh, arguments, says in [
            ("cat >/dev/null", ["--size", str(17 << 20)], "the hook /bin/sh would get more than 16 MiB to read"),
            ("printf '{'; head -c 2000000 /dev/zero | tr '\\0' ' '", [], "the hook /bin/sh wrote a decision of more than 1048576 bytes"),
            ("head -c 2000000 /dev/zero | tr '\\0' ' '; echo '{\"decision\":\"block\"}'", [], "wrote a decision of more than 1048576 bytes"),
            ("echo '{\"decision\":\"block\"'", [], "the hook /bin/sh: its decision:2:1: "),
            ("echo '{\"decision\":7}'", [], 'the hook /bin/sh: decision must be "block" or "approve", got 7'),
            ("echo '{\"decision\":\"BLOCK\"}'", [], 'decision must be "block" or "approve", got "BLOCK"'),
            ("echo '{\"hookSpecificOutput\":\"deny\"}'", [], 'hookSpecificOutput must be an object, got "deny"'),
            ("echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"denied\"}}'", [],
             'permissionDecision must be "allow", "deny" or "ask", got "denied"'),
            ("echo '{\"hookSpecificOutput\":{\"updatedInput\":[1]}}'", [], "updatedInput must be an object, got [1]"),
        ]:
            with self.subTest(sh):
                self.assertIn(says, self.expect(3, self.scenario, "--allow-exec", "--sh", sh, *arguments).err.decode())

    def test_a_stop_hook_is_told_that_it_has_sent_the_run_on(self):
        variant = self.hooked("grep -q '\"stop_hook_active\":true' || { echo more >&2; exit 2; }", "--event", "Stop")
        self.assertEqual((variant["final_text"], variant["hooks"]["fired"]), ("two", 2))

    def test_what_a_hook_detaches_ends_with_the_run(self):
        self.hooked(f"setsid sh -c 'echo $$ >{self.folder}/pid; exec sleep 1000' >/dev/null 2>&1 & "
                    f"while ! [ -s {self.folder}/pid ]; do sleep 0.01; done")
        with open(os.path.join(self.folder, "pid")) as file:
            pid = int(file.read())
        for _ in range(500):
            if not os.path.exists(f"/proc/{pid}"):
                return
            time.sleep(0.01)
        os.kill(pid, 9)
        self.fail("it is still there")


class RealCommands(ProgramTest):
    def test_the_callers_environment_stays_outside(self):
        scenario = self.write("real.lua", r"""
            local sim = require "simagent"
            return sim.scenario { bash = "real", variants = { { name = "v", tools = { "bash" }, model = sim.coroutine(function(agent)
              return (agent:call("bash", { command = "cat /proc/*/environ | tr '\\0' '\\n'; echo seen" }))
            end) } } }""")
        environment = plain_environment(SIMAGENT_TEST_SECRET="do not tell")
        result = self.run_program(scenario, "--allow-exec", "--json", env=environment)
        if b"bubblewrap" in result.err:
            self.skipTest("no bubblewrap here")
        text = json.loads(result.out)["variants"][0]["final_text"]
        self.assertIn("seen", text)
        self.assertIn("PATH=", text)
        self.assertNotIn("SECRET", text)


if __name__ == "__main__":
    main()
