#!/usr/bin/env python3
"""Every documented exit code, provoked; and what a limit says when it is reached."""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import SMALL, ProgramTest, binary, main, plain_environment  # noqa: E402

LOOP = "local n = 0\nwhile true do\n  n = n + 1\nend\n"
# A pattern that takes the matcher longer than anyone waits, all of it inside one call of C.
STUCK = 'local s = ("a"):rep(200000)\nreturn s:find(".-.-.-.-b")\n'


class ExitCodes(ProgramTest):
    def small(self, extra=""):
        return self.write("small.lua", SMALL.replace("variants =", extra + " variants ="))

    def test_0_done(self):
        result = self.expect(0, self.small())
        self.assertEqual(result.err, b"")
        self.assertIn(b"small", result.out)

    def test_1_expectation_failed(self):
        path = self.small('expect = { ["a.measurement.peak"] = "> 1000" },')
        report = json.loads(self.expect(1, path, "--json").out)
        self.assertFalse(report["ok"])
        self.assertEqual(report["expectations"][0]["got"], 6)
        self.assertFalse(report["expectations"][0]["ok"])

    def test_1_variant_did_not_complete(self):
        path = self.write("loop.lua", SMALL.replace('{ { text = "Hi.", stop = true } }',
                                                    'function() return { text = "on" } end, max_turns = 3'))
        result = self.expect(1, path, "--json", says="exceeded max_turns=3")
        self.assertEqual(json.loads(result.out)["variants"][0]["stop_reason"], "max_turns")
        line = "simagent: a: exceeded max_turns=3: raise max_turns of its agent to let it go on\n"
        for arguments in [[], ["--quiet"], ["--json", "-q"], ["-o", "report", "-q"]]:
            self.assertEqual(self.expect(1, path, *arguments).message, line)

    def test_0_expected_stop_reason(self):
        path = self.write("loop.lua", SMALL.replace('{ { text = "Hi.", stop = true } }', '{ { text = "on" } }').replace(
            "variants =", 'expect = { ["a.stop_reason"] = "== script_exhausted" }, variants ='))
        self.assertEqual(self.expect(0, path).err, b"")  # Nobody has to be told.
        path = self.write("loop.lua", self.read("loop.lua").replace(b"== script_exhausted", b"== max_turns"))
        self.assertEqual(self.expect(1, path, "-q", "--json").message,
                         'simagent: a.stop_reason: expected == "max_turns", got "script_exhausted"\n')
        self.assertIn("note: a: stopped: script_exhausted after 1 turn: its model has no further", self.expect(1, path).message)

    def test_0_expected_stop_reason_of_a_subagent(self):
        path = self.write("child.lua", """local sim = require "simagent"
return sim.scenario { variants = { { name = "a",
  subagents = { s = function() return { max_turns = 1, model = function() return { text = "on" } end } end },
  model = { { tool_calls = { sim.call("task", { subagent = "s", prompt = "x" }) } }, { stop = true } } } },
  expect = { ["a.subagents.1.stop_reason"] = "max_turns" } }
""")
        self.assertNotIn("max_turns", self.expect(0, path).message)
        path = self.write("child.lua", self.read("child.lua").replace(b"a.subagents.1.stop_reason", b"a.stop_reason")
                          .replace(b'= "max_turns"', b'= "stop"'))
        self.assertIn("note: a/1: exceeded max_turns=1", self.expect(0, path).message)

    def test_a_failure_leaves_a_line_where_the_report_is_not_read(self):
        path = self.small('expect = { ["a.measurement.peak"] = ">= 10", ["a.measurement.turn_count"] = 1, '
                          '["a.final_text"] = "Bye.\\n" },')
        lines = ('simagent: a.final_text: expected == "Bye.\\n", got "Hi."\n'
                 "simagent: a.measurement.peak: expected >= 10, got 6\n")
        for arguments in [["--json"], ["--format", "md"], ["-o", "x"], ["--json", "-o", "x", "--quiet"]]:
            with self.subTest(arguments):
                self.assertEqual(self.expect(1, path, *arguments).message, lines)
        for arguments in [[], ["-o", "-"], ["-q"]]:  # The text has them.
            with self.subTest(arguments):
                self.assertEqual(self.expect(1, path, *arguments).err, b"")

    def test_notes_stand_on_one_line_each(self):
        path = self.write("none.lua", SMALL.replace('{ { text = "Hi.", stop = true } }', "{}").replace('"small"', '"sm\\nall"'))
        self.assertEqual(self.expect(1, path).message, "simagent: a: stopped: script_exhausted after 0 turns: its model has no turn at all\n")
        os.mkdir(self.path("two\nlines"))
        for name, size in [("large", (1 << 20) + 1), ("small", 1)]:
            self.write("two\nlines/" + name, b"x" * size)
        self.assertEqual(self.expect(0, "repo_scan", "--repo", "two\nlines").message,
                         "note: two\\nlines: skipped 1 file over 1 MiB (max_file_bytes)\n")

    def test_0_failed_work_is_told_where_a_design_looks_cheap(self):
        """A misspelt subagent fails every call, and a variant that does nothing reads next to nothing."""
        path = self.write("typo.lua", """local sim = require "simagent"
            local function reader(turns) return function() return { tools = { "read_file" }, max_turns = turns,
              model = sim.models.scan({ "a" }, "Found.") } end end
            local function delegate(name) return { { text = "Go.", tool_calls = { sim.call("task", {
              subagent = name, prompt = "Find." }) } }, { text = "Done.", stop = true } } end
            return sim.scenario { task = "Find.", workspace = { a = ("x"):rep(500) }, variants = {
              { name = "alone", tools = { "read_file" }, model = sim.models.scan({ "a" }, "Found.") },
              { name = "typo", subagents = { reader = reader(2) }, model = delegate("raeder") },
              { name = "short", subagents = { reader = reader(1) }, model = delegate("reader") } } }
            """)
        text = self.expect(0, path, says="typo: 1 tool call failed").out.decode()
        self.assertRegex(text, r"\nfailed tool calls +0 +1 +1\n")
        self.assertIn("(1 tool call failed, so it may have left work out)", " ".join(text.split()))
        markdown = self.expect(0, path, "--format", "md", "-q").out.decode()
        self.assertRegex(markdown, r"\n- typo: .*; 1 tool call failed\n")
        self.assertIn("\n  - subagent short/1 did not complete: partial, max_turns\n", markdown)

    def test_3_only_what_every_report_has_can_be_expected(self):
        """The text report shows more (what was asked for, what changed line by line), which JSON has not."""
        scenario = SMALL.replace('{ { text = "Hi.", stop = true } }', """{
          { tool_calls = { { name = "write_file", arguments = { path = "f", content = "x" } } } },
          { text = "Hi.", stop = true } }, tools = { "write_file" }""")
        for metric in ("a.candidates.1.asked", "a.changes.1.diff"):
            path = self.write("shown.lua", scenario.replace("variants =", 'expect = { ["%s"] = "!= 7" }, variants =' % metric))
            for arguments in ([], ["--json"], ["--format", "md"]):
                self.expect(3, path, *arguments, says="the report has no metric")

    def test_2_usage(self):
        self.expect(2, says="usage")  # Nothing at all: a short reminder.
        for arguments, says in [
            (["--frobnicate"], "--frobnicate"),
            (["repo_scan", "repo_scan"], "one scenario at a time"),
            (["repo_scan", "--seed", "1x"], ["--seed", "1x", "whole number"]),
            (["repo_scan", "--max-seconds", "0"], ["--max-seconds", "'0'"]),
            (["repo_scan", "--max-memory", "12Q"], ["--max-memory", "12Q", "512M"]),
            (["repo_scan", "--format", "jsn"], ["jsn", "did you mean json"]),
            (["repo_scan", "--unit", "words"], ["words", "chars, bytes or tokens"]),
            (["repo_scan", "-o"], "--output needs a value"),
            (["repo_scan", "--json=1"], "takes no value"),
            (["repo_scan", "--trace", "-"], "--trace"),
            (["repo_scan", "--set", "limit"], "NAME=VALUE"),
        ]:
            with self.subTest(arguments):
                self.expect_message(2, *arguments, says=says)

    def test_names_with_line_feeds_forge_no_line(self):
        feed = "no\nsimagent: all is well"
        for code, arguments in [(2, [feed]), (2, ["repo_scan", "--" + feed]), (2, ["repo_scan", "--seed", feed]), (2, ["help", feed]),
                                (2, ["repo_scan", "--format", feed]), (4, ["./" + feed + ".lua"]), (4, ["repo_scan", "-o", "x/" + feed]),
                                (2, ["repo_scan", "--limit", feed]), (4, ["compare", feed + ".json", "x.json"])]:
            with self.subTest(arguments):
                message = self.expect_message(code, *arguments, says="no\\nsimagent: all").message
                self.assertEqual(sum(line.startswith("simagent: ") for line in message.split("\n")), 1, message)

    def test_3_scenario_at_fault(self):
        for text, says in [
            ("return {", ["bad.lua:1", "expected"]),
            ("local x = nil\nreturn x.y", ["bad.lua:2", "index"]),
            ("return 5", "bad.lua"),
            ("", "bad.lua"),
            ("error({})", "bad.lua"),
            ('error("with a line\\nfeed")', "with a line"),
            ("\x1bLua rubbish", "bad.lua"),
            ('return require "simagent".scenario {}', ["bad.lua:1", "variants"]),
            ('local sim = require "simagent"\nreturn sim.scenario { variants = { { name = "a", modle = {} } } }',
             ["bad.lua:2", "variants[1]", "modle", 'did you mean "model"']),
        ]:
            with self.subTest(text):
                self.expect_message(3, self.write("bad.lua", text), says=says)

    def test_3_lua_error_while_running_has_a_traceback(self):
        path = self.write("late.lua", SMALL.replace('{ { text = "Hi.", stop = true } }',
                                                    "function(request)\n  return request.nothing.at\nend"))
        self.expect_message(3, path, says=["late.lua:3", "traceback"])

    def test_4_input(self):
        missing = self.path("missing.lua")
        self.expect_message(4, missing, says=[missing, "No such file"])
        os.mkdir(self.path("folder.lua"))
        self.expect_message(4, self.path("folder.lua"), says="folder")
        os.mkfifo(self.path("pipe.lua"))
        self.expect_message(4, self.path("pipe.lua"), says="pipe")

    def test_3_too_large_a_scenario(self):
        self.write("large.lua", b"-- " + b"x" * (1 << 20))
        self.expect_message(3, self.path("large.lua"),
                            says=["large.lua: a scenario of 1048579 bytes is too large: the limit is 1048576"])

    def test_4_full_device(self):
        for arguments in [["repo_scan"], ["repo_scan", "--json"], ["help", "repo_scan"], ["help"], ["--help"],
                          ["--version"], ["repo_scan", "--help"]]:
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                self.expect_message(4, *arguments, stdout=full, says=["stdout", "No space left"])
        self.expect_message(4, "repo_scan", "-o", "/dev/full", says=["/dev/full", "No space left"])
        self.expect_message(4, "repo_scan", "--trace", "/dev/full", says="/dev/full")

    def test_4_closed_stdout(self):
        run = subprocess.run(["/bin/sh", "-c", 'exec "$0" repo_scan >&-', binary()], stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 4)
        self.assertIn(b"stdout", run.stderr)

    def test_141_closed_pipe(self):
        for arguments in ["repo_scan", "repo_scan --json", "--help", "help repo_scan"]:
            with self.subTest(arguments):
                read, write = os.pipe()
                os.close(read)
                result = self.run_program(*arguments.split(), stdout=write)
                os.close(write)
                self.assertEqual((result.code, result.err), (141, b""))

    def test_130_and_143(self):
        for number, code in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            with self.subTest(code):
                path = self.write("loop.lua", 'print("ready")\n' + LOOP)
                process = subprocess.Popen([binary(), path, "-o", self.path("out.json")], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, start_new_session=True)
                self.assertEqual(process.stderr.readline(), b"ready\n")
                # To the whole group, as a terminal sends it.
                os.killpg(process.pid, number)
                out, err = process.communicate(timeout=10)
                self.assertEqual((process.returncode, out), (code, b""), err)
                self.assertEqual(sorted(os.listdir(self.folder)), ["loop.lua"])
                with self.assertRaises(ProcessLookupError):
                    os.killpg(process.pid, 0)  # Nobody of that group is left.


class Limits(ProgramTest):
    def test_steps(self):
        path = self.write("loop.lua", LOOP)
        self.expect_message(3, path, "--max-steps", "100000", says=["--max-steps", "100000", "loop.lua:"])

    def test_steps_in_a_coroutine(self):
        path = self.write("co.lua", "local co = coroutine.wrap(function()\nwhile true do end\nend)\nco()\n")
        self.expect_message(3, path, "--max-steps", "100000", says=["--max-steps", "100000", "co.lua:"])

    def test_steps_cannot_be_caught(self):
        path = self.write("catch.lua", "while true do\npcall(function() while true do end end)\nend\n")
        self.expect_message(3, path, "--max-steps", "100000", says=["--max-steps", "catch.lua:"])

    def test_steps_are_the_same_every_time(self):
        """The fewest steps with which a scenario passes are a property of the scenario."""
        path = self.write("some.lua", "local n = 0\nfor i = 1, 5000 do n = n + i end\n" + SMALL)
        low, high = 1, 10 ** 6
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.run_program(path, "--max-steps", str(middle)).code == 0 else (middle, high)
        for _ in range(5):
            self.expect(0, path, "--max-steps", str(high))
            self.expect(3, path, "--max-steps", str(low))

    def test_seconds_in_lua(self):
        path = self.write("loop.lua", LOOP)
        started = time.monotonic()
        self.expect_message(3, path, "--max-seconds", "1", says=["--max-seconds", "1", "loop.lua:"])
        self.assertLess(time.monotonic() - started, 4)

    def test_seconds_in_c(self):
        path = self.write("stuck.lua", STUCK)
        started = time.monotonic()
        self.expect_message(3, path, "--max-seconds", "1", says=["--max-seconds 1", "stuck inside", "stuck.lua"])
        self.assertLess(time.monotonic() - started, 4)

    def test_memory(self):
        path = self.write("big.lua", 'local t = {}\nfor i = 1, 1e9 do\n  t[i] = ("x"):rep(1000) .. i\nend\n')
        self.expect_message(3, path, "--max-memory", "8M", says=["--max-memory", "big.lua:"])
        message = self.run_program(path, "--max-memory", "8M").message
        self.assertTrue(re.search(r"8 ?M|8388608", message), message)

    def test_limits_that_suffice(self):
        path = self.write("small.lua", SMALL)
        self.expect(0, path, "--max-memory", "2M", "--max-seconds", "5", "--max-steps", "100000")


class Process(ProgramTest):
    def children(self, pid):
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(word) for word in file.read().split()]

    def test_no_child_outlives_its_parent(self):
        path = self.write("loop.lua", 'print("ready")\n' + LOOP)
        process = subprocess.Popen([binary(), path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            process.stderr.readline()
            try:
                children = self.children(process.pid)
            except FileNotFoundError:
                self.skipTest("this kernel does not list children")
            self.assertEqual(len(children), 1)
        finally:
            process.kill()
            process.communicate()
        for _ in range(200):
            if not any(self.is_running(child) for child in children):
                return
            time.sleep(0.01)
        self.fail("the child is still running")

    def is_running(self, pid):
        try:
            with open("/proc/%d/stat" % pid) as file:
                return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def test_interrupted_while_writing_nothing_is_left(self):
        """SIGTERM at many moments of a run: either the whole file or none, and no temporary one."""
        whole = self.run_program("repo_scan", "--json").out
        for step in range(25):
            process = subprocess.Popen([binary(), "repo_scan", "--json", "-o", "out.json"], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain_environment())
            time.sleep(step * 0.0008)
            process.terminate()
            process.communicate(timeout=20)
            self.assertIn(process.returncode, (0, 143, -signal.SIGTERM))
            left = os.listdir(self.folder)
            if process.returncode == 0:
                self.assertEqual(left, ["out.json"])
            if left:
                self.assertEqual(left, ["out.json"])
                self.assertEqual(self.read("out.json"), whole)
                os.unlink(self.path("out.json"))


if __name__ == "__main__":
    main()
