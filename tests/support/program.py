"""What the tests that run the built program share: starting it, scratch folders, and what may stand on a terminal.

Only the standard library.  The program's path comes from the environment (SIMAGENT) or as the first argument of the
test script; nothing here knows where the build tree is.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENARIOS = os.path.join(ROOT, "scenarios")

# Beside TAB and LF: C0, DEL, C1, and what turns the writing direction around.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SANITIZER = re.compile(rb"Sanitizer|runtime error:|stack smashing|double free|CHECK failed")


def binary():
    path = os.environ.get("SIMAGENT")
    if not path:
        sys.exit("set SIMAGENT to the path of the program")
    return os.path.abspath(path)


def is_sanitized(path):
    """A build with AddressSanitizer is slower and far larger, so a few limits do not apply to it."""
    with open(path, "rb") as file:
        return b"__asan_init" in file.read()


def unsafe(data):
    """Why these bytes must not reach a terminal, or None."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "invalid UTF-8"
    found = _UNSAFE.search(text)
    return "U+%04X" % ord(found.group()) if found else None


def plain_environment(**changes):
    """The environment of a test: the caller's without what changes the program's mind; None removes a variable."""
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "SIMAGENT_PATH", "SIMAGENT", "TMPDIR")}
    for key, value in changes.items():
        if value is None:
            environment.pop(key, None)
        else:
            environment[key] = value
    return environment


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def message(self):
        return self.err.decode("utf-8", "replace")


class ProgramTest(unittest.TestCase):
    """A test case with a scratch folder; every result is checked for what no run may ever do."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="simagent-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_program(self, *arguments, env=None, cwd=None, stdout=subprocess.PIPE, timeout=60, **popen):
        run = subprocess.run([binary(), *arguments], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                             env=env or plain_environment(), cwd=cwd or self.folder, timeout=timeout, **popen)
        result = Result(run.returncode, run.stdout or b"", run.stderr)
        self.check_always(result)
        return result

    def check_always(self, result):
        self.assertGreaterEqual(result.code, 0, "ended by signal %d: %s" % (-result.code, result.message))
        self.assertIsNone(_SANITIZER.search(result.err), result.message)
        self.assertIsNone(unsafe(result.out), "unsafe stdout: %r" % result.out[:2000])
        self.assertIsNone(unsafe(result.err), "unsafe stderr: %r" % result.err[:2000])
        if result.code not in (0, 1, 141):
            self.assertEqual(result.out, b"", "a failed run wrote to stdout")

    def expect(self, code, *arguments, says=(), **options):
        """Runs the program; its exit code must be `code`, and stderr must hold every text of `says`."""
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.code, code, "exit code %d of %r: %s" % (result.code, arguments, result.message))
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, result.message)
        return result

    def expect_message(self, code, *arguments, says=(), **options):
        """The same for a failure: it must say something on stderr."""
        result = self.expect(code, *arguments, says=says, **options)
        self.assertTrue(result.err.strip(), "a silent failure")
        self.assertTrue(result.message.startswith("simagent: ") or "\nsimagent: " in result.message, result.message)
        return result


# The smallest scenario: one variant whose only turn says "Hi.".
SMALL = """local sim = require "simagent"
return sim.scenario { name = "small", task = "Greet.", variants = { { name = "a", model = { { text = "Hi.", stop = true } } } } }
"""


def main():
    """As unittest.main, with the program's path as an optional first argument."""
    if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]) and not sys.argv[1].endswith(".py"):
        os.environ["SIMAGENT"] = sys.argv.pop(1)
    binary()
    unittest.main(verbosity=1)
