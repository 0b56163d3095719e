// What happened in a run, step by step. Nothing in it depends on addresses or times: the same choices give
// the same log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/party.hpp"

namespace soma::sim {

struct log_entry {
  enum class kind : std::uint8_t { arrives, wakes, runs, calls, goes_on, times_out };

  kind what = kind::arrives;
  const party* from = nullptr;
  const party* to = nullptr;
  const message_kind* message = nullptr;
  const statement* by = nullptr;  // the statement of a thread, or of a task
};

class step_log {
public:
  void add(const log_entry& entry);
  /// Of all steps in their order.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
  /// Of what each party received, in which order. Logs that differ only in the order of steps which have
  /// nothing to do with each other have the same.
  [[nodiscard]] std::uint64_t order_hash() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  /// A table with a line for each of the last `most` steps.
  [[nodiscard]] std::string text(std::size_t most) const;

private:
  static constexpr std::uint64_t first_hash = 0xcbf29ce484222325U;

  std::vector<log_entry> entries_;
  std::uint64_t hash_ = first_hash;
  std::map<std::uint32_t, std::uint64_t> received_;  // by party
};

}  // namespace soma::sim
