#!/usr/bin/env python3
"""The first five minutes: init, run, test, a change that is noticed; and what init, list and help say and refuse."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import ROOT, ProgramTest, main, plain_environment  # noqa: E402


class Init(ProgramTest):
    def test_the_first_five_minutes(self):
        env = plain_environment(CI=None)
        out = self.expect(0, "init", "my.lua").out.decode()
        for command in ("simagent my.lua", "simagent test my.lua --update"):
            self.assertIn(command, out)
        self.assertEqual(self.expect(0, "my.lua").err, b"")
        self.expect(0, "test", "my.lua", "--update", env=env)
        self.expect(0, "test", "my.lua", env=env)
        source = self.read("my.lua").decode()
        self.write("my.lua", source.replace("default = 8", "default = 9"))
        out = self.expect(1, "test", "my.lua", env=env).out.decode()
        self.assertRegex(out, r"alone\.measurement\.peak +[\d,]+ +[\d,]+ +\+\d")
        self.assertEqual(len(re.findall("^ok ", out, re.M)), 1)  # The case has its own number of files.
        os.remove(self.path("golden/my.json.new"))
        self.expect(1, "test", "my.lua", env=plain_environment(CI="true"))
        self.assertEqual(sorted(os.listdir(self.path("golden"))), ["my.json", "my.many.json"])

    def test_what_is_written(self):
        self.expect(0, "init", "new/folder/my")
        self.assertEqual(self.files(), [".luarc.json", ".simagent", "new"])
        settings = json.loads(self.read(".luarc.json"))
        self.assertEqual(settings["workspace.library"], [".simagent"])
        with open(os.path.join(ROOT, "lua", "types", "simagent.lua"), "rb") as types:
            self.assertEqual(self.read(".simagent/simagent.lua"), types.read())
        with open(os.path.join(ROOT, "lua", "new_scenario.lua"), "rb") as first:
            self.assertEqual(self.read("new/folder/my.lua"), first.read())
        self.assertLess(self.read("new/folder/my.lua").count(b"\n"), 41)

    def files(self):
        return sorted(os.listdir(self.folder))

    def test_nothing_is_overwritten(self):
        self.write("my.lua", "mine")
        self.write(".luarc.json", "{}")
        self.expect_message(2, "init", "my.lua", says="my.lua is there already")
        self.assertEqual(self.files(), [".luarc.json", "my.lua"])
        self.expect(0, "init", "other.lua")
        self.assertEqual((self.read("my.lua"), self.read(".luarc.json")), (b"mine", b"{}"))

    def test_usage(self):
        self.expect(0, "init")
        self.assertIn("my_scenario.lua", self.files())
        self.expect_message(2, "init", "a.lua", "b.lua", says="b.lua")
        self.expect_message(2, "init", "--force", "a.lua", says="--force")
        self.expect_message(2, "init", "folder/", says="names no file")
        self.write("file", "")
        self.expect_message(4, "init", "file/a.lua", says="file")


class List(ProgramTest):
    def test_sections(self):
        out = self.expect(0, "list").out.decode()
        for name in ("repo_scan", "read_file", "json", "junit"):
            self.assertRegex(out, r"(?m)^  %s  +\S" % name)
        models = re.findall(r"(?m)^  (\S+)  +\S.* in, ", self.expect(0, "list", "models").out.decode())
        self.assertIn("claude-sonnet-4-5", models)
        self.assertIn("\n  %d models: 'simagent list models' has them" % len(models), out)
        self.assertLess(out.count("\n"), 60)
        for word in ("scenarios", "tools", "formats"):
            part = self.expect(0, "list", word).out.decode()
            self.assertIn(part, out)
        self.expect_message(2, "list", "tool", says="did you mean 'tools'?")
        self.expect_message(2, "list", "xyzzy", says="models or formats")

    def test_all_bundled_scenarios_are_listed(self):
        listed = re.findall(r"(?m)^  (\w+)", self.expect(0, "list", "scenarios").out.decode())
        files = [name[:-4] for name in os.listdir(os.path.join(ROOT, "scenarios")) if name.endswith(".lua")]
        self.assertEqual(sorted(listed), sorted(files))


class Help(ProgramTest):
    def test_of_commands(self):
        for command in ("test", "init", "list"):
            out = self.expect(0, "help", command).out.decode()
            self.assertIn("simagent %s" % command, out)
            self.assertEqual(out, self.expect(0, command, "--help").out.decode())
        run = self.expect(0, "help", "run").out.decode()
        self.assertEqual(run, self.expect(0, "run", "--help").out.decode())
        for text in ("simagent run SCENARIO", "--seed N", "'simagent help SCENARIO'"):
            self.assertIn(text, run)
        for text in ("compare", "list", "Exit codes", "repo_scan"):
            self.assertNotIn(text, run.replace("not listed", "").replace("\nlists", ""))
        self.assertIn("'simagent list scenarios' says what each shows", self.expect(0, "--help").out.decode())
        self.assertIn("--update[=NAME]", self.expect(0, "help", "test").out.decode())
        self.expect_message(2, "tset", says="did you mean 'test'?")
        for tool in ["bash", "edit_file", "glob", "grep", "read_file", "todo_write", "write_file"]:
            self.assertRegex(self.expect(0, "help", tool).out.decode(), r"^The built-in tool " + tool + r": .*\n\nArguments:\n  \w+ +\w+")
        self.assertIn("  limit         integer?  How many lines to read. All by default.\n  offset ", self.expect(0, "help", "read_file").out.decode())
        self.write("beside.lua", "return {}")
        for words in [["beside"], ["help", "beside"], ["run", "beside"]]:
            self.expect_message(2, *words, says="the file here is beside.lua")
        self.assertIn(b"run it:        simagent ./-x.lua\n", self.expect(0, "init", "--", "-x", cwd=self.folder).out)
        self.expect_message(2, "list", "--json", says="list prints text and nothing else, not json")
        self.expect_message(2, "help", "repo_scn", says="did you mean 'repo_scan'?")

    def test_alone(self):
        result = self.expect(2)
        self.assertLessEqual(len(result.message.splitlines()), 10)
        self.assertGreaterEqual(result.message.count("  simagent "), 2)

    def test_flags_of_one_command_are_free_for_scenarios(self):
        path = self.write("a.lua", """local opt = require "simagent".options { { "jobs", default = 1 } }
return { task = tostring(opt.jobs), variants = { { name = "a", model = { { text = "x", stop = true } } } } }
""")
        report = json.loads(self.expect(0, path, "--jobs", "5", "--json").out)
        self.assertEqual(report["scenario"]["task"], "5")


if __name__ == "__main__":
    main()
