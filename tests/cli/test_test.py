#!/usr/bin/env python3
"""simagent test: goldens compared, accepted, kept safe; one bad scenario costs one test; the same bytes with any -j."""
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import ProgramTest, binary, is_sanitized, main, plain_environment  # noqa: E402

# A scenario with an option; TEXT is what its only result says.
SCENARIO = """local sim = require "simagent"
local opt = sim.options { { "limit", default = 2, min = 0 } }
return sim.scenario { task = "T", workspace = { a = ("TEXT"):rep(opt.limit) }, CASES
  variants = { { name = "alone", tools = { "read_file" }, model = sim.models.scan({ "a" }, "Done.") } } }
"""
HANG = "while true do end"
BOMB = "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end"


def scenario(text="abc", cases=""):
    return SCENARIO.replace("TEXT", text).replace("CASES", cases)


def environment(**changes):
    return plain_environment(**{"CI": None, **changes})


class Suite(ProgramTest):
    def check(self, *arguments, code=0, says=(), **options):
        """Runs `simagent test`.  Unlike other commands it prints its results whatever they are."""
        options.setdefault("env", environment())
        run = subprocess.run([binary(), "test", *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                             cwd=options.pop("cwd", self.folder), timeout=100, **options)
        out = run.stdout.decode("utf-8")
        self.assertEqual(run.returncode, code, out + run.stderr.decode("utf-8", "replace"))
        self.assertNotIn(b"Sanitizer", run.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, out + run.stderr.decode("utf-8", "replace"))
        return out

    def all_files(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.folder)
                      for folder, _, names in os.walk(self.folder) for name in names)


class Flow(Suite):
    def test_a_report_that_says_no_is_not_made_good_by_accepting_it(self):
        self.write("a.lua", scenario(cases='expect = { ["alone.measurement.peak"] = 1 },'))
        self.assertNotIn("accept it", self.check("a.lua", code=1))
        self.check("a.lua", "--update", code=1, says="its golden was written all the same")
        self.assertIn("golden/a.json", self.all_files())

    def test_rules_wait_for_goldens(self):
        self.write("a.lua", scenario())
        for rule in (["--tolerance", "peak=1%"], ["--ratchet", "peak"]):
            self.check("a.lua", *rule, code=1, says="there is no golden yet")
        self.check("a.lua", "--update")
        self.check("a.lua", "--tolerance", "peek=1%", code=2, says="no report has a number called 'peek'")

    def test_from_nothing_to_accepted_and_back(self):
        self.write("scenarios/a.lua", scenario())
        out = self.check(code=1, says="there is no golden yet: scenarios/golden/a.json")
        self.assertIn("--update=a", out)
        self.assertEqual(self.all_files(), ["scenarios/a.lua", "scenarios/golden/a.json.new"])
        self.check("--update", says="1 test: 1 updated")
        self.assertEqual(self.all_files(), ["scenarios/a.lua", "scenarios/golden/a.json"])
        golden = self.read("scenarios/golden/a.json")
        self.assertEqual(golden, self.expect(0, "scenarios/a.lua", "--json").out)
        self.check(says="1 test: 1 passed")

        self.write("scenarios/a.lua", scenario("abcd"))
        out = self.check(code=1)
        self.assertRegex(out, r"metric +old +new +change")
        self.assertRegex(out, r"alone\.measurement\.peak +\d+ +\d+ +\+\d")
        self.assertEqual(self.read("scenarios/golden/a.json"), golden)
        self.assertEqual(self.read("scenarios/golden/a.json.new"),
                         self.expect(0, "scenarios/a.lua", "--json").out)
        # As it was: what was pending is out of date, and goes.
        self.write("scenarios/a.lua", scenario())
        self.check()
        self.assertEqual(self.all_files(), ["scenarios/a.lua", "scenarios/golden/a.json"])

    def test_nothing_is_written_through_a_link(self):
        victim = self.write("victim", "precious")
        self.write("suite/a.lua", scenario())
        os.makedirs(self.path("suite/golden"))
        os.symlink(victim, self.path("suite/golden/a.json.new"))
        self.check("suite", code=1, says="suite/golden/a.json.new: is a link, and nothing is written through one")
        os.unlink(self.path("suite/golden/a.json.new"))
        os.symlink(victim, self.path("suite/golden/a.json"))
        self.check("suite", "--update", code=4, says="suite/golden/a.json: is a link")
        os.unlink(self.path("suite/golden/a.json"))
        os.rmdir(self.path("suite/golden"))
        os.makedirs(self.path("elsewhere"))
        os.symlink(self.path("elsewhere"), self.path("suite/golden"))
        self.check("suite", "--update", code=4, says="suite/golden: is a link")
        self.assertEqual(self.all_files(), ["suite/a.lua", "victim"])
        self.assertEqual(self.read("victim"), b"precious")

    def test_bundled_scenarios_pass_with_their_goldens(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        goldens = [name for name in os.listdir(os.path.join(root, "scenarios", "golden")) if name.endswith(".json")]
        names = sorted(name[:-5] for name in goldens if "." not in name[:-5])
        paths = ["scenarios/%s.lua" % name for name in names]
        self.check(*paths, "-q", cwd=root, env=environment(CI="1"), says="passed")

    def test_cases_have_goldens_of_their_own(self):
        cases = 'cases = { { name = "none", options = { limit = 0 } }, { name = "b", options = { limit = 3 } } },'
        self.write("s/a.lua", scenario(cases=cases))
        self.check("s", "--update")
        self.assertEqual(self.all_files(), ["s/a.lua", "s/golden/a.b.json", "s/golden/a.json", "s/golden/a.none.json"])
        for name, limit in [("a", 2), ("a.none", 0), ("a.b", 3)]:
            self.assertEqual(self.read("s/golden/%s.json" % name),
                             self.expect(0, "s/a.lua", "--json", "--limit", str(limit)).out)
        out = self.check("s/")
        self.assertEqual(re.findall(r"^ok +(.*)$", out, re.M), ["s/a.lua", "s/a.lua (none)", "s/a.lua (b)"])
        # A case with a wrong option is a fault of the scenario.
        self.write("s/a.lua", scenario(cases='cases = { { name = "x", options = { limt = 0 } } },'))
        out = self.check("s", code=3, says=["no option --limt; did you mean --limit?"])
        self.assertIn("stale", out)

    def test_a_case_gives_itself_no_right_to_read(self):
        self.write("secret/file", "x")
        self.write("s/a.lua", """local sim = require "simagent"
local opt = sim.options { { "repo", type = "dir" } }
return sim.scenario { workspace = opt.repo and sim.workspace.dir(opt.repo) or {},
  cases = { { name = "out", options = { repo = "%s/secret" } } },
  variants = { { name = "a", model = { { text = "x", stop = true } } } } }
""" % self.folder)
        self.check("s", "--update", code=3, says="--allow-read")
        self.assertIn("s/golden/a.json", self.all_files())
        self.assertNotIn("s/golden/a.out.json", self.all_files())

    def test_update_by_name(self):
        for name in "ab":
            self.write("s/%s.lua" % name, scenario())
        self.check("s", "--update=b", code=1)
        self.assertEqual([f for f in self.all_files() if "golden" in f], ["s/golden/a.json.new", "s/golden/b.json"])
        self.check("s", "--update=bb", code=2, says="did you mean 'b'?")

    def test_stale_goldens_are_named(self):
        self.write("s/a.lua", scenario())
        self.check("s", "--update")
        self.write("s/golden/gone.json", "{}")
        self.write("s/golden/a.gone.json", "{}")
        out = self.check("s")
        self.assertEqual(re.findall(r"^stale +(\S+):", out, re.M), ["s/golden/a.gone.json", "s/golden/gone.json"])
        # A scenario that was not asked for, or is at fault, may still have them.
        self.write("s/b.lua", scenario())
        self.write("s/golden/b.json", "{}")
        self.write("s/golden/b.case.json", "{}")
        self.assertNotIn("s/golden/b.", self.check("s/a.lua"))
        self.write("s/b.lua", "error('no')")
        self.assertNotIn("s/golden/b.", self.check("s", code=3))

    def test_what_is_left_out(self):
        for name in ("a.lua", "_module.lua", ".hidden.lua", "_lib/x.lua", ".git/x.lua", "deep/b.lua"):
            self.write("s/" + name, scenario())
        out = self.check("s", "./s/", "s/a.lua", "--update")
        self.assertEqual(re.findall(r"^updated (.*)$", out, re.M), ["s/a.lua", "s/deep/b.lua"])
        self.assertIn("s/deep/golden/b.json", self.all_files())

    def test_an_expectation_that_is_not_met(self):
        self.write("s/a.lua", scenario(cases='expect = { ["alone.measurement.peak"] = "< 1" },'))
        out = self.check("s", "--update", code=1)
        self.assertRegex(out, r"expected alone\.measurement\.peak < 1, got \d+")
        self.check("s", code=1, says="an expectation is not met")


class Rules(Suite):
    def setUp(self):
        super().setUp()
        self.write("s/a.lua", scenario("a" * 1000))
        self.check("s", "--update")

    def test_tolerance(self):
        self.write("s/a.lua", scenario("a" * 1001))
        self.check("s", code=1)
        self.check("s", "--tolerance", "*=1%")
        self.check("s", "--tolerance", "peak=1%", code=1)
        self.check("s", "--tolerance", "*=0.01%", code=1)
        self.check("s", "--tolerance", "peek=1%", code=2, says="peek")
        self.check("s", "--tolerance", "peak", code=2, says="METRIC=1%")

    def test_ratchet(self):
        self.write("s/a.lua", scenario("a" * 900))
        out = self.check("s", "--ratchet", "total_cumulative", says="smaller than the golden")
        self.assertIn("alone.total_cumulative", out)
        self.write("s/a.lua", scenario("a" * 1100))
        self.check("s", "--ratchet", "total_cumulative", code=1)
        self.check("s", "--ratchet", "turn_count")
        self.check("s", "--ratchet", "turn_cuont", code=2)


class Ci(Suite):
    def test_nothing_is_written(self):
        self.write("s/a.lua", scenario())
        for value in ("1", "true"):
            self.check("s", code=1, env=environment(CI=value), says="there is no golden")
            self.assertEqual(self.all_files(), ["s/a.lua"])
            self.check("s", "--update", code=2, env=environment(CI=value), says="CI")
        for value in ("", "false"):
            self.check("s", "--update", env=environment(CI=value))
        self.write("s/a.lua", scenario("x"))
        before = self.all_files()
        self.check("s", code=1, env=environment(CI="1"))
        self.assertEqual(self.all_files(), before)


class Faults(Suite):
    def make(self):
        self.write("s/a.lua", scenario("1"))
        self.write("s/b_hang.lua", HANG)
        self.write("s/c_bomb.lua", BOMB)
        self.write("s/d_error.lua", "print('a note')\nerror('broken here')")
        self.write("s/e.lua", scenario("2"))
        self.write("s/f_late.lua", scenario("3").replace('"Done."', '"Done.", error("late")'))

    def test_a_scenario_at_fault_costs_one_test(self):
        self.make()
        out = self.check("s", "--update", "--max-seconds", "1", "--max-memory", "16M", code=3)
        self.assertEqual(re.findall(r"^(updated|FAULT) +s/(\w+)", out, re.M),
                         [("updated", "a"), ("FAULT", "b_hang"), ("FAULT", "c_bomb"), ("FAULT", "d_error"),
                          ("updated", "e"), ("FAULT", "f_late")])
        for text in ("s/d_error.lua:2:", "broken here", "--max-seconds", "--max-memory", "2 updated, 4 at fault"):
            self.assertIn(text, out)
        self.assertEqual([f for f in self.all_files() if "golden" in f], ["s/golden/a.json", "s/golden/e.json"])

    def test_notes_are_shown_of_failures_only(self):
        self.write("s/a.lua", 'print("said by a")\n' + scenario())
        self.check("s", "--update")
        self.assertNotIn("said by a", self.check("s"))
        self.write("s/a.lua", 'print("said by a")\n' + scenario("x"))
        self.assertIn("said by a", self.check("s", code=1))

    def test_the_same_bytes_with_any_number_of_workers(self):
        self.make()
        for i in range(6):
            self.write("s/more/%d.lua" % i, 'print("note %d")\n' % i + scenario(str(i)))
        arguments = ["s", "--max-seconds", "1", "--max-memory", "16M", "--report", "junit=J", "--report", "tap=T"]
        told = set()
        for jobs in ("1", "2", "8"):
            out = self.check(*arguments, "-j", jobs, code=3, env=environment(CI="1"))
            told.add((out, self.read("J"), self.read("T")))
        self.assertEqual(len(told), 1)

    def test_usage(self):
        self.check(code=2, says="scenarios/")
        os.mkdir(self.path("empty"))
        self.check("empty", code=2, says="no scenario to test")
        self.check("gone", code=2, says="gone")
        self.write("s/a.lua", scenario())
        self.check("s", "--updaet", code=2, says="did you mean --update?")
        self.check("s", "--limit", "5", code=2, says="cases")
        self.check("s", "--json", code=2, says="junit")
        self.check("s", "--report", "junt=x", code=2, says="did you mean junit?")
        self.check("s", "--report", "junit", code=2, says="junit=FILE")
        self.check("s", "--jobs", "0", code=2)
        self.check("s", "--review", code=2, says="terminal")
        self.check("s", "--update", "--review", code=2)
        self.assertEqual(self.all_files(), ["s/a.lua"])


class Reports(Suite):
    def test_junit_and_tap(self):
        self.write("s/a.lua", scenario())
        self.check("s", "--update")
        self.write("s/b.lua", scenario())
        self.write("s/c & <\"x\">.lua", "error('\\27[2J\\1 <&>]]>')")
        self.check("s", "--report", "junit=out/j.xml", "--report", "tap=out/t.tap", code=3)
        tree = ElementTree.fromstring(self.read("out/j.xml"))
        self.assertEqual(tree.attrib, {"name": "simagent", "tests": "3", "failures": "1", "errors": "1"})
        cases = tree.findall("testsuite/testcase")
        self.assertEqual([c.get("name") for c in cases], ["s/a.lua", "s/b.lua", "s/c & <\"x\">.lua"])
        self.assertEqual([[e.tag for e in c][:1] for c in cases], [[], ["failure"], ["error"]])
        self.assertIn("<&>]]>", cases[2].find("error").get("message"))
        tap = self.read("out/t.tap").decode()
        self.assertTrue(tap.startswith("TAP version 13\n1..3\nok 1 - s/a.lua\nnot ok 2 - s/b.lua\n  ---\n"))
        prove = shutil.which("prove")
        if prove:
            self.write("good.tap", "\n".join(tap.split("\n")[:1]) + "\n1..1\nok 1 - s/a.lua\n")
            self.assertEqual(subprocess.run([prove, "--source", "File", "good.tap"], cwd=self.folder,
                                            capture_output=True).returncode, 0)
            failed = subprocess.run([prove, "out/t.tap"], cwd=self.folder, capture_output=True, text=True)
            self.assertIn("Failed tests:  2-3", failed.stdout)

    def test_output_file(self):
        self.write("s/a.lua", scenario())
        self.assertEqual(self.check("s", "-o", "results", code=1), "")
        self.assertIn("1 test: 1 failed", self.read("results").decode())


class Disk(Suite):
    def test_killed_at_random_moments(self):
        """The golden is the old or the new one, whole; the next run leaves nothing of the killed one."""
        texts = ["x" * 20000, "y" * 20000]
        goldens = {}
        for i, text in enumerate(texts):
            for name in "abcd":
                self.write("s/%s.lua" % name, scenario(text))
            self.check("s", "--update")
            for name in "abcd":
                goldens[i, name] = self.read("s/golden/%s.json" % name)
        chance = random.Random(1)
        started = time.monotonic()
        self.check("s")
        whole = time.monotonic() - started
        for turn in range(12 if is_sanitized(binary()) else 40):
            for name in "abcd":
                self.write("s/%s.lua" % name, scenario(texts[turn % 2]))
            process = subprocess.Popen([binary(), "test", "s", "--update"], cwd=self.folder, env=environment(),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, whole * 1.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
            for name in "abcd":
                self.assertIn(self.read("s/golden/%s.json" % name), (goldens[0, name], goldens[1, name]))
        self.write("s/golden/.a.json.abcdef.tmp", "left by a process that was killed in between")
        self.check("s", "--update")
        self.assertEqual([f for f in self.all_files() if f.endswith((".tmp", ".new"))], [])

    def test_interrupted(self):
        self.write("s/a.lua", HANG)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = subprocess.Popen([binary(), "test", "s"], cwd=self.folder, env=environment(),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(0.5)
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
            self.assertEqual((process.returncode, out, err), (code, b"", b""))
        self.assertEqual(self.all_files(), ["s/a.lua"])

    def as_nobody(self):
        return {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}

    def test_read_only_folder(self):
        self.write("s/a.lua", scenario())
        self.check("s", "--update")
        self.write("s/a.lua", scenario("x"))
        os.chmod(self.folder, 0o755)
        for folder in ("s", "s/golden"):
            os.chmod(self.path(folder), 0o555)
        try:
            self.check("s", code=1, says="could not be kept", **self.as_nobody())
            self.check("s", "--update", code=4, says="s/golden/a.json: cannot be written", **self.as_nobody())
        finally:
            for folder in ("s", "s/golden"):
                os.chmod(self.path(folder), 0o755)
        self.assertEqual(self.all_files(), ["s/a.lua", "s/golden/a.json"])

    def test_full_disk(self):
        os.mkdir(self.path("disk"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", self.path("disk")],
                                 capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("cannot mount a small file system: %s" % mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", self.path("disk")], check=True)
        self.write("disk/a.lua", scenario())
        self.check("disk", "--update")
        golden = self.read("disk/golden/a.json")
        self.write("disk/a.lua", scenario("x"))
        try:
            self.write("disk/fill", b"x" * 65536)
        except OSError:
            pass
        self.check("disk", "--update", code=4, says="No space left")
        self.check("disk", code=1, says="No space left")
        self.assertEqual(self.read("disk/golden/a.json"), golden)
        self.assertEqual(sorted(os.listdir(self.path("disk/golden"))), ["a.json"])

    def test_golden_is_no_json(self):
        self.write("s/a.lua", scenario())
        for body in (b"", b"{", b"\xff\0", b"[" * 100000):
            self.write("s/golden/a.json", body)
            self.check("s", code=1)
            self.assertEqual(self.read("s/golden/a.json"), body)
        os.remove(self.path("s/golden/a.json"))
        os.mkdir(self.path("s/golden/a.json"))
        self.check("s", code=4, says="a.json")


class Terminal(Suite):
    def run_on_terminal(self, answers, *arguments):
        controller, terminal = pty.openpty()
        process = subprocess.Popen([binary(), "test", *arguments], stdin=terminal, stdout=subprocess.PIPE, stderr=terminal,
                                   env=environment(TERM="xterm"), cwd=self.folder)
        os.close(terminal)
        os.write(controller, answers)
        told = b""
        while True:
            try:
                piece = os.read(controller, 65536)
            except OSError:  # EIO: the last writer is gone.
                break
            if not piece:
                break
            told += piece
        os.close(controller)
        out = process.communicate(timeout=60)[0]
        return process.returncode, out.decode(), told.decode()

    def test_review(self):
        for name in "abc":
            self.write("s/%s.lua" % name, scenario())
        self.check("s", "--update")
        for name in "abc":
            self.write("s/%s.lua" % name, scenario("x"))
        code, out, told = self.run_on_terminal(b"y\nn\nq\n", "s", "--review")
        self.assertEqual(code, 1)
        self.assertEqual(told.count("accept the new report?"), 3)
        self.assertEqual(re.findall(r"^(\w+) +s/(\w)\.lua", out, re.M), [("updated", "a"), ("FAILED", "b"), ("FAILED", "c")])
        self.assertEqual([f for f in self.all_files() if f.endswith(".new")],
                         ["s/golden/b.json.new", "s/golden/c.json.new"])
        self.check("s/a.lua")

    def test_progress_only_on_a_terminal(self):
        self.write("s/a.lua", scenario())
        self.check("s", "--update")
        code, out, told = self.run_on_terminal(b"", "s")
        self.assertEqual((code, out), (0, self.check("s")))
        self.assertIn("[1/1] s/a.lua", told)
        self.assertTrue(told.endswith("\r\033[K"), told)
        self.assertNotIn("[1/1]", self.run_on_terminal(b"", "s", "-q")[2])


if __name__ == "__main__":
    main()
