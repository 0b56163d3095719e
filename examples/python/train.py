"""Trains a small network in numpy whose arrays all lie in a stream-ordered pool.

  PYTHONPATH=build/release/python python3 examples/python/train.py

Activations and gradients are allocated and freed in each step, as a framework does it; the pool gives the same memory
out again and again.
"""

import numpy

import soma

STEPS, SAMPLES, INPUTS, HIDDEN = 300, 128, 8, 32


class Arrays:
    """Arrays on a pool, allocated and freed in the order of one stream."""

    def __init__(self, pool, stream):
        self.pool, self.stream, self.blocks = pool, stream, {}

    def new(self, *shape):
        block = self.pool.malloc(4 * int(numpy.prod(shape)), self.stream)
        array = block.array("float32", shape)
        self.blocks[id(array)] = block
        return array

    def free(self, *arrays):
        for array in arrays:
            self.pool.free(self.blocks.pop(id(array)), self.stream)


def train(arrays, stream, inputs, wanted):
    random = numpy.random.default_rng(1)
    first, second = arrays.new(INPUTS, HIDDEN), arrays.new(HIDDEN, 1)
    first_start = random.normal(0, 0.5, first.shape).astype("float32")
    second_start = random.normal(0, 0.5, second.shape).astype("float32")
    stream.copy(arrays.blocks[id(first)], first_start)
    stream.copy(arrays.blocks[id(second)], second_start)
    losses = []

    def step(hidden, output, error, hidden_error):
        numpy.tanh(inputs @ first, out=hidden)
        numpy.matmul(hidden, second, out=output)
        numpy.subtract(output, wanted, out=error)
        losses.append(float((error * error).mean()))
        numpy.matmul(error, second.T, out=hidden_error)
        hidden_error *= 1 - hidden * hidden
        second[:] -= 0.1 / SAMPLES * hidden.T @ error
        first[:] -= 0.1 / SAMPLES * inputs.T @ hidden_error

    for _ in range(STEPS):
        hidden, output = arrays.new(SAMPLES, HIDDEN), arrays.new(SAMPLES, 1)
        error, hidden_error = arrays.new(SAMPLES, 1), arrays.new(SAMPLES, HIDDEN)
        stream.call(step, hidden, output, error, hidden_error)
        arrays.free(hidden, output, error, hidden_error)
    stream.synchronize()
    arrays.free(first, second)
    return losses


def main():
    random = numpy.random.default_rng(0)
    inputs = random.normal(0, 1, (SAMPLES, INPUTS)).astype("float32")
    wanted = numpy.sin(inputs.sum(axis=1, keepdims=True)).astype("float32")
    with soma.Runtime() as runtime:
        device = runtime.device()
        with device.stream() as stream, device.pool(minimum_block=512, release_threshold=1 << 30) as pool:
            losses = train(Arrays(pool, stream), stream, inputs, wanted)
            figures = pool.statistics()
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f} after {len(losses)} steps")
    print(f"{sum(figures['served'].values())} blocks, {figures['served']['same_stream']} of them reused; "
          f"at most {figures['used_high']} bytes used, {figures['reserved_high']} reserved")
    assert losses[-1] < losses[0] / 2 and figures["live_blocks"] == 0


if __name__ == "__main__":
    main()
