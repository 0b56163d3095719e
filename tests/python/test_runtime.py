"""Runtimes, devices, streams and events from Python."""

import gc
import shutil
import struct
import subprocess
import threading

import numpy
import pytest

import soma


@pytest.fixture
def runtime():
    with soma.Runtime(device_memory=1 << 30) as made:
        yield made


@pytest.fixture
def device(runtime):
    return runtime.device()


def test_a_device_has_a_budget_and_an_index(runtime, device):
    assert runtime.device_count == 1
    assert device.index == 0
    assert device.memory() == {"free": 1 << 30, "total": 1 << 30}


def test_a_device_that_is_not_there_is_an_error_with_its_code(runtime):
    with pytest.raises(soma.Error) as failure:
        runtime.device(7)
    assert failure.value.code == "no_such_device"
    assert failure.value.message == str(failure.value)
    assert "7" in failure.value.message


def test_tasks_run_in_the_order_of_their_stream(device):
    done = []
    with device.stream() as stream:
        for number in range(100):
            stream.call(done.append, number)
        stream.synchronize()
        assert stream.query()
    assert done == list(range(100))


def test_what_a_task_raises_is_the_streams_error_once(device):
    def broken():
        raise ValueError("three is no colour")

    with device.stream() as stream:
        stream.call(broken)
        with pytest.raises(soma.Error, match=r"ValueError: three is no colour \(.*test_runtime.py:\d+, in broken\)") as failure:
            stream.synchronize()
        assert failure.value.code == "task_failed"
        stream.synchronize()


def test_a_stream_that_stops_on_failure_takes_no_work(device):
    with device.stream(stop_on_failure=True) as stream:
        stream.call(lambda: 1 // 0)
        with pytest.raises(soma.Error, match="ZeroDivisionError"):
            stream.synchronize()
        with pytest.raises(soma.Error) as failure:
            stream.call(print)
        assert failure.value.code == "stream_stopped"


def test_a_task_may_not_submit(device):
    errors = []
    with device.stream() as stream, device.pool() as pool:
        def submit():
            try:
                pool.malloc(1, stream)
            except soma.Error as error:
                errors.append(error.code)
        stream.call(submit)
        stream.synchronize()
    assert errors == ["not_permitted"]


def test_an_event_orders_two_streams(device):
    order = []
    opened = threading.Event()
    with device.stream() as first, device.stream() as second, device.event() as event:
        assert not event.recorded
        first.call(opened.wait)
        first.call(order.append, "first")
        first.record(event)
        second.wait(event)
        second.call(order.append, "second")
        assert event.recorded and not event.query() and not second.query()
        opened.set()
        second.synchronize()
        event.synchronize()
        assert event.query()
    assert order == ["first", "second"]


def test_waiting_has_a_limit(device):
    opened = threading.Event()
    with device.stream() as stream:
        stream.call(opened.wait)
        with pytest.raises(TimeoutError) as failure:
            stream.synchronize(timeout=0.001)
        assert failure.value.code == "timed_out"
        opened.set()
        stream.synchronize(timeout=60)
        for wrong in (-1, float("nan")):
            with pytest.raises(soma.Error) as failure:
                stream.synchronize(timeout=wrong)
            assert failure.value.code == "invalid_argument"


def test_the_lock_of_the_interpreter_is_released_while_waiting(device):
    """The thread that opens the gate could not run otherwise."""
    opened = threading.Event()
    with device.stream() as stream:
        stream.call(opened.wait)
        opener = threading.Thread(target=opened.set)
        opener.start()
        stream.synchronize()
        opener.join()


def test_several_threads_use_one_stream(device):
    count = 0

    def add():
        nonlocal count
        count += 1

    with device.stream() as stream:
        def submit():
            for _ in range(200):
                stream.call(add)
                stream.query()
        threads = [threading.Thread(target=submit) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stream.synchronize()
    assert count == 800


def test_callables_and_their_arguments_are_let_go(device):
    class Witness:
        pass

    import weakref
    with device.stream() as stream:
        witness = Witness()
        seen = weakref.ref(witness)
        stream.call(lambda kept: None, witness)
        del witness
        stream.synchronize()
        device.synchronize()
        for _ in range(1000):  # the engine lets go behind the synchronize
            gc.collect()
            if seen() is None:
                break
            stream.call(int)
            stream.synchronize()
        assert seen() is None


def test_copies_take_blocks_arrays_and_addresses(device):
    with device.stream() as stream, device.pool(minimum_block=512) as pool:
        source = numpy.arange(256, dtype="uint8")
        target = numpy.zeros(256, dtype="uint8")
        block = pool.malloc(256, stream)
        stream.copy(block, source)
        stream.copy(target, block.address, 256)
        stream.fill(block, 7, bytes=1)
        back = bytearray(2)
        stream.copy(back, block)
        stream.synchronize()
        assert (target == source).all()
        assert back == bytes([7, 1])
        with pytest.raises(soma.Error, match="300 bytes are more than the 256"):
            stream.copy(block, source, 300)
        with pytest.raises(soma.Error, match="give the bytes"):
            stream.copy(block.address, block.address)
        with pytest.raises(soma.Error, match="256 is no byte"):
            stream.fill(block, 256)
        with pytest.raises(BufferError):
            stream.copy(b"cannot be written", block)
        pool.free(block, stream)


def test_what_was_closed_says_so(device):
    stream = device.stream()
    stream.close()
    stream.close()
    assert stream.closed
    with pytest.raises(soma.Error, match="the stream was closed") as failure:
        stream.synchronize()
    assert failure.value.code == "invalid_handle"


def test_the_end_of_a_runtime_closes_its_parts():
    with soma.Runtime() as runtime:
        device = runtime.device()
        stream, event, pool = device.stream(), device.event(), device.pool()
        done = []
        stream.call(done.append, 1)
    assert done == [1], "what is queued is waited for"
    assert stream.closed and event.closed and pool.closed and runtime.closed
    with pytest.raises(soma.Error, match="the device was closed"):
        device.stream()


def test_runtimes_come_and_go():
    for _ in range(20):
        with soma.Runtime() as runtime:
            device = runtime.device()
            with device.stream() as stream, device.pool() as pool:
                pool.free(pool.malloc(1, stream), stream)


def test_the_race_detector_names_the_places_in_python():
    with soma.Runtime(check=True) as runtime:
        device = runtime.device()
        with device.stream() as writer, device.stream() as reader, device.pool(minimum_block=512) as pool:
            block = pool.malloc(64, writer)
            writer.fill(block, 1)
            reader.fill(block, 2)
            device.synchronize()
            pool.free(block, writer)
            device.synchronize()
            reports = runtime.check_reports()
    assert any("use_before_malloc" in report and "test_runtime.py:" in report for report in reports), reports


def test_a_kernel_library_that_is_missing_is_an_error():
    with pytest.raises(soma.Error) as failure:
        soma.KernelLibrary("/no/such/library.so")
    assert failure.value.code == "file_not_readable"


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_kernel_comes_from_a_shared_library(device, tmp_path):
    source = tmp_path / "kernels.c"
    source.write_text("""
        #include <stddef.h>
        #include <stdint.h>
        int add_index(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
          uint32_t* words = *(uint32_t* const*)arguments;
          words[block] += block;
          return bytes == sizeof words && blocks == 4 ? 0 : 1;
        }
    """)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "kernels.so", source], check=True)
    kernel = soma.KernelLibrary(str(tmp_path / "kernels.so")).kernel("add_index")
    words = numpy.full(4, 10, dtype="uint32")
    with device.stream() as stream:
        stream.launch(kernel, struct.pack("N", words.ctypes.data), blocks=4)
        stream.synchronize()
        assert words.tolist() == [10, 11, 12, 13]
        stream.launch(kernel, struct.pack("N", words.ctypes.data), blocks=3)
        with pytest.raises(soma.Error) as failure:
            stream.synchronize()
    assert failure.value.code == "task_failed"
