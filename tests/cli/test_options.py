#!/usr/bin/env python3
"""Options of scenarios and flags of the program: every way to give them, and what a wrong one is told."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import SMALL, ProgramTest, main, plain_environment  # noqa: E402

DECLARED = r"""
local sim = require "simagent"
local opt = sim.options {
  { "limit",  default = 0, min = -10, max = 10, help = "how many" },
  { "rate",   default = 0.5 },
  { "fast",   default = false, help = "do it at once" },
  { "mode",   type = "enum", values = { "plain", "fancy" }, default = "plain" },
  { "bytes",  type = "size", default = "1k" },
  { "title",  default = "T" },
  { "my_dir", type = "dir" },
  { "count",  type = "integer" },
}
return sim.scenario { name = "opts", task = tostring(opt.count), variants = { { name = "a", model = { { text = "x", stop = true } } } } }
"""
DEFAULTS = {"limit": 0, "rate": 0.5, "fast": False, "mode": "plain", "bytes": 1024, "title": "T"}


class Options(ProgramTest):
    def setUp(self):
        super().setUp()
        self.scenario = self.write("opts.lua", DECLARED)

    def options(self, *arguments):
        options = json.loads(self.expect(0, self.scenario, *arguments, "--json").out)["scenario"]["options"]
        return {k: v for k, v in options.items() if v is not None}

    def test_every_way_to_give_one(self):
        for arguments, changes in [
            ([], {}),
            (["--limit", "5"], {"limit": 5}), (["--limit=5"], {"limit": 5}), (["--set", "limit=5"], {"limit": 5}),
            (["--set=limit=5"], {"limit": 5}), (["--limit", "1", "--limit", "2"], {"limit": 2}),
            (["--limit", "-7"], {"limit": -7}), (["--limit=-7"], {"limit": -7}), (["--set", "limit=-7"], {"limit": -7}),
            (["--rate", "-.25"], {"rate": -0.25}), (["--rate", "3"], {"rate": 3}), (["--rate=1e3"], {"rate": 1000}),
            (["--fast"], {"fast": True}), (["--fast", "true"], {"fast": True}), (["--fast=no"], {"fast": False}),
            (["--fast", "--limit", "3"], {"fast": True, "limit": 3}),
            (["--mode", "fancy"], {"mode": "fancy"}),
            (["--bytes", "200k"], {"bytes": 204800}), (["--bytes=2M"], {"bytes": 2 << 20}), (["--bytes", "7"], {"bytes": 7}),
            (["--title", ""], {"title": ""}), (["--title", "a b=c"], {"title": "a b=c"}), (["--set", "title=a=b"], {"title": "a=b"}),
            (["--my-dir", self.folder], {"my_dir": self.folder}), (["--my_dir", "."], {"my_dir": "."}),
            (["--count", "9223372036854775807"], {"count": 2 ** 63 - 1}),
        ]:
            with self.subTest(arguments):
                self.assertEqual(self.options(*arguments), dict(DEFAULTS, **changes))

    def test_order_is_the_declared_one(self):
        report = json.loads(self.expect(0, self.scenario, "--title", "x", "--limit", "1", "--json").out)
        names = list(report["scenario"]["options"])
        declared = ["limit", "rate", "fast", "mode", "bytes", "title", "my_dir", "count"]
        self.assertEqual(names, [name for name in declared if name in names])

    def test_reading_one_that_was_not_declared(self):
        scenario = self.write("misread.lua", DECLARED.replace("opt.count", "opt.lmit"))
        self.assertRegex(self.expect(3, scenario).err.decode(), r'misread\.lua:13: no option "lmit" is declared; did you mean "limit"\?\n')

    def test_wrong_ones(self):
        for arguments, says in [
            (["--limt", "5"], ["--limt", "did you mean --limit"]),
            (["--set", "limt=5"], ["limt", "did you mean --limit"]),
            (["--jsn"], ["--jsn", "did you mean --json"]),
            (["--max-secnds", "5"], ["--max-secnds", "did you mean --max-seconds"]),
            (["--max", "5"], "--max"),  # No abbreviations.
            (["--lim", "5"], "--lim"),
            (["-x"], "-x"),
            (["--limit", "x"], ["--limit", "x", "integer"]),
            (["--limit"], ["--limit", "integer"]),
            (["--limit", "1.5"], "--limit"), (["--limit", " 1"], "--limit"), (["--limit", "0x10"], "--limit"),
            (["--limit", "11"], ["--limit", "at most 10", "11"]), (["--limit=-11"], ["--limit", "at least -10"]),
            (["--count", "9223372036854775808"], "--count: 9223372036854775808 is out of range"),
            (["--limit=-99999999999999999999"], "--limit: -99999999999999999999 is out of range"), (["--count", "-"], "an integer"),
            (["--rate", "nan"], "--rate"), (["--rate", "inf"], "--rate"), (["--rate", "1e999"], "--rate"),
            (["--fast", "maybe"], ["--fast", "maybe"]),
            (["--mode", "fanci"], ["--mode", "plain, fancy", "fanci", 'did you mean "fancy"']),
            (["--bytes", "2X"], ["--bytes", "2X"]), (["--bytes", "9999999999G"], "--bytes: 9999999999G is out of range"),
        ]:
            with self.subTest(arguments):
                self.expect_message(2, self.scenario, *arguments, says=says)

    def test_hints_lead_to_the_options_of_the_scenario(self):
        for arguments in [["--limt", "5"], ["--limit", "x"], ["--my-dir", ""]]:
            for scenario in [["opts.lua"], ["run", "opts.lua"]]:
                message = self.expect_message(2, *scenario, *arguments).message
                self.assertTrue(message.endswith("\nTry 'simagent help opts.lua'.\n"), message)
        self.expect_message(2, "repo_scan", "--limt", "5", says="\nTry 'simagent help repo_scan'.\n")
        for arguments in [["opts.lua", "--limit", "5", "-x"], ["nothing", "--limit", "5"], ["list", "--limit", "5"], ["opts.lua", "opts.lua"]]:
            self.expect_message(2, *arguments, says="\nTry 'simagent --help'.\n")

    def test_an_empty_folder_is_wrong_use(self):
        result = self.expect_message(2, self.scenario, "--my-dir", "", says='--my_dir must be a folder, got ""')
        self.assertNotIn("traceback", result.message)

    def test_help_of_something_misspelt(self):
        for word, meant in [("compar", "compare"), ("helq", "help"), ("Read_file", "read_file"), ("repo_scn", "repo_scan")]:
            self.expect_message(2, "help", word, says="no command, tool or bundled scenario is called '%s' (did you mean '%s'?)" % (word, meant))
        self.expect_message(2, "help", "something-else-entirely", says=".lua")

    def test_an_expectation_of_nothing_suggests_its_whole_path(self):
        for metric, meant in [("alpha.measurement.peek", "alpha.measurement.peak"), ("alpha.measurment.peak", "alpha.measurement.peak"), ("alpha.xyzzy", None)]:
            path = self.write("s.lua", SMALL.replace('name = "a"', 'name = "alpha"').replace(
                "variants =", 'expect = { ["%s"] = 1 }, variants =' % metric))
            message = self.expect_message(3, path, says='no metric "%s"' % metric).message
            self.assertEqual('; did you mean "%s"?\n' % meant in message, meant is not None, message)

    def test_names_of_scenarios(self):
        self.expect_message(2, "repo_scam", says=["repo_scam", "did you mean 'repo_scan'"])
        self.expect_message(2, "hlep", says="did you mean 'help'")
        self.expect_message(2, "run", "repo_scam", says="did you mean 'repo_scan'")
        self.expect_message(2, "something-else-entirely", says=".lua")

    def test_a_scenario_without_options(self):
        path = self.write("small.lua", SMALL)
        self.expect_message(2, path, "--limit", "5", says="--limit")
        self.expect_message(2, path, "--jsn", says=["--jsn", "did you mean --json"])

    def test_an_option_named_like_a_flag_is_refused(self):
        for name in ["seed", "unit", "trace", "format", "json", "output", "max_seconds", "quiet", "log", "set", "help",
                     "allow_read", "no_color", "version"]:
            with self.subTest(name):
                path = self.write("bad.lua", DECLARED.replace('"title"', '"%s"' % name))
                self.expect_message(3, path, says=["bad.lua:3", name, "flag --" + name.replace("_", "-")])

    def test_a_bad_declaration_is_refused(self):
        for row in ['{ "title", default = {} }', '{ "Title", default = 1 }', '{ "a b", default = 1 }', '{ "x" }',
                    '{ "x", type = "enum" }', '{ "x", type = "integer", default = "a" }', '{ "limit", default = 1 }',
                    '{ "x", typ = "integer" }', '{ "x", default = 5, max = 3 }']:
            with self.subTest(row):
                path = self.write("bad.lua", DECLARED.replace('{ "title",  default = "T" }', row))
                self.expect_message(3, path, says="bad.lua:3")

    def test_help(self):
        for arguments in [["help", self.scenario], [self.scenario, "--help"], ["run", self.scenario, "--help"],
                          [self.scenario, "-h"]]:
            with self.subTest(arguments):
                out = self.expect(0, *arguments).out.decode()
                for text in ["--limit", "how many", "from -10 to 10", "--fast", "one of plain, fancy", "--my_dir", "[dir]"]:
                    self.assertIn(text, out)
        general = self.expect(0, "--help").out
        self.assertEqual(general, self.expect(0, "help").out)
        self.assertEqual(general, self.expect(0, "-h").out)
        for flag in ["--format", "--json", "-o", "--trace", "--seed", "--unit", "--max-seconds", "--max-memory",
                     "--max-steps", "--set", "--allow-read", "--log", "--quiet", "--no-color", "--help", "--version"]:
            self.assertIn(flag.encode(), general)
        self.assertRegex(self.expect(0, "--version").out.decode(), r"^simagent \d+\.\d+\.\d+")
        self.expect_message(2, "help", "repo_scam", says="repo_scan")

    def test_scenario_first_or_last(self):
        want = self.expect(0, self.scenario, "--limit", "3", "--json").out
        self.assertEqual(self.expect(0, "--json", "--limit", "3", self.scenario).out, want)
        self.assertEqual(self.expect(0, "run", "--json", "--limit=3", self.scenario).out, want)
        self.assertEqual(self.expect(0, "--json", "--limit=3", "--", self.scenario).out, want)


class Flags(ProgramTest):
    RANDOM = SMALL.replace('"Greet."', 'table.concat({ math.random(1 << 40), math.random() }, " ")')

    def task(self, *arguments):
        return json.loads(self.expect(0, *arguments, "--json").out)["scenario"]["task"]

    def test_seed(self):
        path = self.write("random.lua", self.RANDOM)
        tasks = [self.task(path, "--seed", seed) for seed in ("0", "1", "2", "-1", "9223372036854775807")]
        self.assertEqual(len(set(tasks)), len(tasks))
        self.assertEqual(self.task(path), tasks[0])
        self.assertEqual(self.task(path, "--seed=1"), tasks[1])

    def test_unit(self):
        path = self.write("unit.lua", SMALL.replace("Greet.", "Grüße."))
        for unit, peak in [("chars", 6), ("bytes", 8)]:
            report = json.loads(self.expect(0, path, "--unit", unit, "--json").out)
            self.assertEqual((report["scenario"]["unit"], report["variants"][0]["measurement"]["peak"]), (unit, peak))

    def test_unit_of_sized_results_is_refused(self):
        path = self.write("sized.lua", """local sim = require "simagent"
local t = sim.tool { name = "t", run = function() return sim.sized(9) end }
return sim.scenario { unit = "chars", variants = { { name = "a", tools = { t }, model = {
  { tool_calls = { sim.call("t", {}) } }, { stop = true } } } } }
""")
        self.expect(0, path)
        self.expect(0, path, "--unit", "chars")
        self.expect_message(2, path, "--unit", "bytes", says=["sized", "--unit bytes"])

    def test_quiet_and_log(self):
        loop = SMALL.replace('{ { text = "Hi.", stop = true } }', '{ { text = "on" } }')
        path = self.write("loop.lua", loop)
        self.assertIn("script_exhausted", self.expect(1, path).message)
        failed = self.expect(1, path, "--quiet").message  # No note, but an error.
        self.assertRegex(failed, r"^simagent: a: stopped: script_exhausted .*\n$")
        self.assertEqual(self.expect(1, path, "-q").message, failed)
        self.assertEqual(self.expect(0, "tool_errors", "-q").err, b"")
        said = self.expect(0, "repo_scan", "--log").message
        self.assertIn("  [Subagent spawned] delegated/1 repo_scanner", said)
        self.assertIn("read_file", said)
        self.assertEqual(self.expect(0, "repo_scan", "--log").out, self.expect(0, "repo_scan").out)

    def test_print_goes_to_stderr(self):
        path = self.write("print.lua", 'print("a", 1, nil, true)\n' + SMALL)
        result = self.expect(0, path, "--json")
        self.assertEqual(result.err, b"a\t1\tnil\ttrue\n")
        json.loads(result.out)
        flood = self.write("flood.lua", 'for i = 1, 1e5 do print(("x"):rep(100)) end\n' + SMALL)
        self.assertLessEqual(len(self.expect(0, flood).err), 64 << 10)

    def test_nothing_of_the_environment_is_in_a_report(self):
        path = self.write("env.lua", SMALL.replace('"Greet."', "tostring(os and os.getenv)"))
        env = plain_environment(HOME="/home/someone-else", USER="someone-else", HOSTNAME="machine-17")
        for arguments in [[path, "--json", "--trace", "trace"], [path]]:
            result = self.expect(0, *arguments, env=env)
            for text in [b"someone-else", b"machine-17", b"0x"]:
                self.assertNotIn(text, result.out + result.err)
        report = self.expect(0, path, "--json").out
        self.assertNotIn(self.folder.encode(), report)
        self.assertNotIn(self.folder.encode(), self.read("trace"))


if __name__ == "__main__":
    main()
