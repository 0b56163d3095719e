"""The results of a run: what Google Benchmark wrote, brought down to one figure for each benchmark.

A file of results is JSON: an object with the keys below. `benchmarks` maps each benchmark's name to its `ns` (the
median of its repetitions, nanoseconds for one item), `runs` (the repetitions), `counters` (medians) and, if it failed,
`error` in place of all these.
"""

import json
import statistics

FORMAT = "soma-bench 1"
KEYS = ("format", "machine", "settings", "benchmarks", "notes", "goals")

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}

# What Google Benchmark itself says of a repetition; everything else that is a number is a counter of ours.
OWN_FIELDS = {
    "family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations",
    "real_time", "cpu_time", "items_per_second",
}


class Unreadable(Exception):
    """A file that is not what it should be; the text says why."""


def load_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise Unreadable(f"{path}: not JSON: {error}") from error


def load_results(path):
    """A file that an earlier run has written."""
    results = load_json(path)
    if not isinstance(results, dict) or results.get("format") != FORMAT:
        raise Unreadable(f"{path}: not a file of results of tools/bench ({FORMAT})")
    missing = [key for key in KEYS if key not in results]
    if missing:
        raise Unreadable(f"{path}: lacks {', '.join(missing)}")
    return results


def plain_name(name):
    """The benchmark's name without what Google Benchmark adds, such as /real_time and /iterations:1."""
    parts = name.split("/")
    while parts[-1] in ("real_time", "manual_time") or parts[-1].split(":")[0] in ("iterations", "repeats"):
        parts.pop()
    return "/".join(parts)


def nanoseconds(run):
    """Of one item where the benchmark counts items, else of one iteration."""
    if run.get("items_per_second"):
        return 1e9 / run["items_per_second"]
    return run["real_time"] * NANOSECONDS[run["time_unit"]]


def gather(reports):
    """One entry for each benchmark out of any number of Google Benchmark's reports."""
    runs = {}
    for report in reports:
        for run in report["benchmarks"]:
            if run.get("run_type", "iteration") == "iteration":
                runs.setdefault(plain_name(run["run_name"]), []).append(run)
    return {name: median_of(of_name) for name, of_name in runs.items()}


def median_of(runs):
    failed = [run["error_message"] for run in runs if run.get("error_occurred")]
    if failed:
        return {"error": failed[0]}
    # Google Benchmark takes a disturbance for a slow benchmark and does few iterations: those do not count.
    most = max(run["iterations"] for run in runs)
    runs = [run for run in runs if run["iterations"] * 10 >= most]
    times = [nanoseconds(run) for run in runs]
    counters = {
        key: statistics.median(run[key] for run in runs if key in run)
        for key, value in runs[0].items()
        if key not in OWN_FIELDS and isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    return {"ns": statistics.median(times), "runs": times, "counters": counters}
