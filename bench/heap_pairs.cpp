// What a pair of malloc and free costs in the ordered heap alone: no actors, no messages, no memory behind
// it.
//
// LIFO: one block, freed and taken again. Mix: live blocks of 20 sizes from 512 B to 64 MiB; a random one is
// freed and another size taken. Both with the heap as it is in the end, so that what a long run leaves behind
// counts. Cross: eight streams in turn, each after what the one before it did.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/support/program.hpp"
#include "memory/ordered_heap.hpp"
#include "memory/sizes.hpp"

namespace soma::bench {

namespace {

using namespace soma::memory;

constexpr address base{64 * granule_bytes};
constexpr std::uint64_t window_bytes = std::uint64_t{8} << 40;
constexpr std::size_t classes = 20;

// 512 B to 64 MiB, each some 1.86 times the one before.
std::array<std::uint64_t, classes> class_sizes() {
  std::array<std::uint64_t, classes> sizes{};
  for (std::size_t i = 0; i < classes; ++i) {
    const auto exponent = 9.0 + 17.0 * static_cast<double>(i) / (classes - 1);
    sizes.at(i) = round_up(static_cast<std::uint64_t>(std::exp2(exponent)), smallest_block_bytes);
  }
  return sizes;
}

/// A heap as a pool uses it when the device never runs short, and the tasks of its streams.
class bench_heap {
public:
  explicit bench_heap(std::size_t streams) : last_(streams + 1) {}

  address allocate(std::size_t stream, std::uint64_t bytes) {
    wish_.stream = stream_id{stream};
    wish_.asked = bytes;
    wish_.rounded = bytes;
    ++last_[stream];
    if (const auto found = heap_.reuse(wish_)) {
      return found->block.begin;
    }
    const auto place = heap_.plan_growth(wish_);
    if (!place) {
      throw std::runtime_error("the window is full");
    }
    const auto block = heap_.grow(wish_, *place).block.begin;
    for (const auto granules : heap_.departures()) {
      heap_.departed(granules);
    }
    return block;
  }

  void free(std::size_t stream, address block) {
    const position at{stream_id{stream}, sequence_number{++last_[stream]}};
    if (!heap_.give_back(block, at)) {
      throw std::runtime_error("not a block");
    }
    heap_.executed(at);
  }

  /// What the next allocation happens after: all of this stream so far.
  void order_after(std::size_t stream) {
    wish_.ordered = {};
    wish_.ordered.add({stream_id{stream}, sequence_number{last_[stream]}});
  }

  void see(std::size_t stream) {
    order_clock seen;
    seen.add({stream_id{stream}, sequence_number{last_[stream]}});
    heap_.saw(seen);
  }

  ordered_heap& heap() { return heap_; }

private:
  ordered_heap heap_{{base, window_bytes}, window_bytes, smallest_block_bytes};
  request wish_;
  std::vector<std::uint64_t> last_;  // the last task of each stream
};

/// A number of live blocks on one stream; each step replaces a random one.
class mix {
public:
  mix(bench_heap& heap, std::size_t live) : heap_(heap), live_(live) {
    for (auto& block : live_) {
      block = heap_.allocate(1, sizes_.at(random_() % classes));
    }
    for (std::size_t i = 0; i < 20 * live; ++i) {  // so that it has settled down
      step();
    }
  }

  void step() {
    auto& block = live_[random_() % live_.size()];
    heap_.free(1, block);
    block = heap_.allocate(1, sizes_.at(random_() % classes));
  }

private:
  bench_heap& heap_;
  std::array<std::uint64_t, classes> sizes_ = class_sizes();
  std::minstd_rand random_{7};
  std::vector<address> live_;
};

void report(benchmark::State& state, bench_heap& heap) {
  const auto now = heap.heap().figures();
  state.counters["pieces"] = static_cast<double>(heap.heap().index().pieces().size());
  state.counters["reserved/used"] =
      static_cast<double>(now.reserved_high) / static_cast<double>(now.used_high);
  state.counters["moved"] = static_cast<double>(now.granules_moved);
}

void lifo(benchmark::State& state) {
  bench_heap heap(1);
  for ([[maybe_unused]] auto _ : state) {
    heap.free(1, heap.allocate(1, 4096));
  }
  report(state, heap);
}

void steady_mix(benchmark::State& state) {
  bench_heap heap(1);
  mix blocks(heap, static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    blocks.step();
  }
  report(state, heap);
}

// The host waits for the stream now and then, so that part of the idle memory is settled.
void steady_mix_seen(benchmark::State& state) {
  bench_heap heap(1);
  mix blocks(heap, static_cast<std::size_t>(state.range(0)));
  std::uint64_t steps = 0;
  for ([[maybe_unused]] auto _ : state) {
    blocks.step();
    if (++steps % 256 == 0) {
      heap.see(1);
    }
  }
  report(state, heap);
}

void cross_stream(benchmark::State& state) {
  constexpr std::size_t streams = 8;
  bench_heap heap(streams);
  heap.heap().set_reuse_switches({.event = true});
  std::size_t stream = 1;
  auto block = heap.allocate(stream, 4096);
  for ([[maybe_unused]] auto _ : state) {
    heap.free(stream, block);
    heap.order_after(stream);
    stream = stream % streams + 1;
    block = heap.allocate(stream, 4096);
  }
  report(state, heap);
}

// Each of many streams has idle memory of its own.
void lifo_among_owners(benchmark::State& state) {
  const auto streams = static_cast<std::size_t>(state.range(0));
  bench_heap heap(streams);
  for (std::size_t stream = 1; stream <= streams; ++stream) {
    heap.free(stream, heap.allocate(stream, 4096));
  }
  std::size_t stream = 0;
  for ([[maybe_unused]] auto _ : state) {
    stream = stream % streams + 1;
    heap.free(stream, heap.allocate(stream, 4096));
  }
  report(state, heap);
}

// Each of many streams allocates and frees for the first time; the time is for one of them.
void first_pair_of_each(benchmark::State& state) {
  const auto streams = static_cast<std::size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    bench_heap heap(streams);
    for (std::size_t stream = 1; stream <= streams; ++stream) {
      heap.free(stream, heap.allocate(stream, 4096));
    }
  }
  state.counters["pair"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(streams),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

}  // namespace

void register_benchmarks() {
  const auto many = static_cast<std::int64_t>(scaled(100'000));
  const auto owners = static_cast<std::int64_t>(scaled(10'000));
  add("heap/lifo", lifo);
  add("heap/mix", steady_mix)->ArgName("live")->Arg(1000)->Arg(many);
  add("heap/mix_seen", steady_mix_seen)->ArgName("live")->Arg(1000)->Arg(many);
  add("heap/cross_stream", cross_stream);
  add("heap/lifo_among_owners", lifo_among_owners)->ArgName("owners")->Arg(100)->Arg(owners);
  add("heap/first_pair_of_each", first_pair_of_each)
      ->ArgName("owners")
      ->Arg(100)
      ->Arg(owners)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace soma::bench
