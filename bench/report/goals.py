"""The goals: for each what is measured, the limit, and how the figure comes out of the results.

A measure is a function of the benchmarks (results.gather) that returns a Figure. It raises Missing if a benchmark that
it needs is not there, and NotReached if that one gave up because of its limit of time.
"""

import dataclasses
import typing


class Missing(Exception):
    """What was not measured."""


class NotReached(Exception):
    """What took too long; the text is the benchmark's."""


@dataclasses.dataclass(frozen=True)
class Figure:
    value: float
    detail: str = ""


@dataclasses.dataclass(frozen=True)
class Goal:
    key: str
    section: str
    text: str
    sense: str  # "at most", "under", "at least"; "" where there is no goal
    limit: float
    unit: str
    measure: typing.Callable[[dict], Figure]


def entry(benchmarks, name):
    found = benchmarks.get(name)
    if found is None:
        raise Missing(f"{name} was not run")
    if "error" in found:
        if found["error"].startswith("not reached"):
            raise NotReached(found["error"])
        raise Missing(f"{name}: {found['error']}")
    return found


def ns_of(benchmarks, name):
    return entry(benchmarks, name)["ns"]


def counter_of(benchmarks, name, counter):
    counters = entry(benchmarks, name)["counters"]
    if counter not in counters:
        raise Missing(f"{name} has no {counter}")
    return counters[counter]


def short_ns(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= 10 * size or (unit == "s" and ns >= size):
            return f"{ns / size:,.1f} {unit}"
    return f"{ns:,.1f} ns"


# -- kinds of measures ----------------------------------------------------------------------------------------------


def time_of(name):
    return lambda benchmarks: Figure(ns_of(benchmarks, name))


def ratio_of(name, peer):
    """Time against the peer's time: less is better."""

    def measure(benchmarks):
        own, others = ns_of(benchmarks, name), ns_of(benchmarks, peer)
        return Figure(own / others, f"{short_ns(own)} against {short_ns(others)}")

    return measure


def throughput_of(name, peer):
    """Throughput against the peer's: more is better."""

    def measure(benchmarks):
        own, others = ns_of(benchmarks, name), ns_of(benchmarks, peer)
        return Figure(others / own, f"{1e3 / own:.2f} against {1e3 / others:.2f} million pairs/s")

    return measure


def added_by_call(name, without, calls):
    def measure(benchmarks):
        own, others = ns_of(benchmarks, name), ns_of(benchmarks, without)
        return Figure((own - others) / calls, f"{calls} calls: {short_ns(own)} against {short_ns(others)}")

    return measure


def added_by_message(name):
    """What recording adds to a message: the time with it less that of the same messages in a library without."""

    def measure(benchmarks):
        traced, unrecorded = f"{name}/traced", f"{name}/without_by_messages"
        own, others = ns_of(benchmarks, traced), ns_of(benchmarks, unrecorded)
        messages = counter_of(benchmarks, traced, "messages")
        return Figure((own - others) / messages,
                      f"{messages:.0f} messages: {short_ns(own)} against {short_ns(others)}, {own / others:.2f} x")

    return measure


def seconds_of(name):
    return lambda benchmarks: Figure(ns_of(benchmarks, name) / 1e9)


def counter(name, counter_name, detail=""):
    return lambda benchmarks: Figure(counter_of(benchmarks, name, counter_name), detail)


def worst_idle_stream(benchmarks):
    unused = counter_of(benchmarks, "many/idle_stream_unused", "bytes_per_stream")
    used = counter_of(benchmarks, "many/idle_stream_used", "bytes_per_stream")
    return Figure(max(unused, used), f"{unused:,.0f} B never used, {used:,.0f} B after use")


def bookkeeping(name):
    def measure(benchmarks):
        per_block = counter_of(benchmarks, name, "bytes_per_block")
        return Figure(counter_of(benchmarks, name, "percent_of_managed"), f"{per_block:,.0f} B for each live block")

    return measure


# -- traces ---------------------------------------------------------------------------------------------------------

REPLAY = "replay/"
ALL_REUSE = "_reuse_all"
SCALED = "_times_64"
TRACE_LIMIT = 1.03
ALL_REUSE_LIMIT = 1.05


def reserved(name):
    def measure(benchmarks):
        ratio = counter_of(benchmarks, name, "reserved_to_requested")
        return Figure(ratio, f"{1e9 / ns_of(benchmarks, name):,.0f} operations/s")

    return measure


def worst_trace(counter_name, share_of=None):
    """The largest of all traces; as percent of another counter if one is named."""

    def measure(benchmarks):
        names = [name for name in benchmarks if name.startswith(REPLAY) and not name.endswith(SCALED)]
        if not names:
            raise Missing("no trace was replayed")

        def figure(name):
            value = counter_of(benchmarks, name, counter_name)
            return 100 * value / counter_of(benchmarks, name, share_of) if share_of else value

        worst = max(names, key=figure)
        return Figure(figure(worst), worst.removeprefix(REPLAY))

    return measure


def trace_goal(name):
    trace = name.removeprefix(REPLAY)
    sense, limit = "at most", TRACE_LIMIT
    if trace.endswith(ALL_REUSE):
        limit = ALL_REUSE_LIMIT
    elif trace.endswith(SCALED) or "10streams" in trace:
        sense, limit = "", 0  # see docs/performance.md
    return Goal(name, "Traces: peak reserved / peak requested", trace, sense, limit, "x", reserved(name))


def trace_goals(benchmarks):
    names = sorted(name for name in benchmarks if name.startswith(REPLAY))
    if not names:
        def nothing(_):
            raise Missing("there are no traces")

        return [Goal("replay", "Traces: peak reserved / peak requested", "each trace", "at most", TRACE_LIMIT, "x",
                     nothing)]
    return [trace_goal(name) for name in names]


# -- the list -------------------------------------------------------------------------------------------------------

SPEED = "Malloc and free, against the baseline of the same run"
CALLS = "Other calls"
SCALE = "Many and old"
TRACING = "A trace of messages"
SYSTEM = "Requests to the system, worst of all traces"
PEERS = "For comparison"

FIXED = [
    Goal("lifo", SPEED, "one block, LIFO", "at most", 0.6, "x", ratio_of("lifo/soma", "lifo/baseline")),
    Goal("mix", SPEED, "steady mix, 1000 live", "at most", 0.8, "x", ratio_of("mix/soma", "mix/baseline")),
    Goal("two_threads", SPEED, "two threads, throughput", "at least", 8, "x",
         throughput_of("two_threads/soma", "two_threads/baseline")),
    Goal("cross_stream", SPEED, "across streams, with events", "at most", 1.5, "x",
         ratio_of("cross_stream/soma", "cross_stream/baseline")),
    Goal("c_call", SPEED, "the C interface adds to a call", "at most", 25, "ns",
         added_by_call("lifo/soma_c", "lifo/soma_granules", 2)),
    Goal("launch", CALLS, "launch of an empty kernel", "under", 150, "ns", time_of("launch/submission")),
    Goal("launch_executed", CALLS, "launch with its execution", "under", 1000, "ns", time_of("launch/with_execution")),
    Goal("record_and_wait", CALLS, "event record + wait", "under", 500, "ns", time_of("event/record_and_wait")),
    Goal("synchronize", CALLS, "synchronize of an idle stream", "under", 300, "ns",
         time_of("synchronize/idle_stream")),
    Goal("tracing_off_lifo", TRACING, "off, against none, LIFO pairs", "at most", 1.05, "x",
         ratio_of("tracing_lifo/untraced", "tracing_lifo/without")),
    Goal("tracing_off_events", TRACING, "off, against none, record + wait", "at most", 1.05, "x",
         ratio_of("tracing_events/untraced", "tracing_events/without")),
    Goal("traced_lifo", TRACING, "adds to a message, LIFO pairs", "under", 150, "ns", added_by_message("tracing_lifo")),
    Goal("traced_events", TRACING, "adds to a message, record + wait", "under", 150, "ns",
         added_by_message("tracing_events")),
    Goal("traced_to_untraced_lifo", TRACING, "  on, against off, LIFO pairs", "", 0, "x",
         ratio_of("tracing_lifo/traced", "tracing_lifo/untraced")),
    Goal("traced_to_untraced_events", TRACING, "  on, against off, record + wait", "", 0, "x",
         ratio_of("tracing_events/traced", "tracing_events/untraced")),
    Goal("many", SCALE, "10,000 streams, 100,000 events", "at most", 60, "s", seconds_of("many/streams_and_events")),
    Goal("idle_stream", SCALE, "an idle stream", "under", 4096, "B", worst_idle_stream),
    Goal("history", SCALE, "a pair with much behind it / with little", "at most", 2, "x",
         ratio_of("history/all", "history/few")),
    Goal("history_blocks", SCALE, "  100,000 live blocks alone", "", 0, "x",
         ratio_of("history/blocks", "history/few")),
    Goal("history_streams", SCALE, "  1000 streams alone", "", 0, "x", ratio_of("history/streams", "history/few")),
    Goal("history_records", SCALE, "  a million past records alone", "", 0, "x",
         ratio_of("history/records", "history/few")),
    Goal("history_baseline", SCALE, "  the baseline, 100,000 live blocks", "", 0, "x",
         ratio_of("history_baseline/blocks", "history_baseline/few")),
    Goal("bookkeeping", SCALE, "bookkeeping, real sizes", "under", 1, "%", bookkeeping("bookkeeping/real_sizes")),
    Goal("bookkeeping_smallest", SCALE, "  blocks of 512 B only", "", 0, "%",
         bookkeeping("bookkeeping/smallest_blocks")),
    Goal("calls", SYSTEM, "calls for 100 mallocs, second pass", "under", 5, "%", worst_trace("calls_percent")),
    Goal("mappings", SYSTEM, "mappings, of what is allowed", "at most", 50, "%",
         worst_trace("mappings", "mapping_limit")),
]

WORKLOADS = [("lifo", "one block, LIFO"), ("mix", "steady mix"), ("two_threads", "two threads")]
OTHERS = [("soma_c", "soma, C interface, granules"), ("soma_granules", "soma, blocks of granules"),
          ("mimalloc", "mimalloc"), ("jemalloc", "jemalloc"), ("tbb", "TBB"), ("pmr", "pmr pool"),
          ("caf", "naive CAF request")]


def peer_rows():
    rows = []
    for workload, text in WORKLOADS:
        measure = throughput_of if workload == "two_threads" else ratio_of
        for subject, noun in OTHERS:
            name = f"{workload}/{subject}"
            rows.append(Goal(name, PEERS, f"{text}: {noun}", "", 0, "x", measure(name, f"{workload}/baseline")))
    rows.append(Goal("cross_stream_64", PEERS, "across streams, 64 blocks an event", "", 0, "x",
                     ratio_of("cross_stream_64_blocks/soma", "cross_stream_64_blocks/baseline")))
    for name, text in (("caller_runs_the_actor", "asking an actor, soma's way"),
                       ("a_worker_runs_the_actor", "asking an actor by a worker"),
                       ("caf_request_receive", "asking an actor, CAF's request")):
        rows.append(Goal(name, PEERS, text, "", 0, "ns", time_of(f"round_trip/{name}")))
    return rows


def all_goals(benchmarks):
    speed_first = [goal for goal in FIXED if goal.section != SYSTEM]
    system_last = [goal for goal in FIXED if goal.section == SYSTEM]
    return speed_first + trace_goals(benchmarks) + system_last + peer_rows()
