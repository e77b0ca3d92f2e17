#!/usr/bin/env python3
"""readme.py BINARY: runs the README's console blocks in an empty folder and compares what they print.

A line that begins with `$ ` is a command; the lines up to the next one are its output, compared exactly. A block after
`<!-- file NAME -->` is written to that file first. `simagent` is BINARY.
"""
import os, re, subprocess, sys, tempfile

binary = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
text = open(os.path.join(root, "README.md"), encoding="utf-8").read()
block = re.compile(r"(?:<!-- file (\S+) -->\n)?```(\w*)\n(.*?)```", re.S)
ran = failed = 0

with tempfile.TemporaryDirectory() as folder:
    os.makedirs(os.path.join(folder, "bin"))
    os.symlink(binary, os.path.join(folder, "bin", "simagent"))
    work = os.path.join(folder, "work")
    os.makedirs(work)
    env = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
    env.pop("CI", None)  # With it `simagent test` writes nothing.
    for name, language, body in block.findall(text):
        if name:
            with open(os.path.join(work, name), "w", encoding="utf-8") as out:
                out.write(body)
        if language != "console":
            continue
        for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
            run = subprocess.run(["bash", "-c", command], cwd=work, env=env, capture_output=True, text=True)
            ran += 1
            if run.stdout != wanted:
                failed += 1
                print("README: %s\n--- wanted\n%s--- got\n%s%s" % (command, wanted, run.stdout, run.stderr))
print("readme blocks: %d passed, %d failed" % (ran - failed, failed))
sys.exit(1 if failed or ran == 0 else 0)
