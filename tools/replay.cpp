#include "tools/replay.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "soma/soma.hpp"
#include "tools/replay_budget.hpp"
#include "tools/replay_check.hpp"
#include "tools/replay_history.hpp"
#include "tools/stream_gate.hpp"

namespace soma::tools {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t batch_steps_max = 1024;

tl::unexpected<trace_error> fail(std::uint64_t line, std::string reason) {
  return tl::unexpected(trace_error{.line = line, .reason = std::move(reason)});
}

/// What a plan is replayed on.
struct stage {
  soma::runtime runtime;
  soma::device device;
  soma::pool pool;
  std::vector<soma::stream> streams;
  std::vector<soma::event> events;
};

expected<stage> set_stage(const replay_plan& plan, const pool_options& pool, std::uint64_t device_memory) {
  auto made_runtime = runtime::create({.devices = 1, .device_memory = device_memory});
  if (!made_runtime) {
    return tl::unexpected(made_runtime.error());
  }
  auto device = made_runtime->get_device();
  if (!device) {
    return tl::unexpected(device.error());
  }
  auto made_pool = device->create_pool(pool);
  if (!made_pool) {
    return tl::unexpected(made_pool.error());
  }
  stage made{.runtime = std::move(*made_runtime),
             .device = std::move(*device),
             .pool = std::move(*made_pool),
             .streams = {},
             .events = {}};
  while (made.streams.size() < plan.streams) {
    auto stream = made.device.create_stream();
    if (!stream) {
      return tl::unexpected(stream.error());
    }
    made.streams.push_back(std::move(*stream));
  }
  while (made.events.size() < plan.events) {
    auto event = made.device.create_event();
    if (!event) {
      return tl::unexpected(event.error());
    }
    made.events.push_back(std::move(*event));
  }
  return made;
}

class replayer {
public:
  replayer(const replay_plan& plan, stage& on, const replay_settings& settings, replay_history* history)
      : plan_(plan), on_(on), check_(settings.pool.minimum_block), addresses_(plan.blocks.size(), nullptr),
        batch_steps_max_(history == nullptr ? batch_steps_max : 1) {
    if (settings.held) {
      gate_.emplace(on.streams);
    }
    if (history != nullptr) {
      recorder_.emplace(plan, settings.pool.minimum_block, on.pool.base(), *history);
    }
  }

  tl::expected<void, trace_error> run(const progress_callback& progress) {
    if (const auto closed = close_gate(); !closed) {
      return fail(0, closed.error().message);
    }
    for (std::size_t begin = 0; begin < plan_.steps.size();) {
      const std::size_t end = batch_end(begin);
      if (const auto done = run_batch(begin, end); !done) {
        return tl::unexpected(done.error());
      }
      begin = end;
      if (progress) {
        progress(begin, plan_.steps.size());
      }
    }
    return {};
  }

  /// Ends the replay outside of the timed part, so that errors of tasks come to light.
  tl::expected<pool_statistics, trace_error> finish() {
    const auto last = on_.pool.statistics();
    if (!last) {
      return fail(0, last.error().message);
    }
    open_gate();
    if (const auto done = on_.device.synchronize(); !done) {
      return fail(0, done.error().message);
    }
    const auto now = on_.pool.statistics();
    if (!now) {
      return fail(0, now.error().message);
    }
    if (const auto compared = check_.compare(*now); !compared) {
      return fail(0, compared.error());
    }
    return *last;
  }

  [[nodiscard]] std::chrono::nanoseconds duration() const noexcept { return duration_; }

private:
  [[nodiscard]] std::size_t batch_end(std::size_t begin) const {
    const std::size_t limit = std::min(plan_.steps.size(), begin + batch_steps_max_);
    const auto first = plan_.steps.begin();
    const auto at = [first](std::size_t index) { return first + static_cast<std::ptrdiff_t>(index); };
    const auto found = std::find_if(
        at(begin), at(limit), [](const replay_step& step) { return step.kind == step_kind::synchronize; });
    return found == at(limit) ? limit : static_cast<std::size_t>(found - first) + 1;
  }

  tl::expected<void, trace_error> run_batch(std::size_t begin, std::size_t end) {
    const clock::time_point start = clock::now();
    std::size_t done = begin;
    expected<void> submitted;
    while (done < end && (submitted = submit(plan_.steps[done]))) {
      ++done;
    }
    duration_ += clock::now() - start;
    for (std::size_t index = begin; index < done; ++index) {
      if (const auto checked = check(plan_.steps[index]); !checked) {
        return fail(plan_.steps[index].line, checked.error());
      }
    }
    if (done < end) {
      auto failed = fail(plan_.steps[done].line, submitted.error().message);
      failed.value().refused = submitted.error().code == errc::out_of_memory;
      return failed;
    }
    return compare(plan_.steps[end - 1]);
  }

  expected<void> submit(const replay_step& step) {
    switch (step.kind) {
    case step_kind::malloc: {
      const auto address = on_.pool.malloc_async(plan_.blocks[step.subject].bytes, on_.streams[step.stream]);
      if (!address) {
        return tl::unexpected(address.error());
      }
      addresses_[step.subject] = *address;
      return {};
    }
    case step_kind::free:
      return on_.pool.free_async(addresses_[step.subject], on_.streams[step.stream]);
    case step_kind::record:
      return on_.streams[step.stream].record(on_.events[step.subject]);
    case step_kind::wait:
      return on_.streams[step.stream].wait(on_.events[step.subject]);
    case step_kind::synchronize:
      open_gate();
      if (auto done = on_.device.synchronize(); !done) {
        return done;
      }
      return close_gate();
    }
    return {};
  }

  expected<void> close_gate() { return gate_ ? gate_->close() : expected<void>(); }

  void open_gate() {
    if (gate_) {
      gate_->open();
    }
  }

  replay_check::outcome check(const replay_step& step) {
    if (step.kind != step_kind::malloc && step.kind != step_kind::free) {
      return {};
    }
    const auto address = reinterpret_cast<std::uintptr_t>(addresses_[step.subject]);
    const planned_block& block = plan_.blocks[step.subject];
    if (step.kind == step_kind::malloc) {
      return check_.allocated(block, address);
    }
    check_.freed(block, address);
    return {};
  }

  /// Compares the figures behind the step with the account, and remembers them if that is asked for.
  tl::expected<void, trace_error> compare(const replay_step& step) {
    const auto statistics = on_.pool.statistics();
    if (!statistics) {
      return fail(step.line, statistics.error().message);
    }
    if (const auto compared = check_.compare(*statistics); !compared) {
      return fail(step.line, compared.error());
    }
    if (recorder_) {
      recorder_->add(step, step.kind == step_kind::malloc ? addresses_[step.subject] : nullptr, *statistics);
    }
    return {};
  }

  const replay_plan& plan_;
  stage& on_;
  replay_check check_;
  std::vector<void*> addresses_;  ///< of each block, from its malloc on
  std::size_t batch_steps_max_;
  std::optional<stream_gate> gate_;
  std::optional<history_recorder> recorder_;
  std::chrono::nanoseconds duration_{0};
};

std::uint64_t count_operations(const replay_plan& plan) {
  const auto others = std::count_if(plan.steps.begin(), plan.steps.end(), [](const replay_step& step) {
    return step.kind == step_kind::record || step.kind == step_kind::wait;
  });
  return plan.steps.size() - static_cast<std::uint64_t>(others);
}

}  // namespace

double replay_result::operations_per_second() const noexcept {
  const double seconds = std::chrono::duration<double>(duration).count();
  return seconds > 0 ? static_cast<double>(operations) / seconds : 0;
}

tl::expected<replay_plan, trace_error> plan_for(const std::vector<trace_row>& rows,
                                                const replay_settings& settings) {
  return make_plan(rows, {.order_by_events = settings.pool.reuse.event, .sync_every = settings.sync_every});
}

tl::expected<replay_result, trace_error> replay_steps(const replay_plan& plan,
                                                      const replay_settings& settings,
                                                      const progress_callback& progress,
                                                      replay_history* history) {
  std::uint64_t device_memory = settings.device_memory;
  if (device_memory == 0) {
    device_memory = std::max(memory_needed(plan, settings.pool.minimum_block), settings.pool.limit);
  }
  auto made = set_stage(plan, settings.pool, device_memory);
  if (!made) {
    return fail(0, "the replay cannot be set up: " + made.error().message);
  }
  replayer replaying(plan, *made, settings, history);
  if (const auto done = replaying.run(progress); !done) {
    return tl::unexpected(done.error());
  }
  const auto statistics = replaying.finish();
  if (!statistics) {
    return tl::unexpected(statistics.error());
  }
  return replay_result{.rows = plan.rows,
                       .segment_rows = plan.segment_rows,
                       .streams = plan.streams,
                       .held_back_frees = plan.held_back_frees,
                       .waits = plan.waits,
                       .synchronizes = plan.synchronizes,
                       .operations = count_operations(plan),
                       .duration = replaying.duration(),
                       .device_memory = device_memory,
                       .statistics = *statistics};
}

tl::expected<replay_result, trace_error> replay_trace(const std::vector<trace_row>& rows,
                                                      const replay_settings& settings,
                                                      const progress_callback& progress,
                                                      replay_history* history) {
  const auto plan = plan_for(rows, settings);
  if (!plan) {
    return tl::unexpected(plan.error());
  }
  auto result = replay_steps(*plan, settings, progress, history);
  if (history != nullptr) {
    add_from_rows(*history, rows);
  }
  return result;
}

}  // namespace soma::tools
