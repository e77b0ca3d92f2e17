#!/usr/bin/env python3
"""check.py PROGRAM [CASE.lua ...]: runs each case and compares its report with CASE.want.json.

A want file is a part of a report: every key in it must be in the report, with an equal value of the same type.  Lists
must be equally long.  Integers, strings and booleans must be identical; a number with a fraction may differ by 1e-12,
since the values come from a program that adds in another order.
"""
import concurrent.futures
import glob
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHOWN = 5


def differences(want, got, path):
    """Yields a line for each place where `got` is not what `want` asks for."""
    if isinstance(want, dict):
        if not isinstance(got, dict):
            yield "%s: want an object, got %r" % (path, got)
            return
        for key, value in want.items():
            if key in got:
                yield from differences(value, got[key], "%s.%s" % (path, key))
            else:
                yield "%s.%s: is missing" % (path, key)
    elif isinstance(want, list):
        if not isinstance(got, list) or len(want) != len(got):
            yield "%s: want a list of %d, got %r" % (path, len(want), got)
            return
        for index, (expected, item) in enumerate(zip(want, got)):
            yield from differences(expected, item, "%s[%d]" % (path, index))
    elif not is_same(want, got):
        yield "%s: want %r, got %r" % (path, want, got)


def is_same(want, got):
    if isinstance(want, float) or isinstance(got, float):
        numbers = all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in (want, got))
        return numbers and math.isclose(want, got, rel_tol=1e-12, abs_tol=1e-12)
    return type(want) is type(got) and want == got


def check(program, case):
    """The lines to print about one case; none when it passes."""
    with open(case[:-len(".lua")] + ".want.json", encoding="utf-8") as file:
        want = json.load(file)
    run = subprocess.run([program, case, "--json"], stdin=subprocess.DEVNULL, capture_output=True)
    try:
        got = json.loads(run.stdout)
    except ValueError:
        return ["no report (exit code %d): %s" % (run.returncode, run.stderr.decode("utf-8", "replace")[:300])]
    return list(differences(want, got, ""))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    cases = sys.argv[2:] or sorted(glob.glob(os.path.join(HERE, "**", "*.lua"), recursive=True))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, lines in zip(cases, pool.map(lambda case: check(program, case), cases)):
            if lines:
                failed += 1
                print("%s\n  %s" % (os.path.basename(case), "\n  ".join(lines[:SHOWN])))
    print("%d passed, %d failed" % (len(cases) - failed, failed))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
