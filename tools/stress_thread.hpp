// One thread of a stress run as its parts know it: what it is doing, what it counted, and how it judges
// answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tools/stress.hpp"
#include "tools/stress_world.hpp"

namespace soma::tools {

/// Written by its thread, read by the watchdog.
struct stress_activity {
  std::atomic<const char*> doing{"starting"};
  std::atomic<std::uint64_t> stream{0};  ///< the id; 0: none in particular
  std::atomic<std::uint64_t> pool{0};    ///< the number; 0: none in particular
  std::atomic<std::uint64_t> operations{0};
};

class stress_thread {
public:
  stress_thread(stress_world& of, std::uint32_t with_number) noexcept : world(of), number(with_number) {}

  /// Notes what the thread is going to do. `call` must live for ever.
  void at(const char* call, std::uint64_t stream = 0, std::uint64_t pool = 0) noexcept;

  /// Adds a finding that names the thread, its operation and what it was doing.
  void find(const std::string& text);

  /// For an answer that must be good.
  template <class T>
  bool must(const expected<T>& answer) {
    if (!answer) {
      find("returned " + std::string(to_string(answer.error().code)) + ": " + answer.error().message);
    }
    return answer.has_value();
  }

  /// For the answer to a call that is wrong.
  template <class T>
  void refuses(const expected<T>& answer, errc documented) {
    if (answer) {
      find("succeeded, and should be " + std::string(to_string(documented)));
    } else if (answer.error().code != documented || answer.error().message.empty()) {
      find("returned " + std::string(to_string(answer.error().code)) + ": \"" + answer.error().message +
           "\", and should be " + std::string(to_string(documented)));
    } else {
      ++counts.wrong_calls;
    }
  }

  /// For the answer of a synchronize: it may bring the failure of a kernel that failed on purpose, and with
  /// `may_be_gone` say that the stream was destroyed.
  void synchronized(const expected<void>& answer, bool may_be_gone = false);

  /// Submit a task to the stream and judge the answer.
  void stamp(stream& on, const stamped_block& block);
  void check(stream& on, const stamped_block& block);
  void fail_kernel(stream& on, std::uint64_t way);

  /// Frees the block as a task of the stream, through the device if the pool is retired.
  void give_back(stream& on, const live_block& block);

  stress_world& world;
  const std::uint32_t number;
  stress_activity activity;
  stress_counts counts;

private:
  void submitted(const expected<void>& answer);
};

}  // namespace soma::tools
