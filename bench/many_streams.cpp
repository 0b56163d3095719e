// Ten thousand streams and a hundred thousand events in one process: how long that takes, and what an idle
// stream costs.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/subjects/soma_subject.hpp"
#include "bench/support/process_memory.hpp"
#include "bench/support/program.hpp"
#include "bench/support/workloads.hpp"

namespace soma::bench {

namespace {

/// Makes `count` of something by `make`, unless the time is over.
template <class Made, class Make>
bool make_all(benchmark::State& state, std::vector<Made>& made, std::size_t count, const char* noun,
              const deadline& limit, Make make) {
  made.reserve(count);
  while (made.size() < count) {
    if (limit.passed()) {
      state.SkipWithError(limit.text(std::to_string(made.size()) + " " + noun).c_str());
      return false;
    }
    made.push_back(make(made.size()));
  }
  return true;
}

/// Every stream allocates and frees, every event is recorded on one stream and waited for by the next. The
/// end of them all counts, too.
void streams_and_events(benchmark::State& state) {
  const std::size_t stream_count = scaled(10'000);
  const std::size_t event_count = scaled(100'000);
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    {
      const deadline limit;
      pool_world world;
      std::vector<soma::stream> streams;
      std::vector<soma::event> events;
      const auto make_stream = [&](std::size_t /*index*/) {
        auto stream = must(world.device.create_stream());
        must(world.pool.free_async(must(world.pool.malloc_async(pair_bytes, stream)), stream));
        return stream;
      };
      const auto make_event = [&](std::size_t index) {
        auto event = must(world.device.create_event());
        must(streams[index % streams.size()].record(event));
        must(streams[(index + 1) % streams.size()].wait(event));
        return event;
      };
      if (!make_all(state, streams, stream_count, "streams", limit, make_stream) ||
          !make_all(state, events, event_count, "events", limit, make_event)) {
        return;
      }
      must(world.device.synchronize());
    }
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}

/// The private memory of many streams, divided by their number. `use` is what each has behind it.
template <class Use>
void idle_stream(benchmark::State& state, std::size_t count, Use use) {
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const deadline limit;
    pool_world world;
    // The first streams bring the threads and buffers that all others share.
    std::vector<soma::stream> first;
    std::vector<soma::stream> streams;
    const auto make_stream = [&](std::size_t /*index*/) {
      auto stream = must(world.device.create_stream());
      use(world, stream);
      return stream;
    };
    constexpr std::size_t first_count = 16;
    if (!make_all(state, first, first_count, "streams", limit, make_stream)) {
      return;
    }
    must(world.device.synchronize());
    streams.reserve(count);
    const auto before = private_bytes();
    if (!make_all(state, streams, count, "streams", limit, make_stream)) {
      return;
    }
    must(world.device.synchronize());
    const auto after = private_bytes();
    state.counters["bytes_per_stream"] =
        after > before ? static_cast<double>(after - before) / static_cast<double>(count) : 0;
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}

void unused(benchmark::State& state) {
  idle_stream(state, scaled(5000), [](pool_world& /*world*/, soma::stream& /*stream*/) {});
}

void used(benchmark::State& state) {
  const auto kernel = empty_kernel();
  idle_stream(state, scaled(2000), [&kernel](pool_world& world, soma::stream& stream) {
    void* const block = must(world.pool.malloc_async(pair_bytes, stream));
    must(stream.launch(kernel, {}, 1));
    must(world.pool.free_async(block, stream));
    must(stream.synchronize());
  });
}

}  // namespace

void register_benchmarks() {
  const auto add_once = [](const char* name, void (*body)(benchmark::State&)) {
    add(name, body)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
  };
  add_once("many/streams_and_events", streams_and_events);
  add_once("many/idle_stream_unused", unused);
  add_once("many/idle_stream_used", used);
}

}  // namespace soma::bench
