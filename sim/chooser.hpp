// Choosers: what decides which of several possible steps comes next. Everything that is not determined in a
// run goes through one; the same choices give the same run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace soma::sim {

enum class step_kind : std::uint8_t {
  flush,     // the oldest message that a party has sent enters its receiver's mailbox
  run,       // an engine runs its tasks
  go_on,     // a thread of the host goes on
  time_out,  // the time of a thread's wait is over
};

/// A step that is possible now. Parties have numbers that do not depend on the order in which they came into
/// being, as far as that order is not part of the program.
struct option {
  step_kind kind = step_kind::flush;
  std::uint32_t party = 0;     // whose step it is
  std::uint32_t number = 0;    // how many steps of this kind the party made before
  std::uint32_t receiver = 0;  // of a flush
  bool memory = false;         // may give memory back to the system

  friend bool operator==(const option&, const option&) = default;
};

/// Whether the order of the two steps can make a difference.
bool dependent(const option& left, const option& right) noexcept;

class chooser {
public:
  /// Says that this run need not go on: another one is the same up to the order of independent steps.
  static constexpr std::size_t prune = static_cast<std::size_t>(-1);

  chooser() = default;
  chooser(const chooser&) = delete;
  chooser& operator=(const chooser&) = delete;
  virtual ~chooser() = default;

  /// The place of the chosen step, or prune. Precondition: at least one option.
  virtual std::size_t pick(std::span<const option> options) = 0;

  /// A new run begins.
  virtual void begin() = 0;
};

/// Every option with the same probability.
class random_chooser final : public chooser {
public:
  explicit random_chooser(std::uint64_t seed) noexcept : seed_(seed), source_(seed) {}
  std::size_t pick(std::span<const option> options) override;
  void begin() override { source_.seed(seed_); }

private:
  std::uint64_t seed_;
  std::mt19937_64 source_;
};

/// Probabilistic concurrency testing: parties have random priorities, and at depth - 1 random steps the one
/// that would have gone first falls behind all others. Finds a fault that needs `depth` ordered steps with a
/// probability of at least 1 / (parties * length ^ (depth - 1)).
class pct_chooser final : public chooser {
public:
  pct_chooser(std::uint64_t seed, std::uint32_t depth, std::size_t length);
  std::size_t pick(std::span<const option> options) override;
  void begin() override;

private:
  std::uint64_t priority_of(std::uint32_t party);

  std::uint64_t seed_;
  std::uint32_t depth_;
  std::size_t length_;  // of a run, as far as is known
  std::mt19937_64 source_;
  std::vector<std::size_t> changes_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> priorities_;
  std::size_t step_ = 0;
};

/// Choices that were written down. Missing ones are 0, too large ones the largest possible.
class replay_chooser final : public chooser {
public:
  explicit replay_chooser(std::vector<std::size_t> choices) noexcept : choices_(std::move(choices)) {}
  std::size_t pick(std::span<const option> options) override;
  void begin() override { next_ = 0; }

private:
  std::vector<std::size_t> choices_;
  std::size_t next_ = 0;
};

/// All runs, one after the other, without those that differ only in the order of independent steps (by sleep
/// sets). After each run, next() says whether there is another one.
class exhaustive_chooser final : public chooser {
public:
  /// Without the reduction, all runs indeed: to test the reduction by.
  explicit exhaustive_chooser(bool reduced = true) noexcept : reduced_(reduced) {}
  std::size_t pick(std::span<const option> options) override;
  void begin() override { depth_ = 0; }
  bool next();

private:
  struct node {
    std::vector<option> options;
    std::size_t chosen = 0;
    std::vector<option> sleeping;  // explored already from here or above, and independent of what came since
  };

  [[nodiscard]] static std::optional<std::size_t> first_awake(const node& at, std::size_t from);

  bool reduced_;
  std::vector<node> path_;
  std::size_t depth_ = 0;
};

/// Choices as text: a digit or letter for each below 36, {N} for others; without the zeros at the end.
std::string choices_text(std::span<const std::size_t> choices);
std::optional<std::vector<std::size_t>> parse_choices(std::string_view text);

}  // namespace soma::sim
