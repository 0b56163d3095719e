// What sizes are asked for: counts that decay with time, and how many blocks of a size are live at most. Time
// is a count of operations, so that the same calls always give the same figures.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace soma::memory {

/// A count of operations.
using operation_time = std::uint64_t;

/// A high mark that sinks: half of what it stands above the present value is forgotten in each half-life.
class fading_high {
public:
  void set(double now_at, operation_time now, double half_life) noexcept;
  [[nodiscard]] double value(operation_time now, double half_life) const noexcept;

private:
  double high_ = 0;
  double current_ = 0;
  operation_time at_ = 0;
};

class size_history {
public:
  explicit size_history(double half_life) noexcept : half_life_(half_life) {}

  void allocated(std::uint64_t bytes, operation_time now);
  void freed(std::uint64_t bytes, operation_time now);

  /// How often the size was asked for, where what is a half-life ago counts half.
  [[nodiscard]] double count(std::uint64_t bytes, operation_time now) const;

  /// How many blocks of the size are live, or lately were at most.
  [[nodiscard]] std::uint64_t demand(std::uint64_t bytes, operation_time now) const;

  /// Forgets sizes that nobody has asked for lately, so that the table stays as small as the program's
  /// habits.
  void forget(operation_time now);

  [[nodiscard]] std::size_t sizes() const noexcept { return seen_.size(); }

private:
  struct seen {
    double count = 0;
    operation_time counted_at = 0;
    std::uint64_t live = 0;
    fading_high high;
  };
  [[nodiscard]] double count_of(const seen& of, operation_time now) const noexcept;

  double half_life_;
  std::unordered_map<std::uint64_t, seen> seen_;
};

}  // namespace soma::memory
