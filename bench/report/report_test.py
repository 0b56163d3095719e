"""Tests of the report: with reports as Google Benchmark writes them, no program is run."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import compare
import goals
import programs
import results
import verdicts


def repetition(name, items_per_second, **more):
    return {"run_name": name, "run_type": "iteration", "iterations": 10, "real_time": 5.0, "time_unit": "us",
            "items_per_second": items_per_second, **more}


def goal(sense="at most", limit=1.0, measure=goals.time_of("a"), **more):
    return goals.Goal("key", "section", "text", sense, limit, "ns", measure, **more)


class Gather(unittest.TestCase):
    def test_the_median_over_programs_and_repetitions(self):
        reports = [{"benchmarks": [repetition("a/real_time", 1e9), repetition("a/real_time", 1e9 / 30)]},
                   {"benchmarks": [repetition("a/real_time", 1e9 / 20)]}]
        self.assertAlmostEqual(results.gather(reports)["a"]["ns"], 20)

    def test_googles_own_medians_do_not_count(self):
        runs = [repetition("a", 1e9), repetition("a", 1.0, run_type="aggregate")]
        self.assertAlmostEqual(results.gather([{"benchmarks": runs}])["a"]["ns"], 1)

    def test_without_items_an_iteration_counts(self):
        run = repetition("a", 0)
        self.assertAlmostEqual(results.gather([{"benchmarks": [run]}])["a"]["ns"], 5000)

    def test_a_run_with_few_iterations_does_not_count(self):
        runs = [repetition("a", 1e9), repetition("a", 1.0) | {"iterations": 0}]
        self.assertAlmostEqual(results.gather([{"benchmarks": runs}])["a"]["ns"], 1)

    def test_counters(self):
        run = repetition("a/iterations:1/manual_time", 1.0, bytes_per_stream=7.0)
        self.assertEqual(results.gather([{"benchmarks": [run]}])["a"]["counters"], {"bytes_per_stream": 7.0})

    def test_one_failure_fails_the_benchmark(self):
        runs = [repetition("a", 1e9), {"run_name": "a", "error_occurred": True, "error_message": "not reached in 3 s"}]
        self.assertEqual(results.gather([{"benchmarks": runs}]), {"a": {"error": "not reached in 3 s"}})


class Verdicts(unittest.TestCase):
    def verdict(self, value, **more):
        return verdicts.judge(goal(**more), {"a": {"ns": value, "runs": [value], "counters": {}}})["verdict"]

    def test_limits(self):
        self.assertEqual(self.verdict(1.0), verdicts.MET)
        self.assertEqual(self.verdict(1.01), verdicts.NOT_MET)
        self.assertEqual(self.verdict(1.0, sense="under"), verdicts.NOT_MET)
        self.assertEqual(self.verdict(0.9, sense="at least"), verdicts.NOT_MET)
        self.assertEqual(self.verdict(9.0, sense=""), verdicts.NO_GOAL)

    def test_what_took_too_long_is_not_met(self):
        row = verdicts.judge(goal(), {"a": {"error": "not reached in 3 s: 7 streams"}})
        self.assertEqual((row["verdict"], row["detail"]), (verdicts.NOT_MET, "not reached in 3 s: 7 streams"))
        row = verdicts.judge(goal(), {"a": {"error": "not reached in 3 s: 7 streams"}}, patient=False)
        self.assertEqual(row["verdict"], verdicts.NOT_MEASURED)

    def test_what_is_missing_or_failed_is_not_measured(self):
        self.assertEqual(verdicts.judge(goal(), {})["verdict"], verdicts.NOT_MEASURED)
        self.assertEqual(verdicts.judge(goal(), {"a": {"error": "broken"}})["verdict"], verdicts.NOT_MEASURED)

    def test_the_table_has_a_head_for_each_section(self):
        rows = verdicts.judge_all({})
        lines = verdicts.table(rows)
        sections = {row["section"] for row in rows}
        self.assertEqual(len(lines), 1 + len(rows) + len(sections))
        self.assertTrue(sections <= set(lines))
        self.assertIn("0 goals met, 0 not met", verdicts.summary(rows))


class Traces(unittest.TestCase):
    def rows(self, **counters):
        benchmarks = {f"replay/{name}": {"ns": 1000, "runs": [], "counters": {"reserved_to_requested": ratio}}
                      for name, ratio in counters.items()}
        return {row["text"]: row["verdict"] for row in verdicts.judge_all(benchmarks) if row["key"] in benchmarks}

    def test_limits_of_traces(self):
        self.assertEqual(self.rows(one=1.03, two=1.04, ten10streams=1.3, ten10streams_reuse_all=1.05, plan_times_64=2),
                         {"one": "met", "two": "NOT met", "ten10streams": "", "ten10streams_reuse_all": "met",
                          "plan_times_64": ""})


class Programs(unittest.TestCase):
    HEAD = "#!/bin/sh\nfor option; do case $option in --benchmark_out=*) out=${option#*=};; esac; done\n"

    def run_script(self, script, patience=20):
        """Runs a shell script as a program, which has the file for its report in $out."""
        effort = programs.Effort("smoke", 1, 1, 0.1, patience)
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text(self.HEAD + script, encoding="utf-8")
            program.chmod(0o755)
            return programs.run_program(program, effort, None)

    def test_a_report_and_its_notes(self):
        report, notes = self.run_script("echo '{\"benchmarks\": []}' > $out; echo Run on >&2; echo note: hear >&2")
        self.assertEqual((report, notes), ({"benchmarks": []}, ["hear"]))

    def test_a_program_without_benchmarks(self):
        self.assertEqual(self.run_script(": > $out"), ({"benchmarks": []}, []))

    def test_a_program_that_fails(self):
        report, notes = self.run_script("echo no memory >&2; exit 3")
        self.assertIsNone(report)
        self.assertEqual(notes, ["program ended with status 3, its last line was: no memory"])

    def test_a_program_that_hangs(self):
        report, notes = self.run_script("exec sleep 60", patience=1)
        self.assertIsNone(report)
        self.assertEqual(notes, ["program was ended after 1 s"])

    def test_a_program_that_is_not_there(self):
        report, notes = programs.run_program(pathlib.Path("/nowhere/program"), programs.EFFORTS["smoke"], None)
        self.assertIsNone(report)
        self.assertEqual(notes, ["program cannot be run: No such file or directory"])


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def results_file(self, name, ns, effort="full"):
        benchmarks = {"synchronize/idle_stream": {"ns": ns, "runs": [ns], "counters": {}}}
        machine = {"processor": "p", "cores": 2, "memory_gib": 1, "system": "s", "compiler": "c", "revision": "r"}
        run = {"format": results.FORMAT, "machine": machine, "settings": {"effort": effort}, "notes": [],
               "goals": verdicts.judge_all(benchmarks), "benchmarks": benchmarks}
        return self.write(name, json.dumps(run))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def compare(self, old, new):
        out, err = io.StringIO(), io.StringIO()
        with mock.patch("sys.argv", ["compare", old, new]), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(err):
            status = compare.main()
        return status, out.getvalue(), err.getvalue()

    def test_ratios_and_verdicts(self):
        status, out, _ = self.compare(self.results_file("old", 600.0), self.results_file("new", 150.0))
        self.assertEqual(status, 0)
        self.assertIn("0.25", out)
        self.assertIn("NOT met -> met", out)

    def test_files_that_cannot_be_compared(self):
        good = self.results_file("good", 1.0)
        for bad, reason in ((str(self.folder / "none"), "No such file"), (self.write("text", "x"), "not JSON"),
                            (self.write("list", "[]"), "not a file of results"),
                            (self.write("part", '{"format": "soma-bench 1"}'), "lacks machine"),
                            (self.results_file("rough", 1.0, "quick"), "differ in effort")):
            status, _, err = self.compare(good, bad)
            self.assertEqual(status, 1)
            self.assertIn(reason, err)


if __name__ == "__main__":
    unittest.main()
