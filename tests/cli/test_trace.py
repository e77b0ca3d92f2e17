#!/usr/bin/env python3
"""The trace, line by line, and every figure of the report computed again from nothing but the trace.

The definitions are written down here a second time and in the slowest possible way: a context is a sum over all entries
that were there before the turn.  A report that disagrees with its own transcripts fails, whatever the program believes.
"""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from program import ROOT, SCENARIOS, ProgramTest, main  # noqa: E402

KEYS = ["run", "parent", "agent", "entry", "turn", "role", "name", "size", "content"]
ROLES = {"system", "user", "assistant", "tool_call", "tool_result"}
LABEL = 40

# Everything at once: children of children, ties, empty texts, many calls in a turn, a failed tool, sized results.
MIXED = r"""
local sim = require "simagent"
local blob = sim.tool { name = "blob", description = "n", input_schema = { type = "object" },
                        run = function(arguments) return sim.sized(arguments.n) end }
local text = sim.tool { name = "text", run = function(arguments)
  if arguments.n < 0 then return sim.failure("no\nway") end
  return ("é\n"):rep(arguments.n)
end }
local function leaf(prompt)
  return { tools = { text }, model = {
    { tool_calls = { sim.call("text", { n = 3 }), sim.call("text", { n = 3 }), sim.call("text", { n = -1 }) } },
    { text = "", tool_calls = { sim.call("text", { n = 0 }) } },
    { text = "", stop = true } } }
end
local function middle(prompt)
  return { tools = { blob }, system = "Be brief.", subagents = { leaf = leaf }, model = {
    { text = "one", tool_calls = { sim.call("blob", { n = 500 }), sim.call("task", { prompt = prompt .. "!" }),
                                   sim.call("task", { subagent = "leaf", prompt = "again" }) } },
    { text = "two", tool_calls = { sim.call("unknown", { list = { 1, 2 } }) } },
    { text = "done " .. prompt, stop = true } } }
end
return sim.scenario {
  task = "Mix it.", max_depth = 2, count_schemas = true,
  variants = {
    { name = "alone", tools = { blob, text, "read_file" }, max_turns = 6, model = function(request)
        if request.turn == 6 then return "end" end
        return { text = request.turn % 2 == 0 and "even" or "", tool_calls = {
          sim.call("blob", { n = 1000 }), sim.call("blob", { n = request.turn * 10 }), sim.call("text", { n = 2 }) } }
      end },
    { name = "children", subagents = { middle = middle }, model = {
        { text = "go", tool_calls = { sim.call("task", { prompt = "a" }), sim.call("task", { prompt = "b" }) } },
        { text = "more", tool_calls = { sim.call("task", { prompt = "c" }) } },
        { text = "ok", stop = true } } },
    { name = "endless", max_turns = 3, tools = { text }, model = function() return { tool_calls = { sim.call("text", { n = 9 }) } } end },
    { name = "short", tools = { text }, model = { { tool_calls = { sim.call("text", { n = 50 }) } } } },
  },
  expect = { ["endless.stop_reason"] = "== max_turns", ["short.stop_reason"] = "== script_exhausted" },
}
"""


def ratio(part, whole):
    return part / whole if whole else 0


def measure(sizes_before):
    peak, cumulative = max(sizes_before, default=0), sum(sizes_before)
    return {"peak": peak, "cumulative": cumulative, "reread_multiplier": ratio(cumulative, peak),
            "turn_count": len(sizes_before)}


def candidates_of(entries, turns):
    found = []
    for entry in entries:
        read_by = turns - entry["turn"]
        if entry["role"] == "tool_result" and read_by > 0:
            found.append({"entry": entry["entry"], "tool": entry["name"],
                          "label": entry["content"].split("\n")[0][:LABEL], "size": entry["size"],
                          "appearances": read_by, "later_rereads": read_by - 1,
                          "waste": entry["size"] * (read_by - 1)})
    return sorted(found, key=lambda c: -c["waste"])  # Python's sort is stable, so ties keep their order.


def boundary_of(candidates, cumulative, target):
    saved, inside = 0, []
    for candidate in candidates:
        if saved >= target * cumulative:
            break
        saved += candidate["waste"]
        inside.append(candidate["entry"])
    return {"target_savings_ratio": target, "entries": inside, "achieved_savings": saved,
            "achieved_savings_ratio": ratio(saved, cumulative)}


def descendants(node):
    for child in node["subagents"]:
        yield child
        yield from descendants(child)


class Trace(ProgramTest):
    def report_and_trace(self, *arguments):
        result = self.run_program(*arguments, "--json", "--quiet", "--trace", self.path("trace.jsonl"))
        self.assertIn(result.code, (0, 1), result.message)
        runs = {}
        lines = self.read("trace.jsonl").decode("utf-8", "strict").split("\n")
        self.assertEqual(lines.pop(), "", "the last line has no line feed")
        for line in lines:
            entry = json.loads(line)
            self.assertEqual(list(entry), KEYS)
            self.assertIn(entry["role"], ROLES)
            runs.setdefault(entry["run"], []).append(entry)
        return json.loads(result.out.decode("utf-8", "strict")), runs

    def check_entries(self, run, entries, report_unit):
        self.assertEqual([e["entry"] for e in entries], list(range(len(entries))), run)
        turns = [e["turn"] for e in entries]
        self.assertEqual(turns, sorted(turns), "%s: a later entry of an earlier turn" % run)
        for entry in entries:
            self.assertEqual(entry["name"] is not None, entry["role"] in ("tool_call", "tool_result")
                             or entry["name"] == "tools", entry)
            if entry["content"] and "\ufffd" not in entry["content"]:
                self.assertEqual(entry["size"], len(entry["content"] if report_unit == "chars"
                                                    else entry["content"].encode("utf-8")), entry)

    def check_run(self, node, runs, unit):
        """Contexts and measurement of one run; returns its contexts."""
        entries = runs.pop(node["run"])
        turns = node["measurement"]["turn_count"]
        self.check_entries(node["run"], entries, unit)
        self.assertLessEqual(max(e["turn"] for e in entries), turns)
        contexts = [sum(e["size"] for e in entries if e["turn"] < turn) for turn in range(1, turns + 1)]
        self.assertEqual(node["per_turn"], contexts, node["run"])
        want = dict(measure(contexts), final_context=sum(e["size"] for e in entries))
        self.assertEqual(node["measurement"], want, node["run"])
        for child in node["subagents"]:
            self.assertEqual(child["parent"], node["run"])
            self.assertEqual(runs[child["run"]][0]["parent"], node["run"])
            self.assertEqual(runs[child["run"]][0]["agent"], child["name"])
        return entries, contexts

    def check_variant(self, variant, runs, unit):
        entries, contexts = self.check_run(variant, runs, unit)
        candidates = candidates_of(entries, len(contexts))
        self.assertEqual(variant["candidates"], candidates, variant["name"])
        boundary = boundary_of(candidates, sum(contexts), variant["boundary"]["target_savings_ratio"])
        self.assertEqual(variant["boundary"], boundary, variant["name"])
        self.check_gates(variant, measure(contexts), boundary)
        children = [self.check_run(node, runs, unit)[1] for node in descendants(variant)]
        isolated = measure([size for child in children for size in child])
        self.assertEqual(variant["isolated"], isolated)
        self.assertEqual(variant["total_cumulative"], sum(contexts) + isolated["cumulative"])

    def check_gates(self, variant, own, boundary):
        values = {"min_cumulative": own["cumulative"], "min_reread_multiplier": own["reread_multiplier"],
                  "min_boundary_savings_ratio": boundary["achieved_savings_ratio"]}
        advice = variant["recommendation"]
        rules = advice["triggered_rules"] + advice["failed_rules"]
        self.assertEqual({r["rule"]: r["value"] for r in rules}, values, variant["name"])
        self.assertTrue(all(r["value"] >= r["threshold"] for r in advice["triggered_rules"]))
        self.assertTrue(all(r["value"] < r["threshold"] for r in advice["failed_rules"]))
        self.assertEqual(advice["delegate"], not advice["failed_rules"])

    def check_comparisons(self, report):
        by_name = {v["name"]: v for v in report["variants"]}
        base = by_name[report["baseline"]]
        names = [v["name"] for v in report["variants"] if v is not base]
        self.assertEqual([c["variant"] for c in report["comparisons"]], names)
        for row in report["comparisons"]:
            after, before = by_name[row["variant"]], base
            own, isolated = after["measurement"], after["isolated"]["cumulative"]
            total = own["cumulative"] + isolated
            want = {"baseline": before["name"], "variant": after["name"], "isolated_share_of_total": ratio(isolated, total),
                    "total_ratio": ratio(total, before["total_cumulative"])}
            for figure in ("peak", "cumulative"):
                old = before["measurement"][figure]
                want["parent_%s_savings_ratio" % figure] = ratio(old - own[figure], old)
            self.assertEqual(row, want)

    def check(self, *arguments):
        report, runs = self.report_and_trace(*arguments)
        for variant in report["variants"]:
            self.check_variant(variant, runs, report["scenario"]["unit"])
        self.assertEqual(runs, {}, "the trace has runs that the report lacks")
        self.check_comparisons(report)
        return report

    def test_known_cases(self):
        for case in sorted(glob.glob(os.path.join(ROOT, "tests", "cases", "*.lua"))):
            with self.subTest(os.path.basename(case)):
                self.check(case)

    def test_bundled_scenarios(self):
        for case in sorted(glob.glob(os.path.join(SCENARIOS, "*.lua"))):
            with self.subTest(os.path.basename(case)):
                report, _ = self.report_and_trace(case)
                if report["scenario"]["unit"] != "tokens":  # Tokens are estimated: not the length of the content.
                    self.check(case)

    def test_everything_at_once(self):
        path = self.write("mixed.lua", MIXED)
        report = self.check(path)
        names = [v["run"] for v in report["variants"]] + [n["run"] for v in report["variants"] for n in descendants(v)]
        self.assertEqual(len(names), 4 + 3 + 6)
        self.assertIn("children/1/2", names)
        self.assertTrue(report["ok"])

    def test_other_unit(self):
        path = self.write("mixed.lua", MIXED.replace("sim.sized(arguments.n)", '("x"):rep(arguments.n)'))
        self.check(path, "--unit", "bytes")

    def test_demo_files_are_the_known_ones(self):
        """The demo project's bodies, as a model read them, are those of the file that came with the cases."""
        with open(os.path.join(ROOT, "tests", "cases", "demo_repo.json"), encoding="utf-8") as file:
            want = json.load(file)
        want = want.get("files", want) if isinstance(want, dict) else want
        want = {f["path"]: f.get("body", f.get("content")) for f in want} if isinstance(want, list) else want
        _, runs = self.report_and_trace("repo_scan")
        bodies = [e["content"] for e in runs["monolithic"] if e["role"] == "tool_result"]
        self.assertEqual(bodies, [want[path] for path in sorted(want, key=lambda p: p.encode())])


if __name__ == "__main__":
    main()
