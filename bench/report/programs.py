"""Runs the benchmark programs.

Programs whose benchmarks are short run in rounds, one after the other and then all again, and each program takes its
own benchmarks in a random order for each repetition: what disturbs the machine for a while disturbs all that are
compared. Programs that need much time to set up run once.
"""

import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile

import results

IN_ROUNDS = ("pairs", "two_threads", "cross_stream", "stream_calls", "round_trip", "heap_pairs", "tracing",
             "tracing_without")
ONCE = ("history", "many_streams", "bookkeeping", "replay_traces")
# A benchmark of these is one long look, not many short ones.
NO_REPETITIONS = ("many_streams", "bookkeeping")

# How a program's lines begin that belong into the report; all others are Google Benchmark's.
NOTE = "note: "
# jemalloc's thread-local memory does not fit into what the loader keeps for libraries that are opened late.
ENVIRONMENT = {"GLIBC_TUNABLES": "glibc.rtld.optional_static_tls=16384"}


@dataclasses.dataclass(frozen=True)
class Effort:
    name: str
    rounds: int
    repetitions: int
    seconds: float  # the least time of one repetition
    patience: int  # seconds, for one program


EFFORTS = {
    "smoke": Effort("smoke", 1, 1, 0.0005, 120),
    "quick": Effort("quick", 1, 3, 0.03, 60),
    "full": Effort("full", 5, 3, 0.2, 900),
}


def command(program, effort, out, traces):
    repetitions = 1 if program.name in NO_REPETITIONS else effort.repetitions
    options = [
        str(program), f"--effort={effort.name}", f"--benchmark_min_time={effort.seconds}",
        f"--benchmark_repetitions={repetitions}", "--benchmark_enable_random_interleaving=true",
        f"--benchmark_out={out}", "--benchmark_out_format=json",
    ]
    return options + ([f"--traces={traces}"] if traces else [])


def run_program(program, effort, traces):
    """A program's report, or None; and what it had to say."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "report.json"
        try:
            done = subprocess.run(command(program, effort, out, traces), stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, timeout=effort.patience, check=False,
                                  env=ENVIRONMENT | os.environ)
        except OSError as error:
            return None, [f"{program.name} cannot be run: {error.strerror}"]
        except subprocess.TimeoutExpired:
            return None, [f"{program.name} was ended after {effort.patience} s"]
        lines = done.stderr.splitlines()
        notes = [line.removeprefix(NOTE) for line in lines if line.startswith(NOTE)]
        if done.returncode != 0:
            last = lines[-1] if lines else "nothing"
            return None, notes + [f"{program.name} ended with status {done.returncode}, its last line was: {last}"]
        if out.exists() and out.stat().st_size == 0:  # a program without benchmarks, such as the replay without traces
            return {"benchmarks": []}, notes
        try:
            return results.load_json(out), notes
        except results.Unreadable as error:
            return None, notes + [str(error)]


def schedule(effort):
    return list(IN_ROUNDS) * effort.rounds + list(ONCE)


def run_all(folder, effort, traces):
    """The benchmarks' entries and the notes of all programs in the folder."""
    reports, notes, broken = [], [], set()
    order = schedule(effort)
    for number, name in enumerate(order, 1):
        if name in broken:
            continue
        print(f"bench: {number}/{len(order)} {name}", file=sys.stderr, flush=True)
        report, said = run_program(folder / name, effort, traces)
        notes += [line for line in said if line not in notes]
        if report is None:
            broken.add(name)
        else:
            reports.append(report)
    return results.gather(reports), notes
