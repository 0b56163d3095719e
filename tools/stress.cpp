#include "tools/stress.hpp"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "tools/stress_hang.hpp"
#include "tools/stress_watchdog.hpp"
#include "tools/stress_worker.hpp"
#include "tools/stress_world.hpp"

namespace soma::tools {

namespace {

using clock = std::chrono::steady_clock;
using workers = std::vector<std::unique_ptr<stress_worker>>;

stress_result failed(const stress_settings& settings, const std::string& finding) {
  stress_findings findings(settings.seed);
  findings.add(finding);
  stress_result result;
  result.findings = findings.all();
  return result;
}

[[noreturn]] void end_hung(const stress_settings& settings, stress_world& world, const workers& all) {
  std::vector<const stress_activity*> threads;
  for (const auto& each : all) {
    threads.push_back(&each->activity());
  }
  std::fprintf(stderr, "soma: stress: nothing was completed for %lld ms (seed %llu); the threads are at:\n%s",
               static_cast<long long>(settings.patience.count()),
               static_cast<unsigned long long>(settings.seed), describe_threads(threads).c_str());
  std::fprintf(stderr, "tasks submitted %llu, run %llu; the pools:\n",
               static_cast<unsigned long long>(world.submitted_tasks.load()),
               static_cast<unsigned long long>(world.findings.tasks()));
  std::fputs(describe_pools(world).c_str(), stderr);
  for (const auto& finding : world.findings.all()) {
    std::fprintf(stderr, "soma: stress: %s\n", finding.c_str());
  }
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

[[noreturn]] void end_hung(const stress_settings& settings) {
  std::fprintf(stderr, "soma: stress: the runtime does not end (seed %llu)\n",
               static_cast<unsigned long long>(settings.seed));
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

/// How far the run has come, in what limits it: operations if they do, or milliseconds.
class run_watch {
public:
  run_watch(const stress_settings& settings, const workers& all) : settings_(settings), all_(all) {}

  void finished() {
    {
      const std::lock_guard lock(counting_);
      ++finished_;
    }
    changed_.notify_one();
  }

  /// Returns when all workers have finished.
  void wait(const stress_progress& progress, clock::time_point start) {
    std::unique_lock lock(counting_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(200),
                              [this] { return finished_ == all_.size(); })) {
      if (progress && settings_.operations != 0) {
        progress(operations(), settings_.operations);
      } else if (progress) {
        const auto passed = std::chrono::duration<double, std::milli>(clock::now() - start);
        progress(static_cast<std::uint64_t>(passed.count()),
                 static_cast<std::uint64_t>(settings_.time.count() * 1000));
      }
    }
  }

  [[nodiscard]] std::uint64_t operations() const {
    std::uint64_t sum = 0;
    for (const auto& each : all_) {
      sum += each->activity().operations.load(std::memory_order_relaxed);
    }
    return sum;
  }

private:
  const stress_settings& settings_;
  const workers& all_;
  std::mutex counting_;  // guards finished_
  std::condition_variable changed_;
  std::size_t finished_ = 0;
};

void run_workers(const stress_settings& settings, const workers& all, run_watch& watch,
                 const stress_progress& progress) {
  const auto start = clock::now();
  std::optional<clock::time_point> deadline;
  if (settings.time.count() > 0) {
    deadline = start + std::chrono::duration_cast<clock::duration>(settings.time);
  }
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < all.size(); ++index) {
    const auto share = settings.operations / all.size() + (index < settings.operations % all.size() ? 1 : 0);
    threads.emplace_back([&, index, share] {
      if (settings.operations == 0 || share > 0) {
        all[index]->run(deadline, share);
      }
      watch.finished();
    });
  }
  watch.wait(progress, start);
  for (auto& thread : threads) {
    thread.join();
  }
}

template <class T>
bool must(stress_world& world, const char* call, const expected<T>& answer) {
  if (!answer) {
    world.findings.add(std::string("at the end, ") + call + ": " + answer.error().message);
  }
  return answer.has_value();
}

/// The pool must be empty; it is destroyed.
void end_pool(stress_world& world, shared_pool& pool, stress_counts& counts) {
  const auto name = "at the end, pool " + std::to_string(pool.number);
  const auto figures = pool.object.statistics();
  if (must(world, "pool::statistics", figures)) {
    counts.add(figures->served);
    if (figures->used != 0 || figures->live_blocks != 0 || figures->requested != 0) {
      world.findings.add(name + " has " + std::to_string(figures->used) + " bytes in use in " +
                         std::to_string(figures->live_blocks) + " blocks, and should have none");
    }
  }
  must(world, "pool::trim_to", pool.object.trim_to(0));
  const auto left = pool.object.statistics();
  if (must(world, "pool::statistics", left) && left->reserved != 0) {
    world.findings.add(name + " keeps " + std::to_string(left->reserved) +
                       " bytes when all of it was freed, executed and trimmed");
  }
  must(world, "pool::destroy", pool.object.destroy());
}

void check_memory(stress_world& world, const soma::device& device) {
  const auto memory = device.memory();
  if (must(world, "device::memory", memory) && memory->free != memory->total) {
    world.findings.add("at the end, device " + std::to_string(device.index()) + " has " +
                       std::to_string(memory->free) + " bytes free of " + std::to_string(memory->total));
  }
}

/// Waits for all work, then nothing may be left.
void check_end(stress_world& world, stress_counts& counts) {
  if (const auto done = world.device.synchronize();
      !done && done.error().message.find(failing_kernel) == std::string::npos) {
    must(world, "device::synchronize", done);
  }
  const auto submitted = world.submitted_tasks.load(std::memory_order_relaxed);
  if (world.findings.tasks() != submitted) {
    world.findings.add("at the end, " + std::to_string(submitted) + " tasks were submitted and " +
                       std::to_string(world.findings.tasks()) + " have run");
  }
  for (std::size_t index = 0; index < world.pools.size(); ++index) {
    end_pool(world, *world.pools.get(index), counts);
  }
  check_memory(world, world.device);
  check_memory(world, world.other_device);
}

/// All but the end of the runtime.
stress_result run_watched(const stress_settings& settings, stress_world& world, const workers& all,
                          const stress_progress& progress) {
  run_watch watch(settings, all);
  const stress_watchdog watchdog(
      settings.patience, [&] { return watch.operations() + world.findings.tasks(); },
      [&] { end_hung(settings, world, all); });
  const auto start = clock::now();
  run_workers(settings, all, watch, progress);
  stress_result result;
  result.duration = clock::now() - start;
  for (const auto& each : all) {
    each->drain();
    result.counts += each->counts();
  }
  check_end(world, result.counts);
  result.tasks = world.findings.tasks();
  result.blocks_checked = world.findings.checks();
  result.bytes_verified = world.findings.verified();
  result.bytes_checked = world.findings.bytes();
  result.findings = world.findings.all();
  return result;
}

}  // namespace

stress_counts& stress_counts::operator+=(const stress_counts& other) noexcept {
  operations += other.operations;
  allocations += other.allocations;
  plain_allocations += other.plain_allocations;
  refused += other.refused;
  cross_stream_frees += other.cross_stream_frees;
  immediate_frees += other.immediate_frees;
  handed_over += other.handed_over;
  rechecks += other.rechecks;
  synchronizes += other.synchronizes;
  wrong_calls += other.wrong_calls;
  failing_kernels += other.failing_kernels;
  streams += other.streams;
  events += other.events;
  pools += other.pools;
  add(other.served);
  return *this;
}

void stress_counts::add(const served_counts& more) noexcept {
  served.same_stream += more.same_stream;
  served.event += more.event;
  served.opportunistic += more.opportunistic;
  served.internal += more.internal;
  served.new_memory += more.new_memory;
}

double stress_result::operations_per_second() const noexcept {
  return duration.count() > 0 ? static_cast<double>(counts.operations) / duration.count() : 0;
}

stress_result run_stress(const stress_settings& settings, const stress_progress& progress) {
  auto made = stress_world::create(settings);
  if (!made) {
    return failed(settings, made.error().message);
  }
  auto world = std::move(*made);
  workers all;
  for (std::uint32_t number = 0; number < settings.threads; ++number) {
    all.push_back(std::make_unique<stress_worker>(*world, number));
  }
  auto result = run_watched(settings, *world, all, progress);
  const stress_watchdog watchdog(
      settings.patience, [] { return std::uint64_t{0}; }, [&] { end_hung(settings); });
  all.clear();
  world.reset();  // ends the runtime
  return result;
}

}  // namespace soma::tools
