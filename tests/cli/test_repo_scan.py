#!/usr/bin/env python3
"""The main job on folders made here: the three designs against figures recomputed from the files alone."""
import json
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import SCENARIOS, ProgramTest, main  # noqa: E402

SCENARIO = os.path.join(SCENARIOS, "repo_scan.lua")
TASK = len("Summarise this repository.")
FILES = {"f%03d.txt" % i: "x" * (37 * i % 1009) for i in range(50)}


def scan(prompt, files):
    """Peak and cumulative context of an agent that reads these files one by one: what each turn reads, by hand."""
    context, contexts = prompt, []
    for path in sorted(files):
        contexts.append(context)
        said = len("Reading %s to feed the summary." % path) + len('read_file({"path":"%s"})' % path)
        context += said + len(files[path])
    contexts.append(context)
    return max(contexts), sum(contexts)


class RepoScan(ProgramTest):
    def scan(self, *arguments, says=()):
        result = self.expect(0, SCENARIO, "--repo", self.path("d"), "--json", *arguments, says=says)
        report = json.loads(result.out)
        return report, {v["name"]: v for v in report["variants"]}

    def fill(self, files):
        for path, body in files.items():
            self.write("d/" + path, body)

    def test_one_child_costs_more_and_several_cost_less(self):
        self.fill(FILES)
        report, variants = self.scan()
        self.assertEqual(report["workspace"]["files"], len(FILES))
        peak, cumulative = scan(TASK, FILES)
        alone = variants["monolithic"]["measurement"]
        self.assertEqual((alone["peak"], alone["cumulative"]), (peak, cumulative))
        child = variants["delegated"]["isolated"]
        self.assertEqual((child["peak"], child["cumulative"]), (peak, cumulative))  # The cost moves …
        parent = variants["delegated"]["measurement"]["cumulative"]
        self.assertEqual(parent, 2 * TASK + len("Delegating the scan.") + len("Repo summarised.") + len(
            'task({"prompt":"Summarise this repository.","subagent":"repo_scanner"})'))  # … and this is added.
        names = sorted(FILES)
        shares = [names[:17], names[17:34], names[34:]]
        split = sum(scan(len("Scan your part."), {n: FILES[n] for n in share})[1] for share in shares)
        self.assertEqual(variants["split"]["isolated"]["cumulative"], split)
        self.assertLess(split + variants["split"]["measurement"]["cumulative"], cumulative)

    def test_children_are_never_more_than_files(self):
        self.fill({"a": "1", "b": "2"})
        for children, turns in [(1, 2), (2, 3), (9, 3)]:
            variants = self.scan("--children", str(children))[1]
            self.assertEqual(variants["split"]["measurement"]["turn_count"], turns)

    def test_what_is_left_out(self):
        self.fill({"a": "1", "b/.git/config": "2", ".git/HEAD": "3", "build/x": "4", "big": "5" * (1 << 20) + "!"})
        os.symlink("a", self.path("d/link"))
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(self.path("d/socket"))
        report, _ = self.scan("--exclude", "build/**", says="skipped")
        self.assertEqual(report["workspace"]["files"], 1)
        self.assertEqual(report["workspace"]["skipped"], {"link": 1, "special": 1, "too_large": 1, "unreadable": 0})
        self.expect(3, SCENARIO, "--exclude", "build/**", says="--exclude leaves something out of --repo DIR")


if __name__ == "__main__":
    main()
