// Runs a program on the runtime and on the model side by side, and throws at the first disagreement.
//
// Execution is under control: a stream is held by gates only, or by waits for what is held by gates. Where
// execution matters, the runtime is first brought to where the model says that it must get by itself: a
// witness behind everything on a stream that is not held shows that all in front was executed, and since a
// stream tells pools and events before it hands more work to an engine, that they were told. A witness in
// front of whatever may block shows the same of the rest. Witnesses are tasks, so the model has them too;
// unlike a synchronize or a query they show the host nothing that counts.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
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
  using std::runtime_error::runtime_error;
};

/// What a run did, for the report.
struct tally {
  std::uint64_t commands = 0;
  std::uint64_t served_counts[served_kinds] = {};
  std::uint64_t refused = 0;
  std::uint64_t under_pressure = 0;  // served although neither idle memory nor what is left would do
  std::uint64_t settlements = 0;
  std::uint64_t timed_out = 0;
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
    soma::stream stream;
    bool destroyed = false;
    std::shared_ptr<std::atomic<std::size_t>> started;
    std::vector<std::string> proofs;  // for each work task, what shows in the source that it was started
    std::size_t proven = 0;
  };

  struct event_entry {
    soma::event event;
    bool destroyed = false;
    task_id record = no_task;  // the latest
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

  // Memory: runner_memory.cpp.
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

  // Order and execution: runner_order.cpp.
  void record(std::size_t event, std::size_t stream);
  void wait(std::size_t event, std::size_t stream);
  void reset_event(const numbers& all);
  void hold(std::size_t stream);
  void open(const numbers& all);
  void synchronize_stream(const numbers& all);
  void synchronize_event(const numbers& all);
  void synchronize_device();
  void query_stream(const numbers& all);
  void query_event(const numbers& all);
  void replace_stream(const numbers& all);
  void replace_event(const numbers& all);
  void make_stream();
  void make_event();
  void add_witness(std::size_t stream);
  void add_witness_if_needed(std::size_t stream);
  void settle();

  // Choosing: mostly among those that still exist.
  [[nodiscard]] std::size_t some_stream(std::uint32_t number) const;
  [[nodiscard]] std::size_t some_event(std::uint32_t number) const;
  [[nodiscard]] std::size_t some_pool(std::uint32_t number) const;

  void check_figures();
  void check_memory();
  [[noreturn]] static void disagree(const std::string& what);
  template <class T>
  void check_error(const std::string& call, const soma::expected<T>& got, std::optional<soma::errc> expected);

  static soma::runtime make_runtime(std::uint64_t memory);

  std::uint64_t memory_;
  tally& counts_;
  printer print_;
  device_model model_;
  soma::runtime runtime_;
  soma::device device_;
  std::vector<soma::pool> pools_;
  std::vector<std::uint64_t> bases_;
  std::vector<event_entry> events_;
  std::vector<stream_entry> streams_;
  std::deque<support::gate> gates_;  // the last member, since its end opens them
  std::vector<std::size_t> closed_;
  std::vector<live_block> blocks_;
  std::vector<plain_block> plain_;
  std::vector<std::pair<void*, std::string>> freed_;
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
               got.error().message + ") instead of " + wanted);
    }
  } else if (expected) {
    disagree(call + " succeeded instead of returning " + wanted);
  }
}

/// How long to wait for what must happen by itself. Shrinking makes it short: it runs into such a wait over
/// and over, and the first run has shown already that waiting longer is of no use.
inline std::chrono::milliseconds patience{10'000};

template <class Condition>
bool happens(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (int tries = 0; !condition(); ++tries) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    if (tries < 100) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds{20});
    }
  }
  return true;
}

}  // namespace oracle
