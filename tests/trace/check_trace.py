"""Runs a program with SOMA_TRACE and checks the trace that it leaves, with a JSON parser that is not ours.

usage: check_trace.py [--status N] [--signal N] [--may-drop] PROGRAM [ARGUMENT...]

What is checked: it is what Perfetto reads (types of fields, numbers below 2^53, times in microseconds); each message
that was sent is there once; arrows come in pairs and start and end on slices; causes lead back to a beginning; slices
nest; names of tracks are unique; the counters of pools are those of their messages.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

LARGEST_ID = 2**53


def fail(text):
    sys.exit(f"check_trace: {text}")


def expect(holds, text):
    if not holds:
        fail(text)


def run(arguments):
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "trace.json")
    environment = dict(os.environ, SOMA_TRACE=path)
    ended = subprocess.run(arguments.program, env=environment, stdout=subprocess.DEVNULL, timeout=110)
    wanted = -arguments.signal if arguments.signal else arguments.status
    expect(ended.returncode == wanted, f"the program ended with {ended.returncode} instead of {wanted}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    os.remove(path)
    os.rmdir(folder)
    return json.loads(text)


def check_fields(event):
    phase = event["ph"]
    expect(phase in "MXsfiC", f"an unknown kind of event: {event}")
    expect(isinstance(event["pid"], int), f"no process: {event}")
    if phase == "M":
        return
    expect(isinstance(event["tid"], int), f"no track: {event}")
    expect(isinstance(event["ts"], (int, float)) and event["ts"] >= 0, f"no time: {event}")
    expect(event["ts"] < 3.6e9, f"a time that is not relative: {event}")
    if phase == "X":
        expect(event["dur"] >= 0, f"no duration: {event}")
    if phase in "sf":
        expect(0 < event["id"] < LARGEST_ID, f"the id of an arrow: {event}")
        expect(phase == "s" or event["bp"] == "e", f"the end of an arrow binds to nothing: {event}")
    if phase == "C":
        expect(set(event["args"]) == {"used", "reserved"}, f"counters: {event}")
        expect(event["args"]["used"] <= event["args"]["reserved"], f"more is used than reserved: {event}")


def check_names(events):
    names = {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "thread_name":
            track = (event["pid"], event["tid"])
            expect(track not in names, f"a track with two names: {event}")
            names[track] = event["args"]["name"]
    expect(len(set(names.values())) == len(names), f"two tracks have one name: {sorted(names.values())}")
    for event in events:
        if event["ph"] != "M":
            expect((event["pid"], event["tid"]) in names, f"a track without a name: {event}")
    return names


def check_nesting(slices):
    """Times are nanoseconds here, so that they can be compared."""
    by_track = collections.defaultdict(list)
    for one in slices:
        start = round(one["ts"] * 1000)
        by_track[(one["pid"], one["tid"])].append((start, -round(one["dur"] * 1000), one["name"]))
    for track, found in by_track.items():
        ends = []
        for start, negative, name in sorted(found, key=lambda slice: slice[:2]):
            while ends and ends[-1] <= start:
                ends.pop()
            expect(not ends or start - negative <= ends[-1], f"{name} on {track} at {start} ns ends after what it is in")
            ends.append(start - negative)


def check_messages(trace, slices, may_drop):
    summary = trace["otherData"]
    ids = collections.Counter(one["args"]["id"] for one in slices)
    unhandled = [event for event in trace["traceEvents"] if event["ph"] == "i" and event["cat"] == "unhandled"]
    ids.update(event["args"]["id"] for event in unhandled)
    expect(all(count == 1 for count in ids.values()), "an id that is there twice")
    expect(all(0 < one < LARGEST_ID for one in ids), "an id that JavaScript cannot hold")
    messages = [one for one in slices if one["cat"] == "message"]
    expect(summary["handled"] == len(messages), f"{summary['handled']} were handled, {len(messages)} are there")
    if not may_drop:
        expect(summary["dropped"] == 0, f"{summary['dropped']} entries were dropped")
        expect(summary["messages"] == len(messages) + len(unhandled),
               f"{summary['messages']} messages were sent, {len(messages) + len(unhandled)} are there")
        for one in messages:
            expect("from" in one["args"] and one["args"]["sent"] <= one["ts"] + 0.001, f"handled before it was sent: {one}")
    return messages


def check_causes(trace, slices, may_drop):
    causes = {one["args"]["id"]: one["args"].get("cause") for one in slices}
    for begin in causes:
        seen = set()
        at = begin
        while at in causes:
            expect(at not in seen, f"the causes of {begin} are a circle")
            seen.add(at)
            at = causes[at]
        expect(at is None or may_drop, f"the cause {at} of {begin} is not in the trace")


def check_arrows(trace, slices, may_drop):
    spans = collections.defaultdict(list)
    for one in slices:
        spans[(one["pid"], one["tid"])].append((one["ts"], one["ts"] + one["dur"]))
    ends = collections.defaultdict(list)
    for event in trace["traceEvents"]:
        if event["ph"] in "sf":
            ends[event["id"]].append(event)
    for one, pair in ends.items():
        expect(sorted(event["ph"] for event in pair) == ["f", "s"], f"the arrow {one} has not two ends: {pair}")
    # Looking at each against all slices of a track takes long; some thousands will do.
    for pair in list(ends.values())[:3000]:
        for event in pair:
            on_slice = any(start <= event["ts"] <= end + 0.0005 for start, end in spans[(event["pid"], event["tid"])])
            expect(on_slice, f"an arrow that ends on no slice: {event}")
    with_cause = [one for one in slices if one["cat"] == "message" and "cause" in one["args"]]
    missing = [one for one in with_cause if one["args"]["id"] not in ends]
    expect(may_drop or not missing, f"a message with a cause and no arrow: {missing[:1]}")


def check_grants(trace, messages):
    granted = [event for event in trace["traceEvents"] if event["ph"] == "i" and event["cat"] == "grant"]
    told = [one for one in messages
            if one["name"] == "answered<block_granted>" and not one["args"].get("failed", False)]
    expect(len(granted) >= len(told), f"{len(told)} blocks were granted, but only {len(granted)} with a reason")
    blocks = {event["args"]["block"] for event in granted}
    for one in told:
        expect(one["args"]["block"] in blocks, f"a block without a reason: {one}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--signal", type=int, default=0)
    parser.add_argument("--may-drop", action="store_true")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    trace = run(arguments)
    events = trace["traceEvents"]
    for event in events:
        check_fields(event)
    check_names(events)
    slices = [event for event in events if event["ph"] == "X"]
    messages = check_messages(trace, slices, arguments.may_drop)
    expect(messages, "the trace has no message")
    expect(any(one["cat"] == "call" for one in slices), "the trace has no call")
    check_nesting(slices)
    check_causes(trace, slices, arguments.may_drop)
    check_arrows(trace, slices, arguments.may_drop)
    if not arguments.may_drop:
        check_grants(trace, messages)
    print(f"check_trace: {len(messages)} messages, {len(events)} events")


if __name__ == "__main__":
    main()
