// A model of the block index that knows each unit of the window, and finds everything by trying all places.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "memory/block_index.hpp"
#include "memory/sizes.hpp"

namespace block_index_model {

using namespace soma::memory;

inline constexpr address base{64 * granule_bytes};
inline constexpr std::size_t streams = 3;

/// Who may take what, made from the bits of a number, and the same as a reach.
class rule {
public:
  explicit rule(std::uint32_t bits)
      : own_(bits % 4), settled_((bits & 4) != 0), everything_((bits & 56) == 56) {
    for (std::uint64_t stream = 1; stream <= streams; ++stream) {
      bits >>= 2;
      last_.at(stream) = bits % 12;
      if (last_.at(stream) > 0) {
        clocks_.at(stream % 2).add({stream_id{stream}, sequence_number{last_.at(stream)}});
      }
    }
  }

  [[nodiscard]] bool allows(position freed_at) const {
    const auto stream = number(freed_at.stream);
    return everything_ ||
           (stream == 0 ? settled_ : stream == own_ || number(freed_at.sequence) <= last_.at(stream));
  }

  [[nodiscard]] reach as_reach() const {
    return {stream_id{own_}, settled_, &clocks_[0], &clocks_[1], everything_};
  }

private:
  std::uint64_t own_;
  bool settled_;
  bool everything_;
  std::array<std::uint64_t, streams + 1> last_{};
  std::array<order_clock, 2> clocks_;
};

struct unit {
  piece_state state = piece_state::free;
  position freed_at = {};
  std::size_t block = 0;  // of a busy unit: the first unit of its block; of a leaving one that several
                          // streams have freed, see shown(): a number of its granule
};

struct run {
  std::size_t first, count;
};

class model {
public:
  model(std::size_t granules, std::uint64_t minimum)
      : minimum_(minimum), per_granule_(granule_bytes / minimum), units_(granules * per_granule_) {}

  [[nodiscard]] address at(std::size_t first) const { return base + first * minimum_; }
  [[nodiscard]] std::size_t per_granule() const { return per_granule_; }
  std::vector<unit>& units() { return units_; }

  std::size_t first_of(address begin) const { return (begin - base) / minimum_; }

  /// The longest stretches of units for which this holds, cut between units that are not joined.
  template <class Wanted, class Joined>
  std::vector<run> runs(Wanted wanted, Joined joined) const {
    std::vector<run> found;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (!wanted(units_[i])) {
        continue;
      }
      if (i > 0 && wanted(units_[i - 1]) && joined(units_[i - 1], units_[i])) {
        ++found.back().count;
      } else {
        found.push_back({i, 1});
      }
    }
    return found;
  }

  /// The units as the index tells of them: those of a leaving granule were freed by the last free of its
  /// stream, or by several.
  [[nodiscard]] std::vector<unit> shown() const {
    auto units = units_;
    for (std::size_t granule = 0; granule * per_granule_ < units.size(); ++granule) {
      const auto first = units.begin() + static_cast<std::ptrdiff_t>(granule * per_granule_);
      if (first->state == piece_state::leaving) {
        const auto by = left_by(granule);
        std::fill_n(first, per_granule_, unit{piece_state::leaving, by, by == several ? granule + 1 : 0});
      }
    }
    return units;
  }

  [[nodiscard]] std::vector<run> pieces() const {
    const auto units = shown();
    std::vector<run> found;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (i > 0 && units[i - 1].state == units[i].state && units[i - 1].freed_at == units[i].freed_at &&
          units[i - 1].block == units[i].block) {
        ++found.back().count;
      } else {
        found.push_back({i, 1});
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<run> takeable(const rule& allowed, bool whole_pieces) const {
    return runs(
        [&](const unit& each) { return each.state == piece_state::idle && allowed.allows(each.freed_at); },
        [&](const unit& left, const unit& right) {
          return !whole_pieces || left.freed_at == right.freed_at;
        });
  }

  [[nodiscard]] std::optional<address> find_idle(std::size_t count, const rule& allowed) const {
    for (const bool whole_pieces : {true, false}) {
      std::optional<run> best;
      for (const auto& each : takeable(allowed, whole_pieces)) {
        if (each.count >= count && (!best || each.count < best->count)) {
          best = each;
        }
      }
      if (best) {
        return at(best->first);
      }
    }
    return std::nullopt;
  }

  /// Of what the stream freed, where a block may be smaller than a granule: a piece of just the right size,
  /// else the smallest run that is large enough; then the lowest.
  [[nodiscard]] std::optional<address> find_own(std::size_t count, const rule& own) const {
    if (per_granule() == 1) {
      return find_idle(count, own);
    }
    std::optional<run> best;
    for (const auto& each : takeable(own, true)) {
      if (each.count == count) {
        return at(each.first);
      }
    }
    for (const auto& each : takeable(own, false)) {
      if (each.count >= count && (!best || each.count < best->count)) {
        best = each;
      }
    }
    return best ? std::optional{at(best->first)} : std::nullopt;
  }

  /// The smallest gap of free granules that is large enough, then the lowest.
  [[nodiscard]] std::optional<std::size_t> find_free(std::size_t count) const {
    std::optional<run> best;
    for (const auto& gap : gaps()) {
      if (gap.count >= count && (!best || gap.count < best->count)) {
        best = gap;
      }
    }
    return best ? std::optional{best->first} : std::nullopt;
  }

  struct place {
    std::size_t first = 0;
    std::size_t new_granules = 0;
    std::size_t held = 0;  // granules without memory
  };

  /// The place with the fewest new granules: of those that the rule allows as a whole, so many as are more
  /// than there are idle ones. Then that with the fewest without memory, then the smallest gaps, then the
  /// lowest. Of all places only those are looked at that start or end at a bound, as promised.
  [[nodiscard]] std::optional<place> find_new(std::size_t count, const rule& allowed) const {
    enum class kind : char { none, gap, idle };
    std::vector<kind> kinds;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const bool is_idle = units_[i].state == piece_state::idle && allowed.allows(units_[i].freed_at);
      kinds.push_back(is_gap(i, allowed) ? kind::gap : is_idle ? kind::idle : kind::none);
    }
    const auto is_bound = [&](std::size_t i) {
      return i == 0 || i == units_.size() || kinds[i - 1] != kinds[i];
    };
    const auto movable = releasable(allowed, {}).size();
    using price = std::array<std::size_t, 4>;
    std::optional<price> best;
    for (std::size_t first = 0; first + count <= units_.size(); ++first) {
      const auto in = kinds.begin() + static_cast<std::ptrdiff_t>(first);
      if ((!is_bound(first) && !is_bound(first + count)) ||
          std::find(in, in + static_cast<std::ptrdiff_t>(count), kind::none) !=
              in + static_cast<std::ptrdiff_t>(count)) {
        continue;
      }
      price here{0, 0, 0, first};
      std::size_t taken = 0;
      for (auto granule = first / per_granule_; granule * per_granule_ < first + count; ++granule) {
        const auto units = kinds.begin() + static_cast<std::ptrdiff_t>(granule * per_granule_);
        const auto end = units + static_cast<std::ptrdiff_t>(per_granule_);
        taken += std::find(units, end, kind::none) == end ? 1U : 0U;
        here[1] += *units == kind::gap ? 1U : 0U;
      }
      here[0] = taken > movable ? taken - movable : 0;
      for (const auto& gap : gaps(allowed)) {
        here[2] += gap.first < first + count && first < gap.first + gap.count ? gap.count : 0;
      }
      best = best ? std::min(*best, here) : here;
    }
    return best ? std::optional(place{(*best)[3], (*best)[0], (*best)[1]}) : std::nullopt;
  }

  [[nodiscard]] std::vector<run> gaps() const {
    return runs([](const unit& each) { return each.state == piece_state::free; },
                [](const unit&, const unit&) { return true; });
  }

  /// Gives an idle granule up.
  void give_up(std::size_t granule) {
    for (auto i = granule * per_granule_; i < (granule + 1) * per_granule_; ++i) {
      units_[i].state = piece_state::leaving;
    }
    free_settled();
  }

  /// Leaving granules in which everything is settled are free.
  void free_settled() {
    for (std::size_t granule = 0; granule * per_granule_ < units_.size(); ++granule) {
      const auto first = granule * per_granule_;
      if (units_[first].state == piece_state::leaving && left_by(granule) == settled) {
        set(first, per_granule_, {});
      }
    }
  }

  /// The granules that may be given up: highest first, but those that the spared units touch last.
  [[nodiscard]] std::vector<std::size_t> releasable(const rule& allowed, run spared) const {
    std::vector<std::size_t> found;
    for (auto granule = units_.size() / per_granule_; granule-- > 0;) {
      const auto begin = units_.begin() + static_cast<std::ptrdiff_t>(granule * per_granule_);
      if (std::all_of(begin, begin + static_cast<std::ptrdiff_t>(per_granule_), [&](const unit& each) {
            return each.state == piece_state::idle && allowed.allows(each.freed_at);
          })) {
        found.push_back(granule);
      }
    }
    std::stable_partition(found.begin(), found.end(), [&](std::size_t granule) {
      const auto begin = granule * per_granule_;
      return spared.count == 0 || spared.first >= begin + per_granule_ ||
             begin >= spared.first + spared.count;
    });
    return found;
  }

  void set(std::size_t first, std::size_t count, const unit& value) {
    std::fill_n(units_.begin() + static_cast<std::ptrdiff_t>(first), count, value);
  }

private:
  /// By which free a leaving granule was left: the last of a stream, several, or settled if there is none.
  [[nodiscard]] position left_by(std::size_t granule) const {
    position by = settled;
    for (auto i = granule * per_granule_; i < (granule + 1) * per_granule_; ++i) {
      const auto at = units_[i].freed_at;
      if (at.stream == stream_id::none) {
        continue;
      }
      if (by.stream != stream_id::none && by.stream != at.stream) {
        return several;
      }
      by = std::max(by, at);
    }
    return by;
  }

  /// Whether the unit has no memory, and may be taken.
  [[nodiscard]] bool is_gap(std::size_t i, const rule& allowed) const {
    if (units_[i].state == piece_state::leaving) {
      const auto by = left_by(i / per_granule_);
      return by != several && allowed.allows(by);
    }
    return units_[i].state == piece_state::free;
  }

  [[nodiscard]] std::vector<run> gaps(const rule& allowed) const {
    std::vector<run> found;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (!is_gap(i, allowed)) {
        continue;
      }
      if (!found.empty() && found.back().first + found.back().count == i) {
        ++found.back().count;
      } else {
        found.push_back({i, 1});
      }
    }
    return found;
  }

  std::uint64_t minimum_;
  std::size_t per_granule_;
  std::vector<unit> units_;
};

}  // namespace block_index_model
