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

/// Where a block goes that takes granules without memory.
struct place {
  std::uint64_t begin = 0;
  std::uint64_t held = 0;          // granules without memory
  std::uint64_t new_granules = 0;  // of these, those for which no idle memory can be moved
  std::uint64_t gaps = 0;          // that it touches: as many requests for memory
};

/// What was given back: how much, and in how many ranges.
struct released {
  std::uint64_t bytes = 0;
  std::uint64_t ranges = 0;
  std::set<origin> origins;
};

/// The stream of a task.
using stream_of = std::function<std::size_t(origin)>;

class window_model {
public:
  explicit window_model(std::uint64_t unit_bytes)
      : unit_bytes_(unit_bytes), units_per_granule_(granule / unit_bytes) {}

  [[nodiscard]] std::uint64_t unit_bytes() const { return unit_bytes_; }
  [[nodiscard]] std::uint64_t reserved() const { return held_.size() * granule; }

  /// The smallest piece that fits, then the lowest; or else the smallest run of neighbours, then the lowest.
  [[nodiscard]] std::optional<std::uint64_t> find_idle(std::uint64_t units, const rule& allowed) const;

  /// The same for what the stream that asks has freed itself. Where blocks may be smaller than a granule: a
  /// piece of just the right size, or else the smallest run of neighbours.
  [[nodiscard]] std::optional<std::uint64_t> find_own(std::uint64_t units, const rule& own) const;

  /// Whether a piece starts here that is idle by a free that is allowed.
  [[nodiscard]] bool starts_piece(std::uint64_t begin, const rule& allowed) const;

  /// The same, for a piece of just this size.
  [[nodiscard]] bool is_piece(std::uint64_t begin, std::uint64_t units, const rule& allowed) const;

  /// The place for a block of idle memory that may be taken and of granules without memory: free ones, and
  /// those that memory has left if all that was freed there is of one stream and may be taken. It starts or
  /// ends where memory of one of these kinds starts or ends. It takes the fewest new granules: those, of
  /// which all may be taken, that it touches beyond the number of whole idle granules that may be taken
  /// anywhere. Then the fewest without memory, then the smallest gaps of these, then the lowest place.
  [[nodiscard]] place find_new(std::uint64_t units, const rule& allowed) const;

  /// Makes idle granules leave that may be taken as a whole: as `release`, but tasks may still touch the
  /// addresses.
  released move_away(std::uint64_t granules, const rule& allowed, const stretch& spared,
                     const stream_of& stream);

  /// The smallest gap of free granules that fits, then the lowest.
  [[nodiscard]] place find_free(std::uint64_t units) const;

  /// The fewest granules that a block can do with which are free, or would be if all were given up or moved
  /// away that may be: of all places, wherever they start.
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

  /// Bytes of whole idle granules that may be taken, or given up.
  [[nodiscard]] std::uint64_t movable(const rule& allowed, const rule& may_go) const;

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
  [[nodiscard]] std::vector<stretch> pieces(const rule& allowed) const;  // idle ones
  [[nodiscard]] std::vector<stretch> runs(const rule& allowed) const;    // of neighbours of these
  [[nodiscard]] std::vector<gap> gaps() const;
  [[nodiscard]] bool may_go(const std::vector<unit>& units, const rule& allowed) const;
  [[nodiscard]] std::uint64_t end_for(std::uint64_t units) const;

  std::uint64_t unit_bytes_;
  std::uint64_t units_per_granule_;
  /// Whether memory has left the granule, and its addresses may be taken.
  [[nodiscard]] bool may_return(std::uint64_t number, const rule& allowed) const;
  [[nodiscard]] std::uint64_t end_of_used() const;
  released remove(std::uint64_t bytes, const rule& allowed, const stretch& spared, const stream_of* left);

  // Granules that memory has left and that may still be touched: by whose frees, and on which streams.
  std::map<std::uint64_t, std::map<origin, std::size_t>> left_;
  std::map<std::uint64_t, std::vector<unit>> held_;  // by the granule's number in the window
};

}  // namespace oracle
