// The memory of one window, unit by unit: a unit is the smallest block. A granule is either free, or held
// with the state of each of its units. Neighbouring idle units of the same origin are one piece; nothing is
// merged or split, since nothing but units exists. Every question is answered by looking at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracle/history.hpp"

namespace oracle {

inline constexpr std::uint64_t granule = std::uint64_t{2} << 20;

/// Where idle memory comes from: the task that freed it, or one of these.
using origin = task_id;
inline constexpr origin settled = -1;     // the host has seen the free, or no task ordered it
inline constexpr origin never_used = -2;  // in no block since it was held

/// Which idle memory may be taken.
using rule = std::function<bool(origin)>;

struct stretch {
  std::uint64_t begin = 0;  // in units from the window's begin
  std::uint64_t units = 0;
  bool busy = false;
  origin from = never_used;
  [[nodiscard]] std::uint64_t end() const { return begin + units; }
};

class window_model {
public:
  explicit window_model(std::uint64_t unit_bytes)
      : unit_bytes_(unit_bytes), units_per_granule_(granule / unit_bytes) {}

  [[nodiscard]] std::uint64_t unit_bytes() const { return unit_bytes_; }
  [[nodiscard]] std::uint64_t reserved() const { return held_.size() * granule; }

  /// The smallest piece that fits, then the lowest; or else the smallest run of neighbours, then the lowest.
  [[nodiscard]] std::optional<std::uint64_t> find_idle(std::uint64_t units, const rule& allowed) const;

  /// The fewest new granules that a block can do with, next to or between idle memory that may be taken. With
  /// `of_one_range`, only places where the new granules are neighbours count.
  [[nodiscard]] std::uint64_t fewest_new_granules(std::uint64_t units, const rule& allowed,
                                                  bool of_one_range = false) const;

  /// The smallest range of free granules that fits, then the lowest.
  [[nodiscard]] std::uint64_t smallest_free(std::uint64_t granules) const;

  /// What is wrong with a block here, in words; nothing if it may be made of allowed idle memory and so many
  /// free granules.
  [[nodiscard]] std::optional<std::string> objection(std::uint64_t begin, std::uint64_t units,
                                                     const rule& allowed, std::uint64_t new_granules) const;

  /// Makes the block busy, and holds free granules for it. Returns the origins of its parts, never_used
  /// included.
  std::vector<origin> occupy(std::uint64_t begin, std::uint64_t units);
  void vacate(std::uint64_t begin, std::uint64_t units, origin from);
  void settle(const rule& seen);

  /// Frees granules of which every unit is idle and allowed, the highest first, up to so many bytes. Returns
  /// how many bytes.
  std::uint64_t release(std::uint64_t bytes, const rule& allowed);

private:
  struct unit {
    bool busy = false;
    origin from = never_used;
  };

  [[nodiscard]] std::vector<stretch> stretches() const;

  std::uint64_t unit_bytes_;
  std::uint64_t units_per_granule_;
  std::map<std::uint64_t, std::vector<unit>> held_;  // by the granule's number in the window
};

}  // namespace oracle
