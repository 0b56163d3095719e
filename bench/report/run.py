"""Runs all benchmarks of a build and prints the table of goals; tools/bench builds first and then calls this."""

import argparse
import datetime
import json
import pathlib
import sys

import machine
import programs
import results
import verdicts

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def measure(build, effort, traces):
    """All there is to know of a run, as it is written to a file."""
    described = machine.describe(build, SOURCE)
    benchmarks, notes = programs.run_all(build / "bench", effort, traces)
    return {
        "format": results.FORMAT,
        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": described,
        "settings": {"effort": effort.name, "rounds": effort.rounds, "repetitions": effort.repetitions},
        "notes": notes,
        "goals": verdicts.judge_all(benchmarks, patient=effort.name == "full"),
        "benchmarks": benchmarks,
    }


def print_run(run):
    print(machine.text(run["machine"]))
    effort = run["settings"]["effort"]
    if effort != "full":
        print(f"a {effort} run: figures {'mean nothing' if effort == 'smoke' else 'are only rough'}")
    for line in machine.busy(run["machine"]):
        print(line)
    print()
    print("\n".join(verdicts.table(run["goals"])))
    print()
    for note in run["notes"]:
        print(f"note: {note}")
    print(verdicts.summary(run["goals"]))


def write(run, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(prog="tools/bench", description="Measures all goals and prints one table.")
    parser.add_argument("--build", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_const", const="quick", dest="effort", default="full",
                        help="a rough run of less than two minutes")
    parser.add_argument("--traces", type=pathlib.Path, help="recorded traces; by default ../shared/traces")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="where the results go; by default build/release/bench/results.json")
    arguments = parser.parse_args()
    path = arguments.json or arguments.build / "bench" / "results.json"
    run = measure(arguments.build, programs.EFFORTS[arguments.effort], arguments.traces)
    print_run(run)
    try:
        write(run, path)
    except OSError as error:
        print(f"tools/bench: {path}: {error.strerror}", file=sys.stderr)
        return 1
    print(f"written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
