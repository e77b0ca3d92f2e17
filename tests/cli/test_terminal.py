#!/usr/bin/env python3
"""What reaches a terminal: colour only there and only if wanted, lines that fit, and never a byte that acts on it."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import ProgramTest, binary, main, plain_environment, unsafe  # noqa: E402

COLOUR = re.compile(rb"\x1b\[[0-9;]*m")

# Sequences that set a title, write the clipboard, clear, move, overwrite; C1; text running right to left.
EVIL = r"\27]0;title\7 \27]52;c;ZXZpbA==\7 \27[2J\27[1;1H \r overwritten \8\8 \u{9b}31m \u{85} \u{202e}txt.exe\u{2066} \127 \0 \xff\xfe \u{2028} \27]8;;http://x\27\\"
HOSTILE = r"""
local sim = require "simagent"
local E = "%s"
print(E, { })
local t = sim.tool { name = "t" .. E, description = E, run = function(arguments)
  if arguments.fail then return sim.failure(E) end
  return E .. "\n" .. ("x"):rep(3000) end }
local function child() return { tools = { t }, model = { { text = E, tool_calls = { sim.call("t" .. E, { [E] = E }) } },
                                                         { text = E, stop = true } } } end
return sim.scenario {
  name = E, description = E, task = E, workspace = { ["path" .. E] = E },
  variants = {
    { name = "a", tools = { t, "read_file" }, model = {
      { text = E, tool_calls = { sim.call("t" .. E, {}), sim.call("t" .. E, { fail = true }), sim.call(E, {}) } },
      { text = E, tool_calls = { sim.call("read_file", { path = "path" .. E }), sim.call("read_file", { path = E }) } },
      { text = E, stop = true } } },
    { name = "b é", subagents = { ["s" .. E] = child }, model = {
      { tool_calls = { sim.call("task", { subagent = "s" .. E, prompt = E }), sim.call("task", { subagent = E, prompt = E }) } },
      { text = "on" } } },
  },
}
""" % EVIL


def width(line):
    """Columns of a terminal; enough for what reports hold."""
    wide = sum(1 for c in line if unicodedata.east_asian_width(c) in "WF")
    return len(line) + wide - sum(1 for c in line if unicodedata.combining(c))


class Terminal(ProgramTest):
    def run_on_terminal(self, columns, *arguments, env=None):
        """What the program writes on a terminal of so many columns (stderr stays a pipe)."""
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        settings = termios.tcgetattr(terminal)
        settings[1] &= ~termios.OPOST  # Line feeds arrive as they were written.
        termios.tcsetattr(terminal, termios.TCSANOW, settings)
        process = subprocess.Popen([binary(), *arguments], stdin=subprocess.DEVNULL, stdout=terminal,
                                   stderr=subprocess.PIPE, env=env or plain_environment(TERM="xterm"), cwd=self.folder)
        os.close(terminal)
        out = b""
        while True:
            try:
                piece = os.read(controller, 65536)
            except OSError:  # EIO: the last writer is gone.
                break
            if not piece:
                break
            out += piece
        os.close(controller)
        process.communicate(timeout=30)
        return out

    def test_colour_and_width(self):
        for columns in (80, 200):
            out = self.run_on_terminal(columns, "repo_scan")
            self.assertRegex(out, COLOUR)
            plain = COLOUR.sub(b"", out)
            self.assertIsNone(unsafe(plain))
            lines = plain.decode().split("\n")
            self.assertLessEqual(max(map(width, lines)), columns)
            self.assertEqual(out.count(b"\x1b[0m") + out.count(b"\x1b[m") > 0, True)
        self.assertEqual(COLOUR.sub(b"", self.run_on_terminal(80, "repo_scan")), self.expect(0, "repo_scan").out)

    def test_no_colour(self):
        colourless = self.expect(0, "repo_scan").out
        self.assertIsNone(unsafe(colourless))
        for arguments, env in [
            (["--no-color"], plain_environment(TERM="xterm")),
            ([], plain_environment(TERM="xterm", NO_COLOR="1")),
            ([], plain_environment(TERM="dumb")),
            ([], plain_environment(TERM=None)),
        ]:
            self.assertEqual(self.run_on_terminal(80, "repo_scan", *arguments, env=env), colourless)
        self.assertRegex(self.run_on_terminal(80, "repo_scan", env=plain_environment(TERM="xterm", NO_COLOR="")), COLOUR)
        self.assertEqual(self.run_on_terminal(80, "repo_scan", "--json"), self.expect(0, "repo_scan", "--json").out)
        self.run_on_terminal(80, "repo_scan", "-o", "file")
        self.assertEqual(self.read("file"), colourless)

    def test_results_that_were_read_again_say_what_was_asked_for(self):
        path = self.write("reads.lua", """local sim = require "simagent"
local look = sim.tool { name = "look", run = function() return "Nothing.\\n" end }
return sim.scenario { workspace = { ["src/a/deep/folder/that/is/long/main.c"] = "#ifndef MAIN" }, variants = { {
  name = "a", tools = { "read_file", look }, model = {
    { tool_calls = { sim.call("look", { at = 1 }), sim.call("read_file", { path = "src/a/deep/folder/that/is/long/main.c" }) } },
    { tool_calls = { sim.call("look", {}) } }, { text = "on" }, { stop = true } } } } }
""")
        narrow = self.run_on_terminal(80, path, "--no-color").decode()
        self.assertRegex(narrow, r"re-read  asked for\n\* a +\d+  read_file .*src/a/deep.*….*/main\.c\n")
        self.assertIn('{"at":1}', narrow)
        self.assertNotIn("#ifndef", narrow)
        wide = self.run_on_terminal(120, path, "--no-color").decode()
        self.assertRegex(wide, r"re-read  asked for +begins\n\* a .* src/a/deep\S+/main\.c +#ifndef MAIN\n")
        self.assertRegex(wide, r'\{"at":1\} +Nothing\.\n')
        self.assertRegex(wide, r"look .* –  +Nothing\.\n")  # Asked for nothing in particular.
        report = json.loads(self.expect(0, path, "--json").out)
        self.assertEqual(list(report["variants"][0]["candidates"][0]),
                         ["entry", "tool", "label", "size", "appearances", "later_rereads", "waste"])

    def test_a_pipe_does_not_ask_for_the_width(self):
        self.assertEqual(self.expect(0, "repo_scan", env=plain_environment(COLUMNS="200")).out, self.expect(0, "repo_scan").out)

    def test_hostile_texts(self):
        path = self.write("evil.lua", HOSTILE)
        for arguments in [[], ["--json"], ["--log"], ["--help"], ["--trace", "trace"], ["--json", "--log", "--unit", "bytes"]]:
            with self.subTest(arguments):
                result = self.run_program(path, *arguments)  # Checks both streams.
                self.assertIn(result.code, (0, 1), result.message)
                self.assertTrue(result.out)
        trace = self.read("trace")
        self.assertIsNone(unsafe(trace))
        for line in trace.decode().split("\n")[:-1]:
            json.loads(line)
        for columns in (60, 80, 200):
            out = self.run_on_terminal(columns, path)
            self.assertIsNone(unsafe(COLOUR.sub(b"", out)))
            self.assertLessEqual(max(width(line) for line in COLOUR.sub(b"", out).decode().split("\n")), columns)

    def test_hostile_errors(self):
        quoted = '"%s"' % EVIL
        for text in ["error(%s)", "error({ %s })", "error(setmetatable({}, { __tostring = function() return %s end }))",
                     "local x = nil; x[%s] = 1", "require(%s)", 'require "simagent".scenario { [%s] = 1 }',
                     'require "simagent".options { { %s, default = 1 } }', "load(%s)()",
                     'require "simagent".workspace.dir(%s)']:
            with self.subTest(text):
                self.expect_message(3, self.write("bad.lua", text % quoted))
        evil = b"\x1b]0;title\x07\x9b31m\xe2\x80\xae\r"
        for arguments in [[b"--" + evil], [b"repo_scan", b"--" + evil], [evil], [b"./" + evil + b".lua"], [b"-" + evil],
                          [b"repo_scan", b"--seed", evil], [b"repo_scan", b"--limit", evil], [b"repo_scan", b"-o", b"no/" + evil],
                          [b"repo_scan", b"--set", evil], [b"repo_scan", b"--format", evil], [b"repo_scan", b"--repo", evil]]:
            with self.subTest(arguments):
                result = self.run_program(*arguments)
                self.assertIn(result.code, (2, 3, 4), result.message)

    def test_hostile_name_of_the_file(self):
        """The line that says how to reproduce the report holds the file's name, quoted for a shell."""
        name = b"\x1b[2J\r\xe2\x80\xae'\"$x\xff.lua"
        path = os.path.join(self.folder.encode(), name)
        with open(path, "wb") as file:
            file.write(b'local sim = require "simagent"\nreturn sim.scenario { variants = { { name = "a", model = { { text = "x", stop = true } } } } }\n')
        out = self.expect(0, b"./" + name).out
        line = out.split(b"Reproduce\n")[1].split(b"\n")[0]
        again = subprocess.run(["bash", "-c", line.replace(b"simagent", b'"$0"', 1), binary()], cwd=self.folder, capture_output=True)
        self.assertEqual((again.returncode, again.stdout), (0, out), again.stderr)
        self.expect(0, b"./" + name, "--json")
        self.expect(0, b"./" + name, "--help")


if __name__ == "__main__":
    main()
