"""Memory pools without stream order, under the names that CANN programmers know, over soma.

    import cann_runtime_core

    pool = cann_runtime_core.FixedSizeMemoryPool(pool_size=1024 * 1024, block_size=4096)
    address = pool.allocate(size=4096)
    pool.free(address)

All sizes are bytes, and blocks are addresses of host memory. A full pool raises MemoryError; a second free, and an
address that no block begins at, raise ValueError. Pools may be used from several threads. A pool that is closed, by
close() or a with statement, raises soma.Error.
"""

import threading

import soma

__all__ = ["FixedSizeMemoryPool", "VariableSizeMemoryPool"]

_lock = threading.Lock()
_device = None


def _host_device():
    """The device of a runtime that all pools of the process share; pools take nothing of its budget."""
    global _device
    with _lock:
        if _device is None:
            _device = soma.Runtime().device()
        return _device


class _MemoryPool:
    def __init__(self, pool):
        self._pool = pool

    def allocate(self, size):
        """The address of a block for so many bytes."""
        try:
            return self._pool.allocate(size)
        except soma.OutOfMemoryError:
            raise
        except soma.Error as error:
            if error.code == "invalid_argument":
                raise ValueError(error.message) from error
            raise

    def free(self, address):
        """Frees the block at this address."""
        try:
            self._pool.free(address)
        except soma.Error as error:
            if error.code == "unknown_address":
                raise ValueError(error.message) from error
            raise

    def statistics(self):
        """A moment's figures: pool_size, used_size, free_size, requested_size (live blocks, as asked for),
        peak_used_size, largest_free_size in bytes; live_blocks, allocations, frees, refusals, reused as counts; and
        fragmentation, from 0 (all that is free is one piece) to 1."""
        figures = self._pool.statistics()
        return {"pool_size": figures["reserved"], "used_size": figures["used"], "free_size": figures["idle"],
                "requested_size": figures["requested"], "peak_used_size": figures["used_high"],
                "largest_free_size": figures["largest_free"], "fragmentation": figures["fragmentation"],
                **{name: figures[name] for name in ("live_blocks", "allocations", "frees", "refusals", "reused")}}

    @property
    def pool_size(self):
        """The bytes that blocks can have together."""
        return self._pool.statistics()["reserved"]

    @property
    def used_size(self):
        """The bytes of live blocks, at their full size."""
        return self._pool.statistics()["used"]

    @property
    def free_size(self):
        """The bytes that are in no live block."""
        return self._pool.statistics()["idle"]

    def close(self):
        """Gives the pool's memory up; its blocks are gone."""
        self._pool.close()

    def __enter__(self):
        return self

    def __exit__(self, *_why):
        self.close()


class FixedSizeMemoryPool(_MemoryPool):
    """A pool of blocks of one size."""

    def __init__(self, pool_size, block_size):
        super().__init__(_host_device().fixed_size_pool(pool_size, block_size, host=True))

    def allocate(self, size=None):
        """The address of a block; `size` may be anything up to the block size, which it is by default."""
        return super().allocate(self._pool.block_bytes if size is None else size)

    @property
    def block_size(self):
        """The bytes of each block."""
        return self._pool.block_bytes

    @property
    def block_count(self):
        """How many blocks the pool has, live or free."""
        return self._pool.block_count


class VariableSizeMemoryPool(_MemoryPool):
    """A pool of blocks of any size: best fit, split, and merged with both neighbours when freed."""

    def __init__(self, pool_size):
        super().__init__(_host_device().variable_size_pool(pool_size, host=True))
