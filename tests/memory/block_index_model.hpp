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
  std::size_t block = 0;  // of a busy unit: the first unit of its block
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

  [[nodiscard]] std::vector<run> pieces() const {
    return runs([](const unit&) { return true; },
                [](const unit& left, const unit& right) {
                  return left.state == right.state && left.freed_at == right.freed_at &&
                         left.block == right.block;
                });
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

  /// The place with the fewest new granules; then the smallest gaps, then the lowest. Of all places only
  /// those are looked at that start or end at a bound, as promised.
  [[nodiscard]] std::optional<std::size_t> find_new(std::size_t count, const rule& allowed) const {
    const auto usable = [&](std::size_t i) {
      const auto& each = units_[i];
      return each.state == piece_state::free   ? 1
             : each.state != piece_state::idle ? 0
             : allowed.allows(each.freed_at)   ? 2
                                               : 0;
    };
    const auto is_bound = [&](std::size_t i) {
      return i == 0 || i == units_.size() || usable(i - 1) != usable(i);
    };
    using price = std::array<std::size_t, 3>;
    std::optional<price> best;
    for (std::size_t first = 0; first + count <= units_.size(); ++first) {
      bool legal = is_bound(first) || is_bound(first + count);
      for (std::size_t i = first; i < first + count; ++i) {
        legal = legal && usable(i) != 0;
      }
      if (!legal) {
        continue;
      }
      price here{new_granules(first, count), 0, first};
      for (const auto& gap : gaps()) {
        here[1] += gap.first < first + count && first < gap.first + gap.count ? gap.count : 0;
      }
      best = best ? std::min(*best, here) : here;
    }
    return best ? std::optional{(*best)[2]} : std::nullopt;
  }

  /// How many free granules a block here would touch.
  [[nodiscard]] std::size_t new_granules(std::size_t first, std::size_t count) const {
    std::size_t granules = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      granules += units_[i].state == piece_state::free && (i == first || i % per_granule_ == 0) ? 1U : 0U;
    }
    return granules;
  }

  [[nodiscard]] std::vector<run> gaps() const {
    return runs([](const unit& each) { return each.state == piece_state::free; },
                [](const unit&, const unit&) { return true; });
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
  std::uint64_t minimum_;
  std::size_t per_granule_;
  std::vector<unit> units_;
};

}  // namespace block_index_model
