#!/usr/bin/env python3
"""run.py PROGRAM [--update]: the same scenario gives the same bytes, whatever the machine and the moment.

Every scenario runs once in each cell below; report (text and JSON) and trace must have one hash over all cells.  For
the scenarios beside this file the hashes of report and trace must also be those in hashes.json, made on another machine
or another day (those of scenarios/ have goldens, which say the same).  `--update` writes it anew when a report has
gained keys: then the trace's hash, which a new key does not touch, should stay.

Failing scenarios run ten times: stderr, exit code and everything else must be the same bytes.
"""
import concurrent.futures
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import program as support  # noqa: E402

HASHES = os.path.join(HERE, "hashes.json")
FAILING_RUNS = 10
# Without these, the C library takes the code paths of an old processor.
OLD_PROCESSOR = "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-FMA,-FMA4,-SSE4_2,-SSE4_1,-ERMS,-AVX_Fast_Unaligned_Load"

FAILING = {
    "keys": ('local sim = require "simagent"\nreturn sim.scenario { zzz = 1, aaa = 2, mmm = 3, [{}] = 4, [5] = 6, taks = 7, '
             'variants = { { nmae = 1, modle = 2, toosl = 3 } } }', []),
    "steps": ("local t = {}\nfor i = 1, 1e9 do\n  t[i % 100] = {}\n  t[tostring(i % 50)] = i\nend", ["--max-steps", "300000"]),
    "coroutine": ("local co = coroutine.wrap(function() while true do\ncoroutine.yield({}) end end)\nwhile true do co() end",
                  ["--max-steps", "200000"]),
    "value": ("error({ 1, 2, x = print })", []),
    "pairs": ("for key in pairs({ [{}] = 1, [{}] = 2 }) do error(tostring(key)) end", []),
    "index": ("local t = setmetatable({}, { __index = function(t, k) error(tostring(t) .. k) end })\nreturn t.x", []),
    "options": ('require "simagent".options { { "aa", default = 1 }, { "ab", default = 1 } }', ["--ac", "1", "--ad", "2"]),
}


class Cell:
    """One way to start the program.  Unnamed parts are as they are where the test runs."""

    def __init__(self, name, env=None, before=(), cwd=None, umask=None, nice=0, stdin="null", stdout="pipe"):
        self.name, self.env, self.before, self.cwd = name, env or {}, list(before), cwd
        self.umask, self.nice, self.stdin, self.stdout = umask, nice, stdin, stdout

    def prepare(self):
        if self.umask is not None:
            os.umask(self.umask)
        if self.nice:
            os.nice(self.nice)
        if self.stdin == "closed":
            os.close(0)

    def run(self, command, folder):
        """Exit code, stdout, stderr."""
        env = support.plain_environment(**self.env)
        out_path = os.path.join(folder, "stdout")
        options = {"env": env, "cwd": self.cwd or folder, "stderr": subprocess.PIPE, "preexec_fn": self.prepare,
                   "stdin": subprocess.PIPE if self.stdin == "pipe" else subprocess.DEVNULL}
        if self.stdout == "file":
            with open(out_path, "wb") as out:
                run = subprocess.run(self.before + command, stdout=out, **options)
            with open(out_path, "rb") as out:
                return run.returncode, out.read(), run.stderr
        run = subprocess.run(self.before + command, stdout=subprocess.PIPE, **options)
        return run.returncode, run.stdout, run.stderr


def can(command):
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except OSError:
        return False


def cells():
    yield Cell("as it is")
    yield Cell("once more")
    yield Cell("C", {"LC_ALL": "C", "LANG": "C"})
    yield Cell("German", {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE"})
    yield Cell("Turkish, UTF-8", {"LANG": "tr_TR.UTF-8", "LC_ALL": None, "LC_CTYPE": "tr_TR.UTF-8"})
    yield Cell("no such locale", {"LC_ALL": "xx_YY.nonsense"})
    yield Cell("Kiritimati", {"TZ": "Pacific/Kiritimati"})
    yield Cell("a broken zone", {"TZ": ":/nowhere"})
    yield Cell("another home", {"HOME": "/nonexistent", "USER": "someone", "LOGNAME": "someone", "HOSTNAME": "elsewhere"})
    yield Cell("other folder", cwd="/")
    yield Cell("umask 077", umask=0o077)
    yield Cell("nice 15", nice=15)
    yield Cell("nearly no environment", {name: None for name in os.environ if name != "PATH"})
    yield Cell("64 KiB of environment", {"PADDING_%02d" % i: "x" * 1024 for i in range(64)})
    yield Cell("an odd environment", {"PADDING": "x" * 17})
    yield Cell("old processor", {"GLIBC_TUNABLES": OLD_PROCESSOR})
    yield Cell("other malloc", {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "MALLOC_PERTURB_": "165"})
    yield Cell("stdin closed", stdin="closed")
    yield Cell("stdin a pipe", stdin="pipe")
    yield Cell("stdout a file", stdout="file")
    yield Cell("colours wanted", {"TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": "200", "LINES": "9"})
    if can(["setarch", "-R", "true"]):
        yield Cell("addresses not random", before=["setarch", "-R"])
        yield Cell("not random, other environment", {"PADDING": "x" * 4099}, before=["setarch", "-R"])


def digest(data):
    return hashlib.sha256(data).hexdigest()


def run_in_cell(command_of, cell):
    """The hashes of what one scenario gives in one cell."""
    folder = tempfile.mkdtemp(prefix="simagent-test-")
    try:
        trace = os.path.join(folder, "trace")
        code, report, said = cell.run(command_of(["--json", "--trace", trace]), folder)
        text_code, text, _ = cell.run(command_of([]), folder)
        if code not in (0, 1):
            return {"failed": "exit code %d: %s" % (code, said.decode("utf-8", "replace")[:300])}
        with open(trace, "rb") as file:
            return {"exit": "%d %d" % (code, text_code), "json": digest(report), "text": digest(cut_reproduce(text)),
                    "trace": digest(file.read())}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def cut_reproduce(text):
    """The last section of the text report shows the scenario's path as it was given."""
    return text[:text.rindex(b"\nReproduce\n")]


def check_scenario(program, path, all_cells, wanted, problems):
    name = os.path.basename(path)
    by_absolute_path = lambda arguments: [program, path, "--seed", "7", *arguments]  # noqa: E731
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda cell: run_in_cell(by_absolute_path, cell), all_cells))
    first = results[0]
    for cell, result in zip(all_cells, results):
        if result != first:
            problems.append("%s: '%s' differs: %s" % (name, cell.name, difference(first, result)))
    kept = {key: value for key, value in first.items() if key != "text"}
    if wanted is not None and path.startswith(HERE) and wanted.get(name) != kept:
        problems.append("%s: not what hashes.json says: %s" % (name, difference(wanted.get(name, {}), kept)))
    return kept


def difference(want, got):
    return ", ".join("%s %.60s, not %.60s" % (key, got.get(key), want.get(key))
                     for key in sorted(set(want) | set(got)) if want.get(key) != got.get(key))


def check_failing(program, all_cells, problems):
    """The cells are taken by turns, so that ten runs are ten different ones."""
    folder = tempfile.mkdtemp(prefix="simagent-test-")
    try:
        for name, (text, arguments) in FAILING.items():
            path = os.path.join(folder, name + ".lua")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            outcomes = {all_cells[i * 2 % len(all_cells)].run([program, path, *arguments], folder)
                        for i in range(FAILING_RUNS)}
            if len(outcomes) != 1:
                problems.append("%s fails in %d ways: %r" % (name, len(outcomes), sorted(outcomes)[:2]))
            code, out, said = outcomes.pop()
            if code not in (2, 3) or out or not said:
                problems.append("%s: exit code %d, %d bytes on stdout: %r" % (name, code, len(out), said[:200]))
            if b"0x" in said:
                problems.append("%s: an address in %r" % (name, said))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    update = "--update" in sys.argv
    wanted = None
    if not update:
        with open(HASHES, encoding="utf-8") as file:
            wanted = json.load(file)
    paths = sorted(glob.glob(os.path.join(ROOT, "scenarios", "*.lua"))) + sorted(glob.glob(os.path.join(HERE, "scenarios", "*.lua")))
    all_cells = list(cells())
    if support.is_sanitized(program):
        # Each start takes long there, and an address space that is not random does not suit the shadow memory.
        all_cells = [cell for cell in all_cells if not cell.before][::4]
    problems = []
    hashes = {os.path.basename(path): check_scenario(program, path, all_cells, wanted, problems) for path in paths}
    check_failing(program, all_cells, problems)
    hashes = {name: kept for name, kept in hashes.items() if os.path.exists(os.path.join(HERE, "scenarios", name))}
    if wanted is not None:
        problems += ["hashes.json has %s, which is no scenario" % name for name in sorted(set(wanted) - set(hashes))]
    if update and not problems:
        with open(HASHES, "w", encoding="utf-8") as file:
            json.dump(hashes, file, indent=1, sort_keys=True)
            file.write("\n")
    print("\n".join(problems + ["%d scenarios in %d cells, %d problems" % (len(paths), len(all_cells), len(problems))]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
