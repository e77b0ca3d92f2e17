#!/usr/bin/env python3
"""Where results go: files complete or not at all, stdout empty on failure, JSON that others can read."""
import json
import os
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import SCENARIOS, SMALL, ProgramTest, binary, main  # noqa: E402

FAILING = SMALL.replace('{ { text = "Hi.", stop = true } }', 'function() error("no") end')


class Files(ProgramTest):
    def files(self):
        return sorted(os.listdir(self.folder))

    def test_same_bytes_as_stdout(self):
        out = self.expect(0, "repo_scan", "--json").out
        for arguments in [["--json", "-o", "a"], ["--json", "-oa"], ["--json", "--output=a"],
                          ["--format", "json", "--output", "a"]]:
            result = self.expect(0, "repo_scan", *arguments)
            self.assertEqual((result.out, result.err), (b"", b""))
            self.assertEqual(self.read("a"), out)
            os.unlink(self.path("a"))
        text = self.expect(0, "repo_scan").out
        self.expect(0, "repo_scan", "-o", "a")
        self.assertEqual(self.read("a"), text)

    def test_failure_leaves_nothing(self):
        path = self.write("bad.lua", FAILING)
        self.expect_message(3, path, "--json", "-o", "out.json", "--trace", "trace.jsonl")
        self.assertEqual(self.files(), ["bad.lua"])

    def test_failure_keeps_the_old_file(self):
        path = self.write("bad.lua", FAILING)
        self.write("out.json", "old")
        self.write("trace.jsonl", "older")
        self.expect_message(3, path, "--json", "-o", "out.json", "--trace", "trace.jsonl")
        self.assertEqual((self.read("out.json"), self.read("trace.jsonl")), (b"old", b"older"))
        self.assertEqual(self.files(), ["bad.lua", "out.json", "trace.jsonl"])

    def test_a_failed_expectation_still_writes(self):
        path = self.write("no.lua", SMALL.replace("variants =", 'expect = { ["a.measurement.peak"] = 7 }, variants ='))
        self.expect(1, path, "--json", "-o", "out.json")
        self.assertFalse(json.loads(self.read("out.json"))["ok"])

    def test_replaces_atomically(self):
        """Whoever has the old file open keeps it; the new one is another file with the old one's mode."""
        old = self.write("out.json", "old")
        os.chmod(old, 0o640)
        with open(old, "rb") as held:
            self.expect(0, "repo_scan", "--json", "-o", "out.json")
            self.assertEqual(held.read(), b"old")
            self.assertNotEqual(os.fstat(held.fileno()).st_ino, os.stat(old).st_ino)
        self.assertEqual(stat.S_IMODE(os.stat(old).st_mode), 0o640)
        self.assertEqual(self.files(), ["out.json"])

    def test_umask_decides_about_a_new_file(self):
        subprocess.run(["/bin/sh", "-c", 'umask 027; exec "$0" repo_scan -o new', binary()], cwd=self.folder, check=True)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o640)

    def test_link_is_followed(self):
        os.mkdir(self.path("real"))
        os.symlink("real/out.json", self.path("link"))
        self.expect(0, "repo_scan", "--json", "-o", "link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertTrue(json.loads(self.read("real/out.json"))["ok"])

    def test_paths_that_cannot_be_written(self):
        self.write("file", "x")
        for path, says in [("missing/out", "No such file"), ("file/out", "Not a directory"), (".", "Is a directory"),
                           ("x" * 300, "name too long"), ("", "empty"), ("file/", "")]:
            for flag in ("-o", "--trace"):
                with self.subTest(path=path, flag=flag):
                    result = self.run_program("repo_scan", flag, path)
                    self.assertEqual(result.code, 2 if path == "" else 4, result.message)
                    self.assertIn(says, result.message)
                    self.assertIn(path[:40], result.message)
                    self.assertEqual((result.out, self.files()), (b"", ["file"]))

    def test_both_or_none(self):
        self.expect_message(4, "repo_scan", "-o", "out", "--trace", "missing/trace")
        self.expect_message(4, "repo_scan", "-o", "missing/out", "--trace", "trace")
        self.assertEqual(self.files(), [])
        self.expect_message(2, "repo_scan", "-o", "same", "--trace", "same", says="same")

    def test_pipes_and_devices_are_written_directly(self):
        os.mkfifo(self.path("pipe"))
        with subprocess.Popen(["cat", self.path("pipe")], stdout=subprocess.PIPE) as reader:
            self.expect(0, "repo_scan", "--json", "-o", "pipe")
            self.assertTrue(json.loads(reader.stdout.read())["ok"])
        self.expect(0, "repo_scan", "-o", "/dev/null", "--trace", "trace")
        self.assertEqual(self.expect(0, "repo_scan", "-o", "/dev/stdout").out, self.expect(0, "repo_scan").out)
        self.assertEqual(self.expect(0, "repo_scan", "-o", "-").out, self.expect(0, "repo_scan").out)

    def test_two_writers_leave_one_whole_result(self):
        whole = {self.expect(0, "repo_scan", "--json", "--limit", str(n)).out for n in (0, 2)}
        for _ in range(10):
            writers = [subprocess.Popen([binary(), "repo_scan", "--json", "--limit", str(n), "-o", "out"],
                                        cwd=self.folder) for n in (0, 2)]
            self.assertEqual([w.wait() for w in writers], [0, 0])
            self.assertIn(self.read("out"), whole)
            self.assertEqual(self.files(), ["out"])

    def test_a_small_limit_on_file_size(self):
        """RLIMIT_FSIZE ends a write in the middle: no part of the result may stay."""
        run = subprocess.run(["/bin/sh", "-c", 'ulimit -f 1; exec "$0" repo_scan --json -o out', binary()],
                             cwd=self.folder, capture_output=True)
        self.assertEqual((run.returncode, run.stdout, self.files()), (4, b"", []), run.stderr)


class Json(ProgramTest):
    # Bytes that are no UTF-8, a lone surrogate, NUL, and integers at the edge.
    ODD = r"""
local sim = require "simagent"
return sim.scenario { name = "odd", task = "\xff\0\xed\xa0\x80\xc0\xaf é \u{10FFFF} \u{85}\u{202e}\u{2028}\x7f\27[2J",
  variants = { { name = "a", tools = { sim.tool { name = "big", run = function() return sim.sized(1 << 53) end } },
    model = { { text = "\xfe", tool_calls = { sim.call("big", { n = math.mininteger, r = 0.1, m = 5e-324 }) } },
              { text = "x" }, { text = "\xe2\x82", stop = true } } } } }
"""

    def test_is_utf8_and_exact(self):
        path = self.write("odd.lua", self.ODD)
        out = self.expect(0, path, "--json", "--trace", "trace").out
        self.assertTrue(out.endswith(b"}\n"))
        self.assertEqual(out.count(b"\n"), 1)
        report = json.loads(out.decode("utf-8", "strict"), parse_constant=self.fail)
        self.assertEqual(report["scenario"]["task"],
                         "\ufffd\0\ufffd\ufffd\ufffd\ufffd\ufffd é \U0010FFFF \x85\u202e\u2028\x7f\x1b[2J")
        contexts = report["variants"][0]["per_turn"]
        self.assertEqual(contexts[2] - contexts[1], 1)
        self.assertEqual(contexts[1] & ((1 << 53) - 1), contexts[0] + 1 + len('big({"m":5e-324,"n":-9223372036854775808,"r":0.1})'))
        self.assertEqual(report["variants"][0]["candidates"][0]["waste"], 1 << 53)
        entries = [json.loads(line) for line in self.read("trace").decode("utf-8", "strict").split("\n")[:-1]]
        calls = [e["content"] for e in entries if e["role"] == "tool_call"]
        self.assertEqual(calls, ['big({"m":5e-324,"n":-9223372036854775808,"r":0.1})'])

    def test_sum_beyond_64_bits_is_an_error(self):
        path = self.write("huge.lua", self.ODD.replace("1 << 53", "math.maxinteger"))
        result = self.run_program(path, "--json")
        self.assertIn(result.code, (3, 70), result.message)
        self.assertTrue(result.err)

    def test_keys_stand_in_the_documented_order(self):
        report = json.loads(self.expect(0, "repo_scan", "--json").out)
        self.assertEqual(list(report), ["schema", "scenario", "workspace", "baseline", "variants", "comparisons",
                                        "expectations", "ok"])
        self.assertEqual(list(report["scenario"]), ["name", "description", "task", "unit", "seed", "options"])
        self.assertEqual(list(report["variants"][0]),
                         ["name", "run", "status", "stop_reason", "final_text", "measurement", "per_turn", "candidates",
                          "boundary", "recommendation", "isolated", "total_cumulative", "subagents"])

    def test_bundled_equals_file(self):
        for name in sorted(os.listdir(SCENARIOS)):
            if not name.endswith(".lua"):
                continue
            with self.subTest(name):
                by_name = self.run_program(name[:-4], "--json")
                by_path = self.run_program(os.path.join(SCENARIOS, name), "--json")
                self.assertEqual((by_name.code, by_name.out), (by_path.code, by_path.out))
                by_relative = self.run_program("./" + name, "--json", cwd=SCENARIOS)
                self.assertEqual(by_name.out, by_relative.out)
                # A relative path with folders and `run` spelled out.
                self.assertEqual(self.run_program("run", "scenarios/../" + name, "--json",
                                                  cwd=os.path.dirname(SCENARIOS) + "/scenarios").code, 4)


if __name__ == "__main__":
    main()
