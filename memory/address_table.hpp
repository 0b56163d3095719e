// A table of records by the address at which something begins, for look-ups that must cost next to nothing
// also among very many: a record lies where its address says, so that finding it touches one cache line.
//
// Open addressing with linear probing. Places keep their numbers until the table is rebuilt; what is removed
// leaves a mark until then.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "memory/identifiers.hpp"

namespace soma::memory {

/// A record has a member `begin`, of type address: not null, and not 1.
template <class Record>
class address_table {
public:
  using place = std::uint32_t;  // 0 is none: a record there has no address

  /// The place of the record that begins there, or 0.
  [[nodiscard]] place find(address begin) const noexcept {
    for (auto at = home(begin);; at = next(at)) {
      const auto found = records_[at].begin;
      if (found == address::null) {
        return 0;
      }
      if (found == begin) {
        return begin == mark ? 0 : at;
      }
    }
  }

  [[nodiscard]] Record& operator[](place at) noexcept { return records_[at]; }
  [[nodiscard]] const Record& operator[](place at) const noexcept { return records_[at]; }

  [[nodiscard]] std::size_t size() const noexcept { return used_; }

  /// Whether it must be rebuilt before something can be added.
  [[nodiscard]] bool is_full() const noexcept { return 2 * (used_ + marks_ + 1) > slots(); }

  /// Precondition: it is not full, and no record begins where this one does.
  place add(const Record& added) {
    assert(!is_full() && find(added.begin) == 0);
    auto at = home(added.begin);
    while (is_used(at)) {
      at = next(at);
    }
    marks_ -= records_[at].begin == mark ? 1U : 0U;
    records_[at] = added;
    ++used_;
    return at;
  }

  /// Precondition: there is a record. All of it but its address stays readable until something is added.
  void remove(place at) noexcept {
    assert(is_used(at));
    records_[at].begin = mark;
    --used_;
    ++marks_;
  }

  /// Makes room for about as many as there are. Returns the new place for each old one, 0 for what had no
  /// record.
  std::vector<place> rebuild() {
    const auto before = std::exchange(records_, {});
    records_.resize(1 + std::max(fewest_slots, std::bit_ceil(3 * (used_ + 1))));
    shift_ = shift_for(slots());
    used_ = 0;
    marks_ = 0;
    std::vector<place> places(before.size());
    for (place old = 1; old < before.size(); ++old) {
      if (stands_for_a_record(before[old].begin)) {
        places[old] = add(before[old]);
      }
    }
    return places;
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (place at = 1; at < records_.size(); ++at) {
      if (is_used(at)) {
        visit(records_[at]);
      }
    }
  }

private:
  static constexpr std::size_t fewest_slots = 8;
  static constexpr address mark{1};

  static constexpr unsigned shift_for(std::size_t slots) noexcept {
    return 64U - static_cast<unsigned>(std::countr_zero(slots));
  }
  static bool stands_for_a_record(address begin) noexcept { return begin != address::null && begin != mark; }

  [[nodiscard]] std::size_t slots() const noexcept { return records_.size() - 1; }
  [[nodiscard]] bool is_used(place at) const noexcept { return stands_for_a_record(records_[at].begin); }

  // Multiplication carries every bit of the address to the upper bits of the product.
  [[nodiscard]] place home(address begin) const noexcept {
    return 1 + static_cast<place>((number(begin) * 0x9E3779B97F4A7C15U) >> shift_);
  }
  [[nodiscard]] place next(place at) const noexcept { return at == slots() ? 1 : at + 1; }

  std::vector<Record> records_ = std::vector<Record>(1 + fewest_slots);  // the first one is never used
  unsigned shift_ = shift_for(fewest_slots);
  std::size_t used_ = 0;
  std::size_t marks_ = 0;
};

}  // namespace soma::memory
