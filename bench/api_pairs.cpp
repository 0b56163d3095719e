// The cost of a malloc and a free through the C++ interface: one block over and over, with a thousand live
// ones, and handed from stream to stream along an event. A mutex around nothing shows the machine's speed.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <mutex>
#include <random>
#include <vector>

#include "soma/soma.hpp"

namespace {

template <class T>
T must(soma::expected<T> result) {
  if (!result) {
    std::cerr << result.error().message << '\n';
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

struct setup {
  soma::runtime runtime = must(soma::runtime::create());
  soma::device device = must(runtime.get_device());
  soma::pool pool = must(device.create_pool(
      {.minimum_block = 512, .reuse = {.event = true}, .release_threshold = ~std::uint64_t{0}}));
};

void one_block(benchmark::State& state) {
  setup with;
  auto stream = must(with.device.create_stream());
  while (state.KeepRunning()) {
    must(with.pool.free_async(must(with.pool.malloc_async(4096, stream)), stream));
  }
}
BENCHMARK(one_block)->Name("pair/one_block")->UseRealTime();

void thousand_live(benchmark::State& state) {
  setup with;
  auto stream = must(with.device.create_stream());
  std::mt19937 random(1);
  const auto size = [&] { return std::size_t{512} << (random() % 16); };
  std::vector<void*> live(1000);
  for (auto& block : live) {
    block = must(with.pool.malloc_async(size(), stream));
  }
  while (state.KeepRunning()) {
    auto& block = live[random() % live.size()];
    must(with.pool.free_async(block, stream));
    block = must(with.pool.malloc_async(size(), stream));
  }
}
BENCHMARK(thousand_live)->Name("pair/thousand_live")->UseRealTime();

void across_streams(benchmark::State& state) {
  setup with;
  auto from = must(with.device.create_stream());
  auto to = must(with.device.create_stream());
  auto event = must(with.device.create_event());
  auto* block = must(with.pool.malloc_async(4096, from));
  while (state.KeepRunning()) {
    must(with.pool.free_async(block, from));
    must(from.record(event));
    must(to.wait(event));
    block = must(with.pool.malloc_async(4096, to));
    std::swap(from, to);
  }
}
BENCHMARK(across_streams)->Name("pair/across_streams_with_event")->UseRealTime();

void mutex_pair(benchmark::State& state) {
  std::mutex mutex;
  while (state.KeepRunning()) {
    const std::lock_guard first(mutex);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(mutex_pair)->Name("peer/mutex_lock_unlock")->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
