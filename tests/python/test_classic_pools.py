"""Pools without stream order, and the module cann_runtime_core over them."""

import ast
import ctypes
import inspect
import pathlib
import threading

import pytest

import cann_runtime_core
import soma


def test_a_fixed_size_pool_of_a_device():
    with soma.Runtime(device_memory=1 << 30) as runtime:
        device = runtime.device()
        with device.fixed_size_pool(1 << 20, 1 << 18) as pool:
            assert (pool.block_bytes, pool.block_count, pool.bytes) == (1 << 18, 4, 1 << 20)
            assert device.memory()["free"] < 1 << 30
            blocks = [pool.allocate(1) for _ in range(4)]
            assert sorted(blocks) == [pool.base + number * (1 << 18) for number in range(4)]
            with pytest.raises(soma.OutOfMemoryError):
                pool.allocate(1)
            pool.free(blocks[0])
            with pytest.raises(soma.Error) as failure:
                pool.free(blocks[0])
            assert failure.value.code == "unknown_address"
            assert pool.owns(blocks[1]) and not pool.owns(1)
        assert device.memory()["free"] == 1 << 30
        pool = device.variable_size_pool(1 << 20)
    assert pool.closed


def test_fixed_size_memory_pool():
    with cann_runtime_core.FixedSizeMemoryPool(pool_size=4096, block_size=1024) as pool:
        assert (pool.block_size, pool.block_count) == (1024, 4)
        blocks = [pool.allocate(size=1000) for _ in range(4)]
        assert len(set(blocks)) == 4
        with pytest.raises(MemoryError):
            pool.allocate()
        with pytest.raises(ValueError, match="2000 bytes were asked for"):
            pool.allocate(size=2000)
        pool.free(blocks[2])
        assert pool.allocate() == blocks[2]
        for wrong in (blocks[0] + 1, 0, 12345):
            with pytest.raises(ValueError):
                pool.free(wrong)
        figures = pool.statistics()
        assert figures["live_blocks"] == 4 and figures["used_size"] == 4096 and figures["free_size"] == 0
        assert figures["refusals"] == 2 and figures["reused"] == 1


def test_variable_size_memory_pool():
    pool = cann_runtime_core.VariableSizeMemoryPool(pool_size=4096)
    first, second, third = (pool.allocate(size=1024) for _ in range(3))
    ctypes.memset(first, 7, 1024)
    assert ctypes.string_at(first, 2) == b"\x07\x07"
    pool.free(first)
    pool.free(third)
    assert 0 < pool.statistics()["fragmentation"] < 1
    pool.free(second)
    assert pool.free_size == 4096 and pool.used_size == 0
    assert pool.statistics()["fragmentation"] == 0
    assert pool.allocate(size=4096) == first
    with pytest.raises(MemoryError, match="largest free piece has 0 bytes"):
        pool.allocate(size=1)
    with pytest.raises(ValueError):
        pool.allocate(size=0)
    pool.close()


def test_threads_share_a_pool():
    pool = cann_runtime_core.VariableSizeMemoryPool(pool_size=1 << 20)
    failures = []

    def work():
        try:
            for size in range(1, 300):
                pool.free(pool.allocate(size=size))
        except Exception as error:  # noqa: BLE001: whatever it is, the test has failed
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert pool.statistics()["allocations"] == 4 * 299 and pool.used_size == 0


def test_a_closed_pool_says_so():
    with cann_runtime_core.FixedSizeMemoryPool(pool_size=64, block_size=64) as pool:
        assert pool.pool_size == 64
    with pytest.raises(soma.Error) as failure:
        pool.allocate()
    assert failure.value.code == "invalid_handle"
    with pytest.raises(soma.Error):
        cann_runtime_core.FixedSizeMemoryPool(pool_size=63, block_size=64)


def test_the_stubs_have_every_public_name():
    stubs = ast.parse(pathlib.Path(cann_runtime_core.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    classes = {each.name: each for each in stubs.body if isinstance(each, ast.ClassDef)}
    for name in ("_MemoryPool", *cann_runtime_core.__all__):
        told = {each.name for each in classes[name].body}
        there = {member for member in vars(getattr(cann_runtime_core, name))
                 if not member.startswith("_") or member in ("__init__", "__enter__", "__exit__")}
        assert there - {"__init__", "__enter__"} <= told
        assert all(inspect.getdoc(vars(getattr(cann_runtime_core, name))[member]) or member.startswith("__")
                   for member in there)
