"""A test: every program runs, and every goal finds its figure. Argument: the build folder. Says nothing about time."""

import contextlib
import io
import pathlib
import sys
import tempfile

import compare
import programs
import results
import run
import verdicts


# Built by tools/bench only, and what needs it.
NOT_BUILT_WITH_ALL = "tracing_without"
NEEDS_IT = ("tracing_off_lifo", "tracing_off_events", "traced_lifo", "traced_events")


def faults_of(measured, build):
    """What must not be in a run: programs that failed, and goals without a figure (but traces may be missing, and what
    takes too long may give up)."""
    failed = [note for note in measured["notes"] if "ended " in note or "cannot be run" in note]
    optional = ("replay", "calls", "mappings")
    if not (build / "bench" / NOT_BUILT_WITH_ALL).exists():
        failed = [note for note in failed if not note.startswith(NOT_BUILT_WITH_ALL)]
        optional += NEEDS_IT
    blank = [f"{row['text']}: {row['detail']}" for row in measured["goals"]
             if row["verdict"] == verdicts.NOT_MEASURED and row["sense"] and row["key"] not in optional
             and not row["detail"].startswith("not reached")]
    return failed + blank


def main():
    build = pathlib.Path(sys.argv[1])
    measured = run.measure(build, programs.EFFORTS["smoke"], None)
    run.print_run(measured)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results.json"
        run.write(measured, path)
        sys.argv[1:] = [str(path), str(path)]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            compared = compare.main()
        again = results.load_results(path)
    faults = faults_of(again, build)
    if compared != 0 or "lifo/soma" not in printed.getvalue():
        faults.append("two equal runs cannot be compared")
    for fault in faults:
        print(f"smoke: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
