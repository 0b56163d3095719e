// The memory of one window, unit by unit: a unit is the smallest block. A granule is either free, or held
// with the state of each of its units. Neighbouring idle units of the same origin are one piece; nothing is
// merged or split, since nothing but units exists. Every question is answered by looking at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
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

/// Where a block goes that takes new memory.
struct place {
  std::uint64_t begin = 0;
  std::uint64_t new_granules = 0;
  std::uint64_t gaps = 0;  // that it touches: as many requests for memory
};

/// What was given back: how much, and in how many ranges.
struct released {
  std::uint64_t bytes = 0;
  std::uint64_t ranges = 0;
};

class window_model {
public:
  explicit window_model(std::uint64_t unit_bytes)
      : unit_bytes_(unit_bytes), units_per_granule_(granule / unit_bytes) {}

  [[nodiscard]] std::uint64_t unit_bytes() const { return unit_bytes_; }
  [[nodiscard]] std::uint64_t reserved() const { return held_.size() * granule; }

  /// The smallest piece that fits, then the lowest; or else the smallest run of neighbours, then the lowest.
  [[nodiscard]] std::optional<std::uint64_t> find_idle(std::uint64_t units, const rule& allowed) const;

  /// Whether a piece of just this size starts here, idle by a free that is allowed.
  [[nodiscard]] bool is_piece(std::uint64_t begin, std::uint64_t units, const rule& allowed) const;

  /// The place for a block of idle memory that may be taken and of free granules. It starts or ends where
  /// memory of one of these kinds starts or ends; it takes the fewest new granules, then the smallest gaps,
  /// then the lowest place.
  [[nodiscard]] place find_new(std::uint64_t units, const rule& allowed) const;

  /// The smallest gap of free granules that fits, then the lowest.
  [[nodiscard]] place find_free(std::uint64_t units) const;

  /// The fewest granules that a block can do with which are free, or would be if all were given up that may
  /// be: of all places, wherever they start.
  [[nodiscard]] std::uint64_t fewest_granules(std::uint64_t units, const rule& allowed,
                                              const rule& may_go) const;

  /// What is wrong with a block here, in words; nothing if it consists of allowed idle memory and free
  /// granules.
  [[nodiscard]] std::optional<std::string> objection(std::uint64_t begin, std::uint64_t units,
                                                     const rule& allowed) const;

  /// Makes the block busy, and holds free granules for it. Returns the origins of its parts, never_used
  /// included.
  std::vector<origin> occupy(std::uint64_t begin, std::uint64_t units);
  void vacate(std::uint64_t begin, std::uint64_t units, origin from);
  void settle(const rule& seen);

  /// Frees granules of which every unit is idle and allowed, up to so many bytes: the highest first, but
  /// those that `spared` touches last.
  released release(std::uint64_t bytes, const rule& allowed, const stretch& spared = {});

  [[nodiscard]] std::uint64_t releasable(const rule& allowed) const;

  /// Of all idle memory.
  [[nodiscard]] std::set<origin> origins() const;

private:
  struct unit {
    bool busy = false;
    origin from = never_used;
  };

  struct gap {
    std::uint64_t first = 0;  // granule
    std::uint64_t granules = 0;
  };

  [[nodiscard]] std::vector<stretch> stretches() const;
  [[nodiscard]] std::vector<gap> gaps() const;
  [[nodiscard]] bool may_go(const std::vector<unit>& units, const rule& allowed) const;
  [[nodiscard]] std::uint64_t end_for(std::uint64_t units) const;

  std::uint64_t unit_bytes_;
  std::uint64_t units_per_granule_;
  std::map<std::uint64_t, std::vector<unit>> held_;  // by the granule's number in the window
};

}  // namespace oracle
