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

  [[nodiscard]] bool has_small_blocks() const { return per_granule_ > 1; }

  [[nodiscard]] bool is_live(std::size_t i) const {
    const auto first = units_.begin() + static_cast<std::ptrdiff_t>(i / per_granule_ * per_granule_);
    return std::any_of(first, first + static_cast<std::ptrdiff_t>(per_granule_),
                       [](const unit& each) { return each.state == piece_state::busy; });
  }

  /// Whether a live granule touches a vacant one between these units, which matters to small blocks only.
  [[nodiscard]] bool is_bound(const unit& left, const unit& right) const {
    return has_small_blocks() && is_live(place(left)) != is_live(place(right));
  }

  [[nodiscard]] std::vector<run> pieces() const {
    return runs([](const unit&) { return true; },
                [&](const unit& left, const unit& right) {
                  return left.state == right.state && left.freed_at == right.freed_at &&
                         left.block == right.block &&
                         !(left.state == piece_state::idle && is_bound(left, right));
                });
  }

  enum class joined_by : char { free, owner, anything };

  [[nodiscard]] std::vector<run> takeable(const rule& allowed, joined_by what) const {
    return runs(
        [&](const unit& each) { return each.state == piece_state::idle && allowed.allows(each.freed_at); },
        [&](const unit& left, const unit& right) {
          return !is_bound(left, right) &&
                 (what == joined_by::anything || left.freed_at == right.freed_at ||
                  (what == joined_by::owner && owner_of(left.freed_at) == owner_of(right.freed_at)));
        });
  }

  [[nodiscard]] std::optional<address> find_idle(std::size_t count, const rule& allowed) const {
    const auto small = has_small_blocks();
    for (const auto joined : {small ? joined_by::owner : joined_by::free, joined_by::anything}) {
      std::optional<std::array<std::size_t, 3>> best;
      for (const auto& each : takeable(allowed, joined)) {
        if (each.count < count || (small && !is_live(each.first))) {
          continue;
        }
        const bool is_at_bound =
            each.first % per_granule_ == 0 || (each.first + each.count) % per_granule_ == 0;
        const std::array<std::size_t, 3> here{small && is_at_bound ? 1U : 0U, each.count, each.first};
        best = best ? std::min(*best, here) : here;
      }
      if (best) {
        return at((*best)[2]);
      }
    }
    if (!small) {
      return std::nullopt;
    }
    const auto idle = holes(allowed, false);
    std::optional<std::array<std::size_t, 3>> best;
    visit_places(count, idle, [&](std::size_t first, const run& hole) {
      const std::array<std::size_t, 3> here{count_granules(first, count, vacant()), hole.count, first};
      best = best ? std::min(*best, here) : here;
    });
    return best ? std::optional{at((*best)[2])} : std::nullopt;
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

  struct place_found {
    std::size_t first = 0;
    std::size_t new_granules = 0;
    std::vector<std::size_t> given_up;  // by rising number
  };

  /// Of all places: the fewest new granules, the fewest vacant ones, the fewest without memory, the smallest
  /// hole, the lowest.
  [[nodiscard]] std::optional<place_found> find_new(std::size_t count, const rule& allowed,
                                                    bool moves) const {
    const auto usable = holes(allowed, true);
    const auto whole = whole_granules(usable);
    auto movable = whole;
    std::size_t most = 0;
    for (std::size_t granule = 0; granule < whole.size(); ++granule) {
      movable[granule] = whole[granule] && units_[granule * per_granule_].state == piece_state::idle;
      most += moves && movable[granule] ? 1U : 0U;
    }
    using price = std::array<std::size_t, 5>;
    std::optional<price> best;
    visit_places(count, usable, [&](std::size_t first, const run& hole) {
      const auto without_memory = new_granules(first, count);
      const auto needed = moves ? count_granules(first, count, whole) : without_memory;
      const price here{needed > most ? needed - most : 0, count_granules(first, count, vacant()),
                       without_memory, hole.count, first};
      best = best ? std::min(*best, here) : here;
    });
    if (!best) {
      return std::nullopt;
    }
    place_found found{(*best)[4], (*best)[0], {}};
    for (auto i = found.first; i < found.first + count; ++i) {
      movable[i / per_granule_] = false;
    }
    found.given_up = take_granules(movable, (*best)[2] - (*best)[0]);
    return found;
  }

  /// How many granules without memory a block here would touch.
  [[nodiscard]] std::size_t new_granules(std::size_t first, std::size_t count) const {
    std::vector<bool> without(units_.size() / per_granule_);
    for (std::size_t granule = 0; granule < without.size(); ++granule) {
      const auto state = units_[granule * per_granule_].state;
      without[granule] = state == piece_state::free || state == piece_state::leaving;
    }
    return count_granules(first, count, without);
  }

  /// The largest block with at most so many granules that are whole, beside those that could move.
  [[nodiscard]] std::size_t largest(std::size_t new_granules, const rule& allowed) const {
    const auto usable = holes(allowed, true);
    const auto whole = whole_granules(usable);
    for (std::size_t granule = 0; granule < whole.size(); ++granule) {
      new_granules += whole[granule] && units_[granule * per_granule_].state == piece_state::idle ? 1U : 0U;
    }
    std::size_t largest = 0;
    for (const auto& hole : usable) {
      for (auto first = hole.first; first < hole.first + hole.count; ++first) {
        for (auto count = largest + 1; first + count <= hole.first + hole.count; ++count) {
          largest = count_granules(first, count, whole) <= new_granules ? count : largest;
        }
      }
    }
    return largest;
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

  /// Idle units begin to leave; settled granules are free at once.
  void leave(std::size_t first, std::size_t count) {
    for (auto i = first; i < first + count; ++i) {
      auto& each = units_[i];
      each.state = piece_state::leaving;
      each.freed_at = each.freed_at == never_used ? position{} : each.freed_at;
    }
    free_settled();
  }

  /// Leaving granules become free when all of them is settled.
  void free_settled() {
    for (std::size_t first = 0; first < units_.size(); first += per_granule_) {
      const auto begin = units_.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::all_of(begin, begin + static_cast<std::ptrdiff_t>(per_granule_), [](const unit& each) {
            return each.state == piece_state::leaving && each.freed_at == position{};
          })) {
        set(first, per_granule_, {});
      }
    }
  }

  void set(std::size_t first, std::size_t count, const unit& value) {
    std::fill_n(units_.begin() + static_cast<std::ptrdiff_t>(first), count, value);
  }

private:
  [[nodiscard]] std::size_t place(const unit& of) const {
    return static_cast<std::size_t>(&of - units_.data());
  }

  /// The longest stretches of what may be taken: idle, and with addresses without memory also free ones, and
  /// leaving granules of which all may be taken.
  [[nodiscard]] std::vector<run> holes(const rule& allowed, bool with_free) const {
    const auto leaves = [&](std::size_t i) {
      const auto first = units_.begin() + static_cast<std::ptrdiff_t>(i / per_granule_ * per_granule_);
      return std::all_of(first, first + static_cast<std::ptrdiff_t>(per_granule_),
                         [&](const unit& each) { return allowed.allows(each.freed_at); });
    };
    return runs(
        [&](const unit& each) {
          return each.state == piece_state::idle      ? allowed.allows(each.freed_at)
                 : each.state == piece_state::free    ? with_free
                 : each.state == piece_state::leaving ? with_free && leaves(place(each))
                                                      : false;
        },
        [](const unit&, const unit&) { return true; });
  }

  template <class Visit>
  void visit_places(std::size_t count, const std::vector<run>& in, Visit visit) const {
    for (const auto& hole : in) {
      for (auto first = hole.first; first + count <= hole.first + hole.count; ++first) {
        visit(first, hole);
      }
    }
  }

  [[nodiscard]] std::size_t count_granules(std::size_t first, std::size_t count,
                                           const std::vector<bool>& which) const {
    std::size_t granules = 0;
    for (auto granule = first / per_granule_; granule <= (first + count - 1) / per_granule_; ++granule) {
      granules += which[granule] ? 1U : 0U;
    }
    return granules;
  }

  [[nodiscard]] std::vector<bool> vacant() const {
    std::vector<bool> found(units_.size() / per_granule_);
    for (std::size_t granule = 0; granule < found.size(); ++granule) {
      found[granule] = !is_live(granule * per_granule_);
    }
    return found;
  }

  [[nodiscard]] std::vector<bool> whole_granules(const std::vector<run>& in) const {
    std::vector<bool> found(units_.size() / per_granule_);
    for (const auto& hole : in) {
      for (auto granule = (hole.first + per_granule_ - 1) / per_granule_;
           (granule + 1) * per_granule_ <= hole.first + hole.count; ++granule) {
        found[granule] = true;
      }
    }
    return found;
  }

  /// From the smallest stretch that is enough, else from the largest; of equal ones the highest; from its
  /// end.
  [[nodiscard]] static std::vector<std::size_t> take_granules(std::vector<bool> from, std::size_t count) {
    std::vector<std::size_t> taken;
    while (taken.size() < count) {
      std::optional<std::array<std::size_t, 3>> best;  // not enough, size or what is too much, from the end
      std::size_t best_end = 0;
      std::size_t best_size = 0;
      const auto wanted = count - taken.size();
      for (std::size_t end = 1, size = 0; end <= from.size(); ++end) {
        size = from[end - 1] ? size + 1 : 0;
        if (size == 0 || (end < from.size() && from[end])) {
          continue;
        }
        const std::array<std::size_t, 3> here{size < wanted ? 1U : 0U,
                                              size < wanted ? from.size() - size : size, from.size() - end};
        if (!best || here < *best) {
          best = here;
          best_end = end;
          best_size = size;
        }
      }
      for (std::size_t i = 0; i < std::min(wanted, best_size); ++i) {
        taken.push_back(best_end - 1 - i);
      }
      for (std::size_t i = 0; i < best_size; ++i) {
        from[best_end - 1 - i] = false;
      }
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  }

  std::uint64_t minimum_;
  std::size_t per_granule_;
  std::vector<unit> units_;
};

}  // namespace block_index_model
