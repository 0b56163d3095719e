"""Pools, blocks, and numpy arrays over blocks."""

import gc
import subprocess
import sys

import numpy
import pytest

import soma


@pytest.fixture
def device():
    with soma.Runtime(device_memory=1 << 30) as runtime:
        yield runtime.device()


@pytest.fixture
def stream(device):
    with device.stream() as made:
        yield made


def test_a_freed_block_is_reused_by_its_stream(device, stream):
    with device.pool(minimum_block=512) as pool:
        first = pool.malloc(1000, stream)
        pool.free(first, stream)
        assert first.freed
        second = pool.malloc(1000, stream)
        assert second.address == first.address
        assert len(second) == second.bytes == 1000
        figures = pool.statistics()
        assert figures["used"] == 1024 and figures["requested"] == 1000 and figures["live_blocks"] == 1
        assert figures["served"]["same_stream"] == 1
        pool.free(second, stream)
        assert pool.used == 0 and pool.used_high == 1024


def test_an_array_is_the_blocks_memory(device, stream):
    with device.pool(minimum_block=512) as pool:
        block = pool.malloc(24, stream)
        array = block.array("float64")
        matrix = block.array(numpy.int32, (2, 3))
        tail = block.array("uint8", offset=20)
        assert array.shape == (3,) and matrix.shape == (2, 3) and tail.shape == (4,)
        assert array.__array_interface__["data"][0] == block.address
        stream.fill(block, 255)
        stream.synchronize()
        assert (matrix == -1).all() and (tail == 255).all()
        array[:] = [1, 2, 3]
        assert block.array("float64").tolist() == [1, 2, 3]
        pool.free(block, stream)


def test_a_wish_for_a_kind_of_memory_is_granted_or_refused_with_a_reason(device, stream):
    with device.pool(huge_pages=True, numa_node=1000) as pool:
        kind = pool.kind()
        assert not kind["numa_node"] and "no memory of NUMA node 1000: " in kind["refused"]
        assert kind["huge_pages"] != ("no huge pages: " in kind["refused"])
        block = pool.malloc(1 << 20, stream)
        stream.fill(block, 1)
        stream.synchronize()
        assert pool.kind()["resident"] == 1 << 20
        pool.free(block, stream)
    with device.pool() as pool:
        assert pool.kind() == {"huge_pages": False, "numa_node": False, "refused": "", "resident": 0, "huge": 0,
                               "on_node": 0}


@pytest.mark.parametrize("arguments", [("float64", (4,)), ("uint8", (-1,)), ("uint8", (1 << 40, 1 << 40)),
                                       ("uint8", None, 25)])
def test_an_array_must_fit_into_its_block(device, stream, arguments):
    with device.pool() as pool:
        block = pool.malloc(24, stream)
        with pytest.raises(soma.Error) as failure:
            block.array(*arguments)
        assert failure.value.code == "invalid_argument"
        pool.free(block, stream)
        with pytest.raises(soma.Error, match="the block was freed"):
            block.array()


def test_an_array_outlives_its_pool_and_runtime():
    with soma.Runtime() as runtime:
        device = runtime.device()
        stream, pool = device.stream(), device.pool()
        array = pool.malloc(4096, stream).array("int64")
        stream.synchronize()
        array[:] = 3
    del runtime, device, stream, pool
    gc.collect()
    assert array.sum() == 3 * 512
    array[0] = 4
    assert array[0] == 4


def test_a_second_free_is_refused(device, stream):
    with device.pool() as pool:
        block = pool.malloc(1, stream)
        pool.free(block, stream)
        with pytest.raises(soma.Error) as failure:
            pool.free(block, stream)
        assert failure.value.code == "unknown_address"


def test_a_pool_that_cannot_serve_says_why(device, stream):
    with device.pool(limit=4 << 20) as pool:
        with pytest.raises(soma.OutOfMemoryError, match="wanted 8388608 bytes .* limit 4194304 bytes") as failure:
            pool.malloc(8 << 20, stream)
        assert isinstance(failure.value, MemoryError) and failure.value.code == "out_of_memory"
        with pytest.raises(soma.Error) as failure:
            pool.malloc(0, stream)
        assert failure.value.code == "invalid_argument"


def test_reuse_along_an_event(device, stream):
    with device.pool(reuse="event") as pool, device.stream() as other, device.event() as event:
        first = pool.malloc(1, stream)
        pool.free(first, stream)
        stream.record(event)
        other.wait(event)
        second = pool.malloc(1, other)
        assert second.address == first.address
        assert pool.statistics()["served"]["event"] == 1
        pool.free(second, other)


def test_settings_are_read_and_written(device):
    with device.pool(reuse="all", release_threshold=5) as pool:
        assert (pool.reuse_event, pool.reuse_opportunistic, pool.reuse_internal) == (1, 1, 1)
        pool.reuse_internal = 0
        pool.release_threshold = 1 << 20
        assert pool.reuse_internal == 0 and pool.release_threshold == 1 << 20
        with pytest.raises(AttributeError):
            pool.used = 1
    with pytest.raises(soma.Error, match="and not 'sometimes'"):
        device.pool(reuse="sometimes")
    with pytest.raises(soma.Error) as failure:
        device.pool(minimum_block=1000)
    assert failure.value.code == "invalid_argument"


def test_trim_gives_idle_memory_back(device, stream):
    with device.pool(release_threshold=1 << 30) as pool:
        pool.free(pool.malloc(10 << 20, stream), stream)
        stream.synchronize()
        assert pool.reserved == 10 << 20
        pool.trim(4 << 20)
        assert pool.reserved == 4 << 20
        pool.trim()
        assert pool.reserved == 0


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)


def test_the_interpreter_ends_with_work_queued_and_nothing_closed():
    done = run("""
import os, soma
runtime = soma.Runtime()
device = runtime.device()
stream, pool = device.stream(), device.pool()
block = pool.malloc(100, stream)
for number in range(50):
    stream.call(lambda number: os.write(1, b"%d\\n" % number), number)  # whole lines, from any thread
os.write(1, b"end\\n")
""")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == sorted([str(number) for number in range(50)] + ["end"])


def test_a_child_after_fork_gets_errors_and_ends_well():
    done = run("""
import os, soma
runtime = soma.Runtime()
device = runtime.device()
stream = device.stream()
if os.fork() == 0:
    try:
        stream.synchronize()
    except soma.Error as error:
        print(error.code, flush=True)
    os._exit(0)
os.wait()
""")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "forked_child\n"
