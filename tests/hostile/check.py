#!/usr/bin/env python3
"""check.py PROGRAM [NAME ...]: runs hostile scenarios and holds each to the contract in its first line.

    -- MUST VERDICT time<=Ns rss<=NMiB out<=NMiB : what it tries

    error   ends by itself with an exit code from 1 to 123 and says something on stderr
    any     ends by itself with an exit code from 0 to 123
    probe   as error; stderr has PROBE-PASSED and not PROBE-LEAK
    stable  as error; stderr has STABLE: and is the same, byte for byte, in ten runs

For all of them: within the time, the memory and the output that the contract names; no death by signal and no report
of a sanitizer; nothing on stdout or stderr that a terminal must not see; at most 64 KiB on stderr; and no file
/tmp/simagent_pwned*, which some of them try to leave.

A build with AddressSanitizer keeps freed memory back and shadows the rest, and so takes a multiple of the memory; its
memory is not judged, and it gets more time.  What it is run for is that no hostile script makes it report anything,
except a crash inside a shared Lua library, which is that library's fault and which the child process is there for.
"""
import concurrent.futures
import glob
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
import program as support  # noqa: E402

CONTRACT = re.compile(rb"(?:--|#) MUST (\w+) time<=(\d+)s rss<=(\d+)MiB out<=(\d+)MiB :")
MAX_SECONDS = "2"
SLACK = 0.5
SLACK_SANITIZED = 6.0
STABLE_RUNS = 10
STDERR_MAX = 64 << 10
CANARIES = "/tmp/simagent_pwned*"
REPORT = re.compile(rb"Sanitizer|runtime error:|PANIC|core dumped|stack smashing|double free|corrupt")


class Run:
    def __init__(self, program, path, seconds, output_max):
        """Runs one scenario, in a session of its own so that a hanging one can be killed whole."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            started = time.monotonic()
            process = subprocess.Popen([program, "run", "--max-seconds", MAX_SECONDS, path], stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, start_new_session=True)
            self.exceeded = None
            ended = 0
            while not ended:
                ended, self.status, usage = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    break
                if time.monotonic() - started > seconds:
                    self.exceeded = "time"
                elif os.fstat(out.fileno()).st_size > output_max:
                    self.exceeded = "output"
                if self.exceeded:
                    os.killpg(process.pid, signal.SIGKILL)
                    ended, self.status, usage = os.wait4(process.pid, 0)
                time.sleep(0.005)
            process.returncode = 0  # It was waited for here.
            self.seconds = time.monotonic() - started
            self.rss_mib = usage.ru_maxrss / 1024
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read(output_max + 1), err.read()


def faults_of_exit(run, verdict):
    if run.exceeded:
        yield "exceeded its %s" % run.exceeded
    elif os.WIFSIGNALED(run.status):
        yield "died by signal %d" % os.WTERMSIG(run.status)
    else:
        code = os.WEXITSTATUS(run.status)
        if code > 123 or (code == 0 and verdict != "any"):
            yield "exit code %d" % code
        if code != 0 and not run.err.strip():
            yield "a silent failure"


def is_of_lua_library(report):
    """True if the sanitizer found the innermost frame in liblua, the system's virtual machine."""
    frame = re.search(rb"^ *#0 .*$", report, re.MULTILINE)
    return frame is not None and b"liblua" in frame.group()


def faults_of_output(run, verdict, sanitized):
    if REPORT.search(run.err) and not (sanitized and is_of_lua_library(run.err)):
        yield "a report of a crash: %r" % run.err[:200]
    if len(run.err) > STDERR_MAX:
        yield "%d bytes on stderr" % len(run.err)
    for name, data in (("stdout", run.out), ("stderr", run.err)):
        found = support.unsafe(data)
        if found and not run.exceeded:
            yield "%s has %s" % (name, found)
    if verdict == "probe" and (b"PROBE-LEAK" in run.err or b"PROBE-PASSED" not in run.err):
        yield "leak: %r" % run.err.strip()[-100:]
    if verdict == "stable" and b"STABLE:" not in run.err:
        yield "no STABLE line"


def check(program, sanitized, path):
    """The faults of one scenario, and the time of its slowest run."""
    with open(path, "rb") as file:
        contract = CONTRACT.match(file.readline())
    if not contract:
        return ["its first line is no contract"], 0.0
    verdict = contract.group(1).decode()
    seconds, rss_mib, out_mib = (int(contract.group(i)) for i in (2, 3, 4))
    faults, slowest, first = [], 0.0, None
    for _ in range(STABLE_RUNS if verdict == "stable" else 1):
        run = Run(program, path, seconds + (SLACK_SANITIZED if sanitized else SLACK), out_mib << 20)
        slowest = max(slowest, run.seconds)
        faults += faults_of_exit(run, verdict)
        faults += faults_of_output(run, verdict, sanitized)
        if run.rss_mib > rss_mib and not sanitized:
            faults.append("%d MiB of memory" % run.rss_mib)
        if first is not None and run.err != first:
            faults.append("stderr differs between runs")
        first = run.err
        if faults:
            break
    return faults, slowest


def clear_canaries():
    found = glob.glob(CANARIES)
    for path in found:
        os.unlink(path)
    return found


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    paths = [p for p in sorted(glob.glob(os.path.join(HERE, "*.lua")))
             if not names or any(os.path.basename(p).startswith(n) for n in names)]
    sanitized = support.is_sanitized(program)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    clear_canaries()
    failed, worst = 0, (0.0, "none")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, (faults, seconds) in zip(paths, pool.map(lambda p: check(program, sanitized, p), paths)):
            name = os.path.basename(path)
            worst = max(worst, (seconds, name))
            if faults:
                failed += 1
                print("%s: %s" % (name, "; ".join(dict.fromkeys(faults))))
    left = clear_canaries()
    if left:
        failed += 1
        print("left behind: %s" % " ".join(left))
    print("%d scenarios, %d failed; the slowest took %.2f s (%s)%s" %
          (len(paths), failed, *worst, "; memory not judged in a sanitized build" if sanitized else ""))
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
