"""Prints two files of results side by side; tools/compare-bench calls this."""

import argparse
import signal
import sys

import goals
import machine
import results
import verdicts


def shown(entry):
    if entry is None:
        return "-"
    return "failed" if "error" in entry else goals.short_ns(entry["ns"])


def time_rows(old, new):
    """For each benchmark its name, both times, and new / old."""
    rows = []
    for name in sorted(set(old) | set(new)):
        before, after = old.get(name), new.get(name)
        both = before and after and "error" not in before and "error" not in after
        ratio = f"{after['ns'] / before['ns']:.2f}" if both and before["ns"] else "-"
        rows.append((name, shown(before), shown(after), ratio))
    return rows


def goal_rows(old, new):
    """The same for the goals' figures, with both verdicts."""
    before = {row["key"]: row for row in old}
    rows = []
    for row in new:
        peer = before.get(row["key"])
        if row["sense"] and peer:
            both = row["measured"] is not None and peer["measured"]
            ratio = f"{row['measured'] / peer['measured']:.2f}" if both else "-"
            verdict = f"{peer['verdict']} -> {row['verdict']}"
            rows.append((row["text"].strip(), verdicts.measured_text(peer), verdicts.measured_text(row), ratio,
                         verdict))
    return rows


def lines_of(head, rows):
    cells = [head] + rows
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    made = []
    for line in cells:
        first, *others = (cell.rjust(width) for cell, width in zip(line, widths))
        made.append("  ".join([line[0].ljust(widths[0]), *others]).rstrip())
    return made


def compare(old, new):
    lines = [f"old: {machine.text(old['machine'])}", *machine.busy(old["machine"]),
             f"new: {machine.text(new['machine'])}", *machine.busy(new["machine"])]
    same = ("processor", "cores")
    if any(old["machine"][key] != new["machine"][key] for key in same):
        lines.append("THE MACHINES DIFFER: only figures against the baseline can be compared")
    lines += ["", *lines_of(("goal", "old", "new", "new/old", "verdict"), goal_rows(old["goals"], new["goals"]))]
    lines += ["", *lines_of(("benchmark", "old", "new", "new/old"), time_rows(old["benchmarks"], new["benchmarks"]))]
    return lines


def main():
    parser = argparse.ArgumentParser(prog="tools/compare-bench", description="Compares two runs of tools/bench.")
    parser.add_argument("old", metavar="OLD", help="results that tools/bench has written")
    parser.add_argument("new", metavar="NEW")
    arguments = parser.parse_args()
    try:
        old, new = results.load_results(arguments.old), results.load_results(arguments.new)
    except results.Unreadable as error:
        print(f"tools/compare-bench: {error}", file=sys.stderr)
        return 1
    if old["settings"] != new["settings"]:
        print(f"tools/compare-bench: the runs differ in effort: {old['settings']} and {new['settings']}",
              file=sys.stderr)
        return 1
    print("\n".join(compare(old, new)))
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no error
    sys.exit(main())
