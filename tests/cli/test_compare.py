#!/usr/bin/env python3
"""compare, and the formats that carry numbers: what changed is said alike in all of them, and rules decide the exit code."""
import csv
import io
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import ProgramTest, binary, main, plain_environment  # noqa: E402

PRICED = """local sim = require "simagent"
local many = sim.options { { "words", default = 100 } }.words
return sim.scenario { name = "priced", task = "Count.", unit = "tokens",
  price = { input = 3, output = 15, cache_read = 0.3, cache_write_5m = 3.75, cache_write_1h = 6 },
  latency = { base_ms = 800 },
  variants = {
    { name = "a", model = { { text = ("word "):rep(many), stop = true } }, budget = 100000 },
    { name = "b", model = {
        { tool_calls = { sim.call("task", { subagent = "helper", prompt = "Count." }) } },
        { text = "Done.", stop = true } },
      subagents = { helper = function() return { model = { { text = ("word "):rep(many), stop = true } } } end } },
  } }
"""
PARTS = ["measurement", "isolated", "total_cumulative", "tokens", "cost", "time", "total", "budget", "contract"]


def leaves(value, path):
    """The numbers of a part of a report, independently of the program."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from leaves(below, path + "." + key if path else key)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def metrics(report):
    """{(run, metric): number} of all variants, and in a second table of all subagents."""
    variants, subagents = {}, {}
    comparisons = {c["variant"]: c for c in report["comparisons"]}

    def add(table, run, name):
        for part in PARTS:
            if part in run:
                table.update({(name, path): number for path, number in leaves(run[part], part)})

    def descend(run):
        for child in run["subagents"]:
            add(subagents, child, child["run"])
            descend(child)

    for variant in report["variants"]:
        add(variants, variant, variant["name"])
        if variant["name"] in comparisons:
            variants.update({(variant["name"], path): number
                             for path, number in leaves(comparisons[variant["name"]], "")})
        descend(variant)
    return variants, subagents


class Formats(ProgramTest):
    """One run in four forms: the numbers agree."""

    def check(self, scenario):
        report = json.loads(self.expect(0, scenario, "--json").out)
        variants, subagents = metrics(report)
        rows = list(csv.DictReader(io.StringIO(self.expect(0, scenario, "--format", "csv").out.decode())))
        self.assertEqual(list(rows[0]), ["variant", "metric", "value", "unit"])
        got = {(row["variant"], row["metric"]): json.loads(row["value"]) for row in rows}
        self.assertEqual(len(got), len(rows), "a number has two rows")
        self.assertEqual(got, {**variants, **subagents})
        markdown = self.expect(0, scenario, "--format", "md").out.decode()
        table = [[cell.strip() for cell in line.strip("|").split("|")]
                 for line in markdown.split("\n\n")[3].split("\n") if line.startswith("|")]
        text = self.expect(0, scenario).out.decode()
        for row in table[2:]:
            for heading, metric in [("peak", "measurement.peak"), ("cumulative", "measurement.cumulative"),
                                    ("isolated", "isolated.cumulative"), ("total", "total_cumulative"),
                                    ("turns", "measurement.turn_count")]:
                shown = row[table[0].index(heading)]
                self.assertEqual(int(shown.replace(",", "")), variants[row[0], metric])
                self.assertIn(shown, text)
        self.assertEqual([row[0] for row in table[2:]], [v["name"] for v in report["variants"]])
        return rows, markdown, text

    def test_bundled(self):
        self.check("repo_scan")
        self.check("nested_factories")

    def test_money_and_time(self):
        path = self.write("priced.lua", PRICED)
        rows, markdown, text = self.check(path)
        units = {row["metric"]: row["unit"] for row in rows}
        self.assertEqual((units["total.cost.picodollars"], units["time.elapsed_us"], units["measurement.peak"]),
                         ("picodollars", "us", "tokens"))
        self.assertIn("b/1", {row["variant"] for row in rows})
        cost = [line for line in markdown.split("\n") if line.startswith("| a |")][0].split("|")[-3].strip()
        self.assertTrue(cost.startswith("$0.0"), cost)
        self.assertIn(cost, text)

    def test_names_stay_text(self):
        name = '=a|`b`<i>"c",'
        path = self.write("odd.lua", PRICED.replace('name = "a"', "name = '%s'" % name))
        out = self.expect(0, path, "--format", "csv").out.decode()
        rows = list(csv.reader(io.StringIO(out)))
        self.assertEqual({len(row) for row in rows}, {4})
        self.assertEqual(rows[1][0], "'=a|`b`<i>\"c\",")
        markdown = self.expect(0, path, "--format", "md").out.decode()
        self.assertIn('\n| =a\\|\\`b\\`&lt;i&gt;"c", | ', markdown)

    def test_a_failed_expectation_is_told(self):
        path = self.write("no.lua", PRICED.replace("variants =", 'expect = { ["a.measurement.peak"] = 7 }, variants ='))
        markdown = self.expect(1, path, "--format", "md").out.decode()
        self.assertIn("| **no** |", markdown)
        self.assertIn("\n**Not ok.**\n", markdown)


class Compare(ProgramTest):
    def setUp(self):
        super().setUp()
        self.scenario = "priced.lua"
        self.write(self.scenario, PRICED)
        self.expect(0, self.scenario, "--json", "-o", "old.json")
        self.old = json.loads(self.read("old.json"))

    def changed(self, name="new.json", **numbers):
        """Writes the old report with other numbers of variant `a`: peak=…, total_cumulative=…"""
        report = json.loads(self.read("old.json"))
        for key, number in numbers.items():
            variant = report["variants"][0]
            (variant["measurement"] if key in variant["measurement"] else variant)[key] = number
        self.write(name, json.dumps(report, indent=2))
        return name

    def test_nothing_changed(self):
        count = len(metrics(self.old)[0])
        for inputs in (["old.json", "old.json"], ["old.json", self.scenario], [self.scenario, "old.json"]):
            out = self.expect(0, "compare", *inputs).out.decode()
            self.assertIn("none of %d metrics changed" % count, out)
            result = json.loads(self.expect(0, "compare", *inputs, "--json").out)
            self.assertEqual((result["schema"], result["ok"]), ("simagent.compare/1", True))
            self.assertEqual([(c["changed"], c["unchanged"]) for c in result["comparisons"]], [(0, count)])
            self.assertIn("%d metrics unchanged" % count, self.expect(0, "compare", *inputs, "--format=md").out.decode())

    def test_every_number_in_json_and_csv(self):
        peak = self.old["variants"][0]["measurement"]["peak"]
        self.changed(peak=peak + 7)
        result = json.loads(self.expect(0, "compare", "old.json", "new.json", "--json").out)
        self.assertEqual(list(result), ["schema", "reference", "unit", "comparisons", "fail_on", "ok"])
        self.assertEqual((result["reference"], result["unit"]), ("old.json", "tokens"))
        comparison = result["comparisons"][0]
        got = {(v["name"], m["metric"]): m for v in comparison["variants"] for m in v["metrics"]}
        want = metrics(self.old)[0]
        self.assertEqual({key: m["old"] for key, m in got.items()}, want)
        row = got["a", "measurement.peak"]
        self.assertEqual((row["new"], row["difference"]), (peak + 7, 7))
        self.assertAlmostEqual(row["percent"], 700 / peak)
        self.assertEqual((comparison["changed"], comparison["unchanged"]), (1, len(want) - 1))
        out = self.expect(0, "compare", "old.json", "new.json", "--format", "csv").out.decode()
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual({(r["variant"], r["metric"]): json.loads(r["old"]) for r in rows}, want)
        self.assertEqual([r["difference"] for r in rows if r["old"] != r["new"]], ["7"])

    def test_markdown_holds_what_changed(self):
        self.changed(peak=1, total_cumulative=123456)
        out = self.expect(0, "compare", "old.json", "new.json", "--format", "md").out.decode()
        rows = [line for line in out.split("\n") if line.startswith("| a |")]
        self.assertEqual(len(rows), 2)
        self.assertIn("| 123,456 |", rows[1])
        self.assertIn("%d metrics unchanged" % (len(metrics(self.old)[0]) - 2), out)

    def test_money_in_usd(self):
        self.expect(0, self.scenario, "--words", "200", "--json", "-o", "new.json")
        out = self.expect(0, "compare", "old.json", "new.json", "--force").out.decode()
        line = [line for line in out.split("\n") if line.startswith("total.cost.picodollars")][0]
        self.assertIn("+$0.0", line)
        self.assertIn("unlike: option words: 100, 200", out)

    def test_rules(self):
        total = self.old["variants"][0]["total_cumulative"]
        self.changed(total_cumulative=total * 2)
        for rule, code in [("a.total_cumulative > +5%", 1), ("*.total_cumulative > +5%", 1),
                           ("a.total_cumulative > +100%", 0), ("a.total_cumulative >= +100%", 1),
                           ("b.total_cumulative > +0%", 0), ("a.total_cumulative < -5%", 0),
                           ("a.total_cumulative > +%d" % total, 0), ("a.total_cumulative > %d" % total, 1)]:
            with self.subTest(rule):
                out = self.expect(code, "compare", "old.json", "new.json", "--fail-on", rule).out.decode()
                self.assertIn(("FAILED  " if code else "held    ") + rule, out)
                result = json.loads(self.expect(code, "compare", "old.json", "new.json", "--json",
                                                "--fail-on=" + rule).out)
                self.assertEqual((result["ok"], any(f["failed"] for f in result["fail_on"])), (code == 0, code == 1))
                self.expect(code, "compare", "old.json", "new.json", "--format=md", "--fail-on", rule)
                self.expect(code, "compare", "old.json", "new.json", "--format=csv", "--fail-on", rule,
                            says="--fail-on" if code else "")
        self.expect(1, "compare", "old.json", "new.json", "--fail-on", "b.total_cumulative > +0%",
                    "--fail-on", "a.total_cumulative > +5%", "-o", "out.txt", "--quiet",
                    says='simagent: --fail-on "a.total_cumulative > +5%" failed: a in new.json')
        self.assertIn(b"FAILED", self.read("out.txt"))

    def test_rules_that_are_wrong(self):
        for rule, says in [("a.total_cumulatve > 1", "did you mean 'total_cumulative'?"),
                           ("aa.total_cumulative > 1", "did you mean 'a'?"), ("a.total_cumulative", "no > or <"),
                           ("total > 1", "VARIANT.METRIC"), ("a.total_cumulative > lots", "limit"), ("", "empty")]:
            self.expect_message(2, "compare", "old.json", "old.json", "--fail-on", rule, says=says)

    def test_what_is_missing(self):
        report = json.loads(self.read("old.json"))
        report["variants"][0]["name"] = "renamed"
        self.write("new.json", json.dumps(report))
        out = self.expect(0, "compare", "old.json", "new.json").out.decode()
        self.assertIn("a (only in old.json)", out)
        self.assertIn("renamed (only in new.json)", out)
        self.expect(1, "compare", "old.json", "new.json", "--fail-on", "*.total_cumulative > +50%")
        self.expect(1, "compare", "old.json", "new.json", "--fail-on", "renamed.total_cumulative > +50%")
        sides = [v["in"] for v in json.loads(self.expect(0, "compare", "old.json", "new.json", "--json").out)
                 ["comparisons"][0]["variants"]]
        self.assertEqual(sides, ["reference", "both", "input"])

    def test_unlike_runs(self):
        for change, says in [(["--seed", "5"], "seed: 0, 5"), (["--words", "7"], "option words: 100, 7")]:
            self.expect(0, self.scenario, *change, "--json", "-o", "new.json")
            self.expect_message(2, "compare", "old.json", "new.json", says=[says, "--force"])
            self.assertIn(says, self.expect(0, "compare", "old.json", "new.json", "--force").out.decode())
            self.assertIn("unlike: " + says, self.expect(0, "compare", "old.json", "new.json", "--force",
                                                         "--format=md").out.decode())
        self.expect_message(2, "compare", "old.json", "repo_scan", says=["scenario: priced, repo_scan", "unit"])

    def test_several(self):
        self.changed("one.json", peak=1)
        self.changed("two.json", peak=2)
        result = json.loads(self.expect(0, "compare", "old.json", "one.json", "two.json", "--json").out)
        self.assertEqual([c["input"] for c in result["comparisons"]], ["one.json", "two.json"])

    def test_stdin(self):
        run = subprocess.run([binary(), "compare", "-", self.scenario, "--json"], input=self.read("old.json"),
                             cwd=self.folder, capture_output=True, env=plain_environment())
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout)["reference"], "stdin")
        self.expect_message(4, "compare", "-", self.scenario, says="stdin:1:1")
        self.expect_message(2, "compare", "-", "-", says="stands twice")

    def test_what_is_no_report(self):
        self.write("cut.json", self.read("old.json")[:-9])
        self.write("other.json", '{"schema":"simagent.compare/1"}')
        os.mkdir(self.path("folder.json"))
        for name, says in [("cut.json", "cut.json:1:"), ("other.json", "no report"), ("gone.json", "No such file"),
                           ("folder.json", "folder")]:
            self.expect_message(4, "compare", "old.json", name, says=says)
        bad = self.write("bad.lua", "error('no')")
        self.expect_message(3, "compare", "old.json", bad)

    def test_command_line(self):
        self.expect_message(2, "compare", says="at least two")
        self.expect_message(2, "compare", "old.json", says="at least two")
        self.expect_message(2, "compare", "old.json", "old.json", "--forse", says="did you mean --force?")
        self.expect_message(2, "compare", "old.json", "old.json", "--words", "7", says="option of a scenario")
        self.expect_message(2, "compare", "old.json", "old.json", "--trace", "t", says="trace")
        self.assertIn(b"--fail-on", self.expect(0, "compare", "--help").out)
        self.assertIn(b"compare", self.expect(0, "--help").out)

    def test_failure_leaves_nothing(self):
        self.expect_message(2, "compare", "old.json", "old.json", "--fail-on", "a.x > 1", "-o", "out")
        self.expect_message(4, "compare", "old.json", "gone.json", "-o", "out")
        self.assertFalse(os.path.exists(self.path("out")))
        self.expect_message(4, "compare", "old.json", "old.json", "-o", "missing/out", says="No such file")


if __name__ == "__main__":
    main()
