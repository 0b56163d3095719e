#include "bench/baseline/address_table.hpp"

#include <bit>
#include <cassert>

namespace soma::bench {

namespace {

constexpr std::size_t first_capacity = 1024;

/// How far a hash is shifted so that it numbers an entry.
unsigned shift_for(std::size_t capacity) noexcept {
  return 65U - static_cast<unsigned>(std::bit_width(capacity));
}

}  // namespace

address_table::address_table()
    : entries_(first_capacity), mask_(first_capacity - 1), shift_(shift_for(first_capacity)) {
  // nop
}

void address_table::insert(std::uint64_t address, std::uint32_t block) {
  if ((size_ + 1) * 2 > entries_.size()) {
    grow();
  }
  entry& empty = entries_[find(address)];
  assert(empty.block == nothing);
  empty = {address, block};
  ++size_;
}

std::optional<std::uint32_t> address_table::take(std::uint64_t address) noexcept {
  const std::size_t place = find(address);
  const std::uint32_t block = entries_[place].block;
  if (block == nothing) {
    return std::nullopt;
  }
  close_gap(place);
  --size_;
  return block;
}

bool address_table::contains(std::uint64_t address) const noexcept {
  return entries_[find(address)].block != nothing;
}

std::size_t address_table::home(std::uint64_t address) const noexcept {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>((address * golden_ratio) >> shift_);
}

std::size_t address_table::find(std::uint64_t address) const noexcept {
  std::size_t place = home(address);
  while (entries_[place].block != nothing && entries_[place].address != address) {
    place = behind(place);
  }
  return place;
}

// An entry behind the gap may move into it if the gap is not in front of the entry's home.
void address_table::close_gap(std::size_t gap) noexcept {
  for (std::size_t place = behind(gap); entries_[place].block != nothing; place = behind(place)) {
    const std::size_t from_home = (place - home(entries_[place].address)) & mask_;
    const std::size_t from_gap = (place - gap) & mask_;
    if (from_home >= from_gap) {
      entries_[gap] = entries_[place];
      gap = place;
    }
  }
  entries_[gap].block = nothing;
}

void address_table::grow() {
  std::vector<entry> old(entries_.size() * 2);
  old.swap(entries_);
  mask_ = entries_.size() - 1;
  shift_ = shift_for(entries_.size());
  for (const entry& moved : old) {
    if (moved.block != nothing) {
      entries_[find(moved.address)] = moved;
    }
  }
}

}  // namespace soma::bench
