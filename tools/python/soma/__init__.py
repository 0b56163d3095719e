"""soma: stream-ordered memory pools with simulated devices.

    import numpy
    import soma

    with soma.Runtime() as runtime:
        device = runtime.device()
        with device.stream() as stream, device.pool(minimum_block=512) as pool:
            block = pool.malloc(4096, stream)
            array = block.array("float32")
            stream.call(array.fill, 1.5)  # a task, in the stream's order
            stream.synchronize()
            print(array.sum())
            pool.free(block, stream)

Calls that allocate, free or submit return when the operation has its place in the stream, not when it has run. The
interpreter's lock is released while soma works and waits.
"""

from ._soma import (GRANULE_BYTES, Block, Device, Error, Event, FixedSizePool, Kernel, KernelLibrary, OutOfMemoryError,
                    Pool, Runtime, Stream, TimedOutError, VariableSizePool, __version__, replay)

__all__ = ["GRANULE_BYTES", "Block", "Device", "Error", "Event", "FixedSizePool", "Kernel", "KernelLibrary",
           "OutOfMemoryError", "Pool", "Runtime", "Stream", "TimedOutError", "VariableSizePool", "replay"]

for _type in (Block, Device, Error, Event, FixedSizePool, Kernel, KernelLibrary, OutOfMemoryError, Pool, Runtime,
              Stream, TimedOutError, VariableSizePool, replay):
    _type.__module__ = "soma"
