// What a malloc and a free cost when much has happened and much is there, against what they cost in a new
// pool.
//
// The work is always the same: on one stream, a random live block is freed and one of a random size
// allocated. The worlds around it differ in live blocks, streams, and records of events that other streams
// have waited for. A world is made once and kept for all repetitions.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "bench/subjects/baseline_subject.hpp"
#include "bench/subjects/soma_subject.hpp"
#include "bench/support/program.hpp"
#include "bench/support/workloads.hpp"

namespace soma::bench {

namespace {

struct past {
  std::string name;
  std::size_t live_blocks = 100;
  std::size_t streams = 1;
  std::size_t records = 0;
};

constexpr std::size_t step_count = std::size_t{1} << 17;

/// A pool with a past, in which one stream works on.
class aged_pool {
public:
  explicit aged_pool(const past& of)
      : live_blocks_(scaled(of.live_blocks)), stream_count_(scaled(of.streams)), records_(scaled(of.records)),
        steps_(random_steps(live_blocks_, small_mix_sizes, step_count)) {
    // nop
  }

  /// Brings the past about; the reason if that takes too long.
  std::optional<std::string> grow_old() {
    const deadline limit;
    while (streams_.size() < stream_count_) {
      if (limit.passed()) {
        return limit.text(std::to_string(streams_.size()) + " streams");
      }
      streams_.push_back(must(world_.device.create_stream()));
      events_.push_back(must(world_.device.create_event()));
    }
    while (live_.size() < live_blocks_) {
      if (limit.passed()) {
        return limit.text(std::to_string(live_.size()) + " live blocks");
      }
      const std::size_t bytes = steps_[live_.size() % step_count].bytes;
      auto& stream = streams_[live_.size() % streams_.size()];
      live_.push_back(must(world_.pool.malloc_async(bytes, stream)));
    }
    for (std::size_t record = 0; record < records_; ++record) {
      if (limit.passed()) {
        return limit.text(std::to_string(record) + " records");
      }
      pass_on(record);
    }
    must(world_.device.synchronize());
    return std::nullopt;
  }

  void step() {
    const replacement& step = steps_[next_];
    next_ = (next_ + 1) % step_count;
    auto& block = live_[step.slot];
    must(world_.pool.free_async(block, streams_.front()));
    block = must(world_.pool.malloc_async(step.bytes, streams_.front()));
  }

private:
  /// A stream frees a block and records an event, the next one waits for it and allocates. Now and then the
  /// host waits.
  void pass_on(std::size_t record) {
    constexpr std::size_t synchronize_after = 10'000;
    const std::size_t from = record % streams_.size();
    auto& to = streams_[(from + 1) % streams_.size()];
    auto& block = live_[record % live_.size()];
    must(world_.pool.free_async(block, streams_[from]));
    must(streams_[from].record(events_[from]));
    must(to.wait(events_[from]));
    block = must(world_.pool.malloc_async(steps_[record % step_count].bytes, to));
    if (record % synchronize_after == 0) {
      must(world_.device.synchronize());
    }
  }

  static constexpr std::uint64_t device_memory = std::uint64_t{1} << 40;

  std::size_t live_blocks_;
  std::size_t stream_count_;
  std::size_t records_;
  std::vector<replacement> steps_;
  std::size_t next_ = 0;
  pool_world world_{512, device_memory};
  std::vector<soma::stream> streams_;
  std::vector<soma::event> events_;
  std::vector<void*> live_;
};

/// A world that is made when it is first asked for, or the reason why there is none.
struct kept_pool {
  std::unique_ptr<aged_pool> pool;
  std::optional<std::string> missing;
};

void age(benchmark::State& state, const past& of, kept_pool& kept) {
  if (!kept.pool && !kept.missing) {
    kept.pool = std::make_unique<aged_pool>(of);
    kept.missing = kept.pool->grow_old();
    if (kept.missing) {
      kept.pool.reset();
    }
  }
  if (kept.missing) {
    state.SkipWithError(kept.missing->c_str());
    return;
  }
  for ([[maybe_unused]] auto _ : state) {
    kept.pool->step();
  }
  state.SetItemsProcessed(state.iterations());
}

/// How the baseline does, which has no past: the rest is the cost of memory that is not in the caches.
void baseline(benchmark::State& state, std::size_t live_blocks) {
  const auto steps = random_steps(live_blocks, small_mix_sizes, step_count);
  baseline_subject subject;
  auto seat = subject.take_seat();
  std::vector<void*> live;
  while (live.size() < live_blocks) {
    live.push_back(seat.allocate(steps[live.size() % step_count].bytes));
  }
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    const replacement& step = steps[next];
    next = (next + 1) % step_count;
    seat.deallocate(live[step.slot], 0);
    live[step.slot] = seat.allocate(step.bytes);
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

void register_benchmarks() {
  constexpr std::size_t many_blocks = 100'000;
  constexpr std::size_t many_streams = 1000;
  constexpr std::size_t many_records = 1'000'000;
  const std::vector<past> pasts{
      {.name = "few"},
      {.name = "blocks", .live_blocks = many_blocks},
      {.name = "streams", .streams = many_streams},
      {.name = "records", .records = many_records},
      {.name = "all", .live_blocks = many_blocks, .streams = many_streams, .records = many_records}};
  for (const past& of : pasts) {
    const auto kept = std::make_shared<kept_pool>();
    at_end([kept] { kept->pool.reset(); });
    add("history/" + of.name, [of, kept](benchmark::State& state) { age(state, of, *kept); })->UseRealTime();
  }
  const auto add_baseline = [](const char* name, std::size_t live_blocks) {
    add(name, [live_blocks](benchmark::State& state) { baseline(state, live_blocks); })->UseRealTime();
  };
  add_baseline("history_baseline/few", past{}.live_blocks);
  add_baseline("history_baseline/blocks", scaled(many_blocks));
}

}  // namespace soma::bench
