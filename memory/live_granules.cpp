#include "memory/live_granules.hpp"

#include <algorithm>
#include <bit>

#include "memory/sizes.hpp"

namespace soma::memory {

namespace {

// The granules that a block touches, and those of them that it fills.
struct touched {
  std::uint64_t first, last;        // one past
  std::uint64_t whole, whole_last;  // one past; nothing if not smaller
};

touched touched_by(range window, range block) noexcept {
  const auto begin = block.begin - window.begin;
  const auto end = begin + block.bytes;
  return {begin / granule_bytes, (end - 1) / granule_bytes + 1, (begin + granule_bytes - 1) / granule_bytes,
          end / granule_bytes};
}

// Calls `visit` for the one or two granules that are filled in part.
template <class Visit>
void visit_parts(const touched& by, Visit visit) {
  if (by.first < by.whole) {
    visit(by.first);
  }
  if (by.last > by.whole_last && (by.last - 1 != by.first || by.first >= by.whole)) {
    visit(by.last - 1);
  }
}

}  // namespace

std::uint64_t live_granules::granule_of(address inside) const noexcept {
  return (inside - window_.begin) / granule_bytes;
}

address live_granules::begin_of(std::uint64_t granule) const noexcept {
  return window_.begin + granule * granule_bytes;
}

std::uint64_t live_granules::count() const noexcept { return window_.bytes / granule_bytes; }

turned_granules live_granules::enter(range block) {
  const auto by = touched_by(window_, block);
  grow(by.last);
  turned_granules turned;
  if (by.whole < by.whole_last) {
    mark(by.whole, by.whole_last, true);
  }
  visit_parts(by, [&](std::uint64_t granule) {
    if (in_part_[granule]++ == 0) {
      mark(granule, granule + 1, true);
      turned.push_back(granule);
    }
  });
  return turned;
}

turned_granules live_granules::leave(range block) {
  const auto by = touched_by(window_, block);
  turned_granules turned;
  if (by.whole < by.whole_last) {
    mark(by.whole, by.whole_last, false);
  }
  visit_parts(by, [&](std::uint64_t granule) {
    if (--in_part_[granule] == 0) {
      mark(granule, granule + 1, false);
      turned.push_back(granule);
    }
  });
  return turned;
}

void live_granules::grow(std::uint64_t granules) {
  if (granules > in_part_.size()) {
    const auto room = std::min(count(), std::max(granules, 2 * std::uint64_t{in_part_.size()}));
    in_part_.resize(room);
    live_.resize((room + 63) / 64);
  }
}

void live_granules::mark(std::uint64_t first, std::uint64_t last, bool live) noexcept {
  while (first < last) {
    const auto bits = std::min(last - first, 64 - first % 64);
    const auto mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << (first % 64);
    auto& word = live_[first / 64];
    word = live ? word | mask : word & ~mask;
    first += bits;
  }
}

// The first bit from here on that is set when the words are flipped by this mask.
std::uint64_t live_granules::next(std::uint64_t granule, std::uint64_t flipped) const noexcept {
  auto word = granule / 64;
  if (word >= live_.size()) {
    return flipped == 0 ? count() : std::min(granule, count());
  }
  auto bits = (live_[word] ^ flipped) & (~std::uint64_t{0} << (granule % 64));
  while (bits == 0) {
    if (++word == live_.size()) {
      return flipped == 0 ? count() : std::min(word * 64, count());
    }
    bits = live_[word] ^ flipped;
  }
  return std::min(word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits)), count());
}

std::uint64_t live_granules::next_live(std::uint64_t granule) const noexcept { return next(granule, 0); }

std::uint64_t live_granules::next_vacant(std::uint64_t granule) const noexcept {
  return next(granule, ~std::uint64_t{0});
}

}  // namespace soma::memory
