#!/usr/bin/env python3
"""inject.py PROGRAM: fails one system call of a small run at a time, and looks at what became of the run.

strace makes the n-th call of a name fail with a given error, in the program and in its child alike.  Whatever fails:

    exit code 0    both files are complete and right, and nothing else is there
    any other      something is said, stdout is empty, and each file is the old one or the whole new one
    EINTR          is never seen: the run is as if nothing had happened

Calls made before main began belong to the dynamic loader and are left alone.  Without a strace that may trace (none is
installed, or a container forbids it) the test is skipped: exit code 77.
"""
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
import program as support  # noqa: E402

SKIPPED = 77
MAIN_BEGINS = "rt_sigaction(SIGPIPE"  # Its first call of all that the loader does not make.
OLD = b"the old file\n"
SCENARIO = """local sim = require "simagent"
local repo = sim.workspace.dir("files")
local m = require "part"
print("running")
return sim.scenario { task = m, workspace = repo, variants = { { name = "a", tools = { "read_file" },
  max_turns = 9, model = sim.models.scan(repo:paths(), "done") } } }
"""

# What each call is made to fail with.  The first of a list is tried at every call of that name, the others at some.
FAULTS = {
    "write": ["ENOSPC", "EINTR", "EIO"],
    "pwrite64": ["ENOSPC"],
    "read": ["EIO", "EINTR"],
    "pread64": ["EIO", "EINTR"],
    "openat": ["EMFILE", "EIO"],
    "openat2": ["EMFILE", "EIO"],
    "close": ["EIO", "EINTR"],
    "fsync": ["EIO", "EINTR", "ENOSPC"],
    "rename": ["EIO", "ENOSPC"],
    "unlink": ["EIO"],
    "fcntl": ["EMFILE"],
    "dup2": ["EMFILE"],
    "pipe2": ["EMFILE"],
    "socketpair": ["EMFILE"],
    "clone": ["EAGAIN"],
    "clone3": ["EAGAIN"],
    "poll": ["EINTR", "ENOMEM"],
    "ppoll": ["EINTR"],
    "wait4": ["EINTR"],
    "sendto": ["EINTR", "EIO"],
    "getdents64": ["EIO"],
    "fstat": ["EIO"],
    "newfstatat": ["EIO"],
    "getrandom": ["EINTR", "ENOSYS"],
    "pidfd_open": ["ENOSYS"],
    "close_range": ["ENOSYS"],
    "prctl": ["EPERM"],
    "seccomp": ["EPERM"],
    "landlock_create_ruleset": ["ENOSYS"],
    "landlock_restrict_self": ["EPERM"],
    "prlimit64": ["EPERM"],
}
# A close that is made to fail is not carried out, so the descriptor stays; and a poll that cannot get memory is tried
# again until it can, which here is at once.
MAY_SUCCEED_WHEN_INTERRUPTED = {"write", "read", "pread64", "fsync", "poll", "ppoll", "wait4", "sendto", "close"}
# A temporary file whose removal fails stays; nothing can be done about it.
LEAVES_A_FILE = {"unlink"}
INJECTIONS_MAX = 160


class Sandbox:
    """A fresh folder with a scenario, what it reads, and two old files to be replaced."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="simagent-test-")
        os.makedirs(os.path.join(self.folder, "files/sub"))
        for name, text in [("s.lua", SCENARIO), ("part.lua", 'return "A task."\n'), ("files/a", "first\n"),
                           ("files/sub/b", "second\n"), ("out", OLD.decode()), ("trace", OLD.decode())]:
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        self.names = sorted(os.listdir(self.folder))

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def run(self, program, strace, named=True):
        command = strace + [program, "s.lua", "--json"] + (["-o", "out", "--trace", "trace"] if named else [])
        return subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                              env=support.plain_environment(TMPDIR=self.folder))

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def count_calls(program, named):
    """How often each process makes each call: (calls of the loader, the most that one process makes) by name."""
    sandbox = Sandbox()
    log = sandbox.folder + ".log"
    try:
        run = sandbox.run(program, ["strace", "-f", "-qq", "-o", log], named)
        if run.returncode != 0:
            return None
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
    except OSError:
        return None
    finally:
        sandbox.close()
        if os.path.exists(log):
            os.unlink(log)
    before, counts, begun = collections.Counter(), collections.defaultdict(collections.Counter), False
    for line in lines:
        found = re.match(r"(\d+) +(\w+)\(", line)
        if not found:
            continue
        begun = begun or MAIN_BEGINS in line
        counts[found.group(1)][found.group(2)] += 1
        if not begun:
            before[found.group(2)] += 1
    return {name: (before[name], max(c[name] for c in counts.values())) for name in FAULTS
            if any(c[name] for c in counts.values())}


def injections(calls, only=None):
    for name, (loader, most) in sorted(calls.items()):
        for n in range(loader + 1, most + 1):
            for rank, error in enumerate(FAULTS[name]):
                if only is None or name in only:
                    yield rank, name, n, error


def strace_command(name, n, error):
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + name,
            "-e", "inject=%s:error=%s:when=%d" % (name, error, n)]


def judge(run, sandbox, whole, name, n, error, named):
    """What is wrong with a finished run, or None."""
    said = run.stderr.decode("utf-8", "replace")
    if run.returncode < 0 or run.returncode > 70:
        return "exit code %d: %s" % (run.returncode, said[:200])
    if error == "EINTR" and name in MAY_SUCCEED_WHEN_INTERRUPTED and run.returncode != 0:
        return "an interrupted call was taken for a failure: %s" % said[:200]
    # The first write of a run that is failing already may be that of the message itself.
    is_message = name == "write" and n == 1
    if run.returncode != 0 and "simagent: " not in said and not is_message:
        return "exit code %d without a message: %r" % (run.returncode, said[:200])
    names = sorted(os.listdir(sandbox.folder))
    if names != sandbox.names and name not in LEAVES_A_FILE:
        return "files left behind: %s" % " ".join(set(names) - set(sandbox.names))
    got = {"out": sandbox.read("out"), "trace": sandbox.read("trace"), "stdout": run.stdout}
    if run.returncode == 0:
        wrong = [key for key in got if got[key] != whole[key]]
        return "exit code 0, but %s is not right" % wrong if wrong else None
    for key in ("out", "trace"):
        if got[key] not in (OLD, whole[key]):
            return "%s is neither the old file nor the new one" % key
    if named and got["stdout"]:
        return "a failed run wrote to stdout"
    return None if whole["stdout"].startswith(got["stdout"]) else "stdout is not the beginning of the result"


def inject(program, whole, named, name, n, error):
    sandbox = Sandbox()
    try:
        run = sandbox.run(program, strace_command(name, n, error), named)
        problem = judge(run, sandbox, whole, name, n, error, named)
    except subprocess.TimeoutExpired:
        problem = "did not end"
    finally:
        sandbox.close()
    return problem and "%s number %d, %s%s: %s" % (name, n, error, "" if named else ", to stdout", problem)


def run_whole(program, named):
    """What an undisturbed run gives."""
    sandbox = Sandbox()
    run = sandbox.run(program, [], named)
    whole = {"out": sandbox.read("out"), "trace": sandbox.read("trace"), "stdout": run.stdout}
    sandbox.close()
    if run.returncode != 0:
        sys.exit("the undisturbed run fails: %s" % run.stderr.decode("utf-8", "replace"))
    return whole


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    jobs = []
    for named, only in ((True, None), (False, {"write", "pread64", "close"})):
        whole = run_whole(program, named)
        calls = count_calls(program, named)
        if not calls or "write" not in calls:
            print("skipped: strace cannot trace here")
            return SKIPPED
        # First the first error of every call, then the rest as far as there is room.
        chosen = sorted(injections(calls, only), key=lambda j: j[0])
        jobs += [(program, whole, named, *job[1:]) for job in chosen[:INJECTIONS_MAX if named else INJECTIONS_MAX // 5]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [problem for problem in pool.map(lambda job: inject(*job), jobs) if problem]
    print("\n".join(problems + ["%d injections, %d problems" % (len(jobs), len(problems))]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
