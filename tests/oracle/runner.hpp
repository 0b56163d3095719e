// Runs a program on the runtime and on the model side by side, and throws at the first disagreement.
//
// Execution is under control: a stream is held by gates only, or by waits for what is held by gates. Where
// execution matters, the runtime is first brought to where the model says that it must get by itself: a
// witness behind everything on a stream that is not held shows that all in front was executed, and since a
// stream tells pools and events before it hands more work to an engine, that they were told. A witness in
// front of whatever may block shows the same of the rest. Witnesses are tasks, so the model has them too;
// unlike a synchronize or a query they show the host nothing that counts.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "oracle/device_model.hpp"
#include "oracle/printer.hpp"
#include "oracle/program.hpp"
#include "soma/soma.hpp"
#include "support/gate.hpp"

namespace oracle {

/// Release thresholds to choose from.
inline constexpr std::uint64_t thresholds[] = {support::keep_all, 0, granule, 2 * granule, support::keep_all,
                                               4 * granule - 1};

class disagreement : public std::runtime_error {
public:
  disagreement(const std::string& what, bool ran_out_of_time)
      : std::runtime_error(what), out_of_time(ran_out_of_time) {}

  bool out_of_time;  // something did not happen while the runner had patience
};

/// How long to wait for what must happen by itself. Shrinking makes it short: it runs into such a wait over
/// and over, and the first run has shown already that waiting longer is of no use.
inline std::chrono::milliseconds patience{10'000};

/// How many of the work tasks of a stream have been started.
class progress {
public:
  void advance() {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    changed_.notify_all();
  }

  [[nodiscard]] bool reaches(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return count_ >= count; });
  }

  [[nodiscard]] std::size_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
};

/// What a run did, for the report.
struct tally {
  std::uint64_t commands = 0;
  std::uint64_t served_counts[served_kinds] = {};
  std::uint64_t refused = 0;
  std::uint64_t under_pressure = 0;  // served although neither idle memory nor what is left would do
  std::uint64_t settlements = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t failures = 0;  // returned by a synchronize
  std::uint64_t joins = 0;     // of blocking streams and the default stream
};

class runner {
public:
  runner(const setup& start, tally& counts);

  /// Runs a command; checks what it returns and all figures after it.
  void run(const command& next);

  /// Opens every gate, synchronizes, frees everything, and checks that nothing is left.
  void finish();

  [[nodiscard]] std::string source() const { return print_.source(); }

private:
  struct stream_entry {
    std::unique_ptr<soma::stream> owned;  // not the default stream
    soma::stream* stream = nullptr;
    bool blocking = false;
    bool destroyed = false;
    bool failed = false;  // with a failure that no synchronize has returned yet
    std::shared_ptr<progress> started;
    std::vector<std::string> proofs;  // for each work task, what shows in the source that it was started
    std::size_t proven = 0;
  };

  struct event_entry {
    soma::event event;
    bool destroyed = false;
    task_id record = no_task;  // the latest
    bool failed = false;       // a task before it
  };

  struct live_block {
    void* address = nullptr;
    std::size_t pool = 0;
    std::uint64_t begin = 0;
    std::string name;
  };

  struct plain_block {
    void* address = nullptr;
    std::uint64_t begin = 0;
    std::string name;
  };

  using numbers = std::array<std::uint32_t, 4>;

  // Memory: runner_memory.cpp, runner_plain.cpp, runner_settings.cpp, runner_refusal.cpp.
  void malloc_async(const numbers& all);
  void free_async(const numbers& all);
  void free_wrongly(const numbers& all);
  void free_at_once(const numbers& all);
  void trim(const numbers& all);
  void set_switch(const numbers& all);
  void set_threshold(const numbers& all);
  void set_high_mark(const numbers& all);
  void replace_pool(const numbers& all);
  void malloc_plain(const numbers& all);
  void free_plain(const numbers& all);
  void ask_largest(const numbers& all);
  void ask_block(const numbers& all);
  void make_pool(const numbers& all);
  void free_block(std::size_t which, std::size_t on, bool by_device);
  [[nodiscard]] std::uint64_t size_for(std::size_t pool, const numbers& all) const;
  void check_refusal(const std::string& text, std::size_t pool, std::size_t stream,
                     const verdict& expected) const;

  // Order and execution: runner_order.cpp, runner_host.cpp, runner_streams.cpp.
  void record(std::size_t event, std::size_t stream);
  void wait(std::size_t event, std::size_t stream);
  void reset_event(const numbers& all);
  void hold(std::size_t stream);
  void open(const numbers& all);
  void synchronize_stream(const numbers& all);
  void synchronize_one(std::size_t stream);
  void synchronize_event(const numbers& all);
  void synchronize_device();
  void query_stream(const numbers& all);
  void query_event(const numbers& all);
  void replace_stream(const numbers& all);
  void destroy_stream(std::size_t stream);
  void replace_event(const numbers& all);
  void make_stream(bool blocking);
  void take_default_stream();
  void make_event();
  void fail(std::size_t stream);
  void stop(const numbers& all);
  [[nodiscard]] bool joins(std::size_t stream) const;
  void join(std::size_t stream);
  void settle_join(std::size_t stream);
  void add_work(std::size_t stream, bool failing);
  void add_witness(std::size_t stream);
  void add_witness_if_needed(std::size_t stream);
  void settle();

  // Choosing: mostly among those that still exist.
  [[nodiscard]] std::size_t some_stream(std::uint32_t number) const;
  [[nodiscard]] std::size_t some_event(std::uint32_t number) const;
  [[nodiscard]] std::size_t some_pool(std::uint32_t number) const;

  void check_figures();
  void check_memory();
  [[noreturn]] static void disagree(const std::string& what, bool out_of_time = false);
  template <class T>
  void check_error(const std::string& call, const soma::expected<T>& got, std::optional<soma::errc> expected);

  static soma::runtime make_runtime(std::uint64_t memory);

  std::uint64_t memory_;
  tally& counts_;
  printer print_;
  device_model model_;
  soma::runtime runtime_;
  soma::device device_;
  static constexpr std::uint32_t seldom = 24;
  bool seldom_;  // figures are read after one in so many commands
  std::vector<soma::pool> pools_;
  std::vector<std::uint64_t> bases_;
  std::vector<event_entry> events_;
  std::vector<stream_entry> streams_;
  std::deque<support::gate> gates_;  // the last member, since its end opens them
  std::vector<std::size_t> closed_;
  std::vector<live_block> blocks_;
  std::vector<plain_block> plain_;
  std::vector<std::pair<void*, std::string>> freed_;
  bool device_timed_out_ = false;  // a synchronize of the device, since the last one that did not
  bool has_blocking_ = false;      // the program ever had a blocking stream
  bool memory_comes_back_ =
      false;  // model_.will_get_memory_back() since the runtime was last shown to be there
  std::optional<std::uint64_t> plain_base_;
  std::size_t named_ = 0;
  std::size_t witnesses_ = 0;
};

template <class T>
void runner::check_error(const std::string& call, const soma::expected<T>& got,
                         std::optional<soma::errc> expected) {
  const std::string wanted = expected ? std::string(soma::to_string(*expected)) : "success";
  if (!got) {
    if (got.error().message.empty()) {
      disagree(call + " returned an error without a text");
    }
    if (got.error().code != expected) {
      disagree(call + " returned " + std::string(soma::to_string(got.error().code)) + " (" +
                   got.error().message + ") instead of " + wanted,
               got.error().code == soma::errc::timed_out);
    }
  } else if (expected) {
    disagree(call + " succeeded instead of returning " + wanted);
  }
}

/// Whether it gets true, for what nothing tells of.
template <class Condition>
bool happens(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

}  // namespace oracle
