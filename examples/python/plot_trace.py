"""Replays a trace through a stream-ordered pool, and plots what the pool used and reserved, with matplotlib.

  PYTHONPATH=build/release/python python3 examples/python/plot_trace.py TRACE.csv picture.png

A trace has the header op,id,bytes,stream,time_us, as soma record and soma import write it. Without arguments a small
one is made up. Ends with 77 where matplotlib is missing.
"""

import csv
import sys
import tempfile

import soma

POINTS = 500  # how many moments are plotted at most


def made_up(path):
    """A few rounds of a program whose working set grows and shrinks."""
    with open(path, "w", encoding="ascii", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("op", "id", "bytes", "stream", "time_us"))
        number = 0
        for _ in range(4):
            live = range(number, number + 30)
            rows.writerows(("malloc", each, (each % 7 + 1) << 20, 0, each) for each in live)
            rows.writerows(("free", each, 0, 0, each) for each in live)
            number += 30


def moments(path, pool, stream):
    """Makes the calls of the trace; yields what the pool used and reserved, in bytes, after some of them."""
    with open(path, encoding="ascii", newline="") as file:
        calls = [row for row in csv.DictReader(file) if row["op"] in ("malloc", "free")]
    blocks = {}
    for number, row in enumerate(calls):
        if row["op"] == "malloc" and int(row["bytes"]) > 0:
            blocks[row["id"]] = pool.malloc(int(row["bytes"]), stream)
        elif row["op"] == "free" and row["id"] in blocks:
            pool.free(blocks.pop(row["id"]), stream)
        if number % max(1, len(calls) // POINTS) == 0 or number == len(calls) - 1:
            figures = pool.statistics()
            yield number, figures["used"], figures["reserved"]
    for block in blocks.values():
        pool.free(block, stream)


def plot(points, path):
    import matplotlib
    matplotlib.use("Agg")  # into a file, without a window
    from matplotlib import pyplot

    calls, used, reserved = zip(*points)
    figure, axes = pyplot.subplots(figsize=(9, 4))
    axes.fill_between(calls, [each / 2**20 for each in reserved], step="post", color="lightgray", label="reserved")
    axes.step(calls, [each / 2**20 for each in used], where="post", color="tab:blue", label="used")
    axes.set(xlabel="calls", ylabel="MiB", title="What the pool used and reserved")
    axes.legend()
    figure.savefig(path)


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace, picture = sys.argv[1:] if len(sys.argv) == 3 else (f"{folder}/trace.csv", f"{folder}/picture.png")
        if len(sys.argv) != 3:
            made_up(trace)
        with soma.Runtime() as runtime:
            device = runtime.device()
            with device.stream() as stream, device.pool(minimum_block=512, release_threshold=1 << 40) as pool:
                points = list(moments(trace, pool, stream))
        assert points and all(used <= reserved for _, used, reserved in points)
        try:
            plot(points, picture)
        except ImportError:
            print("matplotlib is missing (Debian: python3-matplotlib): nothing is plotted")
            return 77
        with open(picture, "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n" or not picture.endswith(".png")
    print(f"{len(points)} moments, at most {max(used for _, used, _ in points)} bytes used and "
          f"{max(reserved for _, _, reserved in points)} reserved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
