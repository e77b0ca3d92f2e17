#!/usr/bin/env python3
"""What a scenario may read, and what odd folders do: nothing outside, nothing that blocks, and everything left out is
counted in the report and said on stderr."""
import json
import os
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import ProgramTest, binary, is_sanitized, main, plain_environment  # noqa: E402

MODULE = 'return { word = "from %s" }\n'
REQUIRES = """local sim = require "simagent"
local m = require %s
return sim.scenario { task = m.word, variants = { { name = "a", model = { { text = "x", stop = true } } } } }
"""
# Reads all files of a folder, by the workspace's own methods and by the tool.
READS = """local sim = require "simagent"
local opt = sim.options { { "dir", type = "dir" }, { "skip", default = "" } }
local repo = sim.workspace.dir(%s, { exclude = opt.skip ~= "" and opt.skip or nil })
local paths = repo:paths()
local bytes = 0
for _, path in ipairs(paths) do assert(#repo:read(path) == repo:size(path)) bytes = bytes + repo:size(path) end
return sim.scenario { task = #paths .. " files " .. bytes, workspace = repo, variants = { { name = "a", tools = { "read_file" },
  max_turns = #paths + 1, model = sim.models.scan(paths, "done") } } }
"""


class Require(ProgramTest):
    def task(self, *arguments, **options):
        return json.loads(self.expect(0, *arguments, "--json", **options).out)["scenario"]["task"]

    def scenario(self, module, name="s/main.lua"):
        return self.write(name, REQUIRES % ('"%s"' % module))

    def test_own_folder_then_search_path(self):
        path = self.scenario("parts.m")
        self.expect_message(3, path, says=["parts.m", "main.lua:2"])
        self.write("lib/parts/m.lua", MODULE % "lib")
        env = plain_environment(SIMAGENT_PATH="%s:%s" % (self.path("nowhere"), self.path("lib")))
        self.assertEqual(self.task(path, env=env), "from lib")
        self.expect_message(3, path, says="parts.m")
        self.write("s/parts/m/init.lua", MODULE % "init")
        self.assertEqual(self.task(path, env=env), "from init")
        self.write("s/parts/m.lua", MODULE % "own")
        self.assertEqual(self.task(path, env=env), "from own")
        self.assertEqual(self.task("main.lua", cwd=self.path("s")), "from own")
        self.assertEqual(self.task("s/main.lua"), "from own")

    def test_names_that_lead_elsewhere(self):
        self.write("secret.lua", MODULE % "secret")
        for module in ["../secret", "..secret", "/" + self.path("secret"), self.path("secret"), "./secret", "a/b", "", ".",
                       "s..m", "secret\\0x", "~", "parts\\n"]:
            with self.subTest(module):
                self.expect_message(3, self.scenario(module), says="main.lua:2")

    def test_links_are_not_followed(self):
        self.write("secret.lua", MODULE % "secret")
        path = self.scenario("m")
        os.symlink("../secret.lua", self.path("s/m.lua"))
        self.expect_message(self.run_program(path).code, path, says="m.lua")
        self.assertIn(self.run_program(path).code, (3, 4))
        os.unlink(self.path("s/m.lua"))
        self.write("outside/m.lua", MODULE % "outside")
        os.symlink("../outside", self.path("s/parts"))
        self.assertIn(self.run_program(self.scenario("parts.m")).code, (3, 4))

    def test_a_module_that_is_no_file(self):
        path = self.scenario("m")
        os.mkfifo(self.path("s/m.lua"))
        started = time.monotonic()
        self.assertIn(self.run_program(path).code, (3, 4))
        self.assertLess(time.monotonic() - started, 5)


class Folders(ProgramTest):
    def run_reads(self, expression, *arguments, code=0, says=(), **options):
        path = self.write("s/main.lua", READS % expression)
        if code:
            return self.expect_message(code, path, *arguments, says=says, **options)
        result = self.expect(0, path, "--json", *arguments, says=says, **options)
        report = json.loads(result.out)
        self.assertNotIn(self.folder.encode(), result.out if "--dir" not in arguments else b"")
        return report["scenario"]["task"], report["workspace"], result.message

    def test_own_folder(self):
        self.write("s/data/a.txt", "aaa")
        self.write("s/data/sub/b.txt", "bbbb")
        task, workspace, _ = self.run_reads('"data"')
        self.assertEqual((task, workspace["files"], workspace["bytes"]), ("2 files 7", 2, 7))
        self.run_reads('"data/../data/sub"')
        self.run_reads('"missing"', code=4, says="missing")
        self.run_reads('"data/a.txt"', code=4, says="a.txt")

    def test_outside_is_refused(self):
        self.write("secret/a.txt", "secret")
        self.write("s-evil/a.txt", "a sibling whose name begins alike")
        os.makedirs(self.path("s"))
        os.symlink("../secret", self.path("s/link"))
        for expression in ['"../secret"', '"%s"' % self.path("secret"), '"/etc"', '"/"', '".."', '"link"', '"../s-evil"',
                           '"/proc/self"', '"/proc/self/root"', '"link/../../secret"', '"/no/such/folder"', '"../no-such"']:
            with self.subTest(expression):
                self.run_reads(expression, code=3, says=["outside", "--allow-read"])

    def test_allowed_by_the_command_line(self):
        self.write("secret/sub/a.txt", "secret")
        secret = self.path("secret")
        self.assertEqual(self.run_reads('"%s"' % secret, "--allow-read", secret)[0], "1 files 6")
        self.assertEqual(self.run_reads('"%s/sub"' % secret, "--allow-read", secret)[0], "1 files 6")
        self.assertEqual(self.run_reads('"../secret"', "--allow-read", secret)[0], "1 files 6")
        self.run_reads('"%s"' % self.folder, "--allow-read", secret, code=3, says="outside")
        self.run_reads('"%s-evil"' % secret, "--allow-read", secret, code=3, says="outside")
        self.assertEqual(self.run_reads("opt.dir", "--dir", secret)[0], "1 files 6")
        self.assertEqual(self.run_reads('opt.dir .. "/sub"', "--dir", secret)[0], "1 files 6")
        self.run_reads('opt.dir .. "/.."', "--dir", secret, code=3, says="outside")
        # Relative to where the user is, as every path of a command line.
        self.assertEqual(self.run_reads("opt.dir", "--dir", "secret")[0], "1 files 6")
        self.assertEqual(self.run_reads("opt.dir", "--dir", "sub", cwd=secret)[0], "1 files 6")
        # An option that is no folder gives no right to read.
        path = self.write("s/main.lua", (READS % "opt.dir").replace('"dir", type = "dir"', '"dir", type = "string"'))
        self.expect_message(3, path, "--dir", secret, says="outside")

    def test_bundled_scenario(self):
        self.write("repo/a.txt", "aaa")
        report = json.loads(self.expect(0, "repo_scan", "--repo", "repo", "--json").out)
        self.assertEqual((report["workspace"]["files"], report["scenario"]["options"]["repo"]), (1, "repo"))
        self.expect_message(4, "repo_scan", "--repo", "missing", says="missing")

    def test_odd_folders(self):
        self.write("d/plain", "12345")
        self.write("d/empty", "")
        self.write("d/binary", bytes(range(256)))
        self.write("d/large", b"x" * ((1 << 20) + 1))
        self.write("d/just", b"x" * (1 << 20))
        self.write("d/with\nline feed \x1b[2J", "odd")
        with open(self.path("d").encode() + b"/\xff\xfe.txt", "wb") as file:
            file.write(b"name")
        os.makedirs(self.path("d/hollow/inner"))
        os.symlink("plain", self.path("d/link"))
        os.symlink("/etc", self.path("d/etc"))
        os.symlink(".", self.path("d/loop"))
        os.symlink("nowhere", self.path("d/dangling"))
        os.mkfifo(self.path("d/pipe"))
        listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(listening.close)
        here = os.getcwd()
        os.chdir(self.path("d"))
        listening.bind("socket")
        os.chdir(here)
        _, workspace, said = self.run_reads("opt.dir", "--dir", "d")
        self.assertEqual(workspace, {"files": 6, "bytes": 5 + 256 + (1 << 20) + 3 + 4,
                                     "skipped": {"link": 4, "special": 2, "too_large": 1, "unreadable": 0}})
        for text in ["4 links", "2 special files", "1 file"]:
            self.assertIn(text, said)
        self.assertEqual(self.run_reads("opt.dir", "--dir", "d", "--quiet")[2], "")

    def test_unreadable(self):
        if os.geteuid() == 0 and not self.can_drop():
            self.skipTest("root reads everything, and no other user can run the program")
        self.write("d/open", "1")
        self.write("d/closed", "2")
        self.write("d/folder/inside", "3")
        os.chmod(self.path("d/closed"), 0)
        os.chmod(self.path("d/folder"), 0)
        self.addCleanup(os.chmod, self.path("d/folder"), 0o755)
        options = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        os.chmod(self.folder, 0o755)
        _, workspace, said = self.run_reads("opt.dir", "--dir", "d", **options)
        self.assertEqual((workspace["files"], workspace["skipped"]["unreadable"]), (1, 2))
        self.assertIn("2 unreadable", said)

    def can_drop(self):
        os.chmod(self.folder, 0o755)
        try:
            return subprocess.run([binary(), "--version"], user=65534, group=65534, extra_groups=[],
                                  capture_output=True).returncode == 0
        except OSError:
            return False

    def test_many_files(self):
        for i in range(3000):
            self.write("d/%02d/f%04d" % (i % 60, i), "content %d" % i)
        started = time.monotonic()
        task, workspace, _ = self.run_reads("opt.dir", "--dir", "d")
        self.assertEqual(workspace["files"], 3000)
        self.assertTrue(task.startswith("3000 files "))
        self.assertLess(time.monotonic() - started, 60 if is_sanitized(binary()) else 20)

    def test_exclude(self):
        self.write("d/.git/config", "x")
        self.write("d/a", "aa")
        self.assertEqual(self.run_reads("opt.dir", "--dir", "d", "--skip", ".git/**")[0], "1 files 2")

    def test_proc_never_blocks(self):
        started = time.monotonic()
        result = self.run_program(self.write("s/main.lua", READS % "opt.dir"), "--dir", "/proc/self/fdinfo", "--max-seconds", "5")
        self.assertIn(result.code, (0, 3, 4), result.message)
        self.assertLess(time.monotonic() - started, 20)


class Changes(ProgramTest):
    """A file that is no longer what it was when it was listed."""

    # A print tells the test that the listing is done, and a long loop gives it the time to act before the first read.
    WAITS = """local sim = require "simagent"
local repo = sim.workspace.dir("d")
local paths = repo:paths()
print("listed")
for i = 1, %d do end
return sim.scenario { workspace = repo, variants = { { name = "a", tools = { "read_file" }, max_turns = #paths + 1,
  model = sim.models.scan(paths, "done") } } }
"""

    def run_while(self, change):
        self.write("d/a", "first")
        self.write("d/b", "second")
        steps = 6000000 if is_sanitized(binary()) else 60000000
        path = self.write("main.lua", self.WAITS % steps)
        process = subprocess.Popen([binary(), path, "--json", "-o", "out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.folder)
        self.assertEqual(process.stderr.readline(), b"listed\n")
        change()
        out, err = process.communicate(timeout=60)
        self.assertEqual(out, b"")
        return process.returncode, err.decode()

    def check(self, change, says):
        code, err = self.run_while(change)
        self.assertEqual(code, 4, err)
        for text in says:
            self.assertIn(text, err)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_grown(self):
        code, err = self.run_while(lambda: self.write("d/b", "second and more"))
        self.assertEqual((code, err), (0, ""))
        with open(self.path("out"), "rb") as file:
            grown = file.read()
        self.assertIn(b'"label":"second"', grown)  # What was appended since it was listed is left out.

    def test_shorter(self):
        self.check(lambda: self.write("d/b", ""), ["d: b changed while it was being read (6 bytes when listed, 0 now)"])

    def test_gone(self):
        self.check(lambda: os.unlink(self.path("d/b")), ["b", "No such file"])

    def test_replaced_by_a_link(self):
        def change():
            os.unlink(self.path("d/b"))
            os.symlink("/etc/passwd", self.path("d/b"))
        self.check(change, ["b", "link"])

    def test_replaced_by_a_pipe(self):
        def change():
            os.unlink(self.path("d/b"))
            os.mkfifo(self.path("d/b"))
        self.check(change, ["b", "pipe"])

    def test_folder_replaced(self):
        def change():
            shutil.rmtree(self.path("d"))
            os.symlink("/etc", self.path("d"))
        self.check(change, ["No such file"])


if __name__ == "__main__":
    main()
