#include "bench/baseline/segregated_fit.hpp"

#include <bit>
#include <cassert>

namespace soma::bench {

namespace {

unsigned power_below(std::uint64_t units) noexcept {
  return static_cast<unsigned>(std::bit_width(units)) - 1;
}

}  // namespace

segregated_fit::segregated_fit(std::uint64_t begin, std::uint64_t bytes)
    : begin_(begin), units_(bytes / unit_bytes) {
  assert(begin % unit_bytes == 0 && bytes % unit_bytes == 0 && bytes != 0);
  for (auto& heads : heads_) {
    heads.fill(none);
  }
  blocks_.push_back({.begin = begin, .units = units_});
  enlist(0);
}

std::optional<std::uint64_t> segregated_fit::malloc(std::uint64_t bytes) {
  const std::uint64_t units = bytes / unit_bytes + (bytes % unit_bytes != 0 ? 1 : 0);
  if (units == 0 || units > units_) {
    return std::nullopt;
  }
  const auto found = find(list_for(units));
  if (!found) {
    return std::nullopt;
  }
  const block_number number = heads_[found->first][found->second];
  unlist(number);
  split(number, units);
  const std::uint64_t address = blocks_[number].begin;
  live_.insert(address, number);
  return address;
}

bool segregated_fit::free(std::uint64_t address) {
  const auto taken = live_.take(address);
  if (!taken) {
    return false;
  }
  block_number number = *taken;
  const block_number before = blocks_[number].before;
  const block_number after = blocks_[number].after;
  if (after != none && blocks_[after].is_free) {
    unlist(after);
    absorb(number, after);
  }
  if (before != none && blocks_[before].is_free) {
    unlist(before);
    absorb(before, number);
    number = before;
  }
  enlist(number);
  return true;
}

segregated_fit::list segregated_fit::list_of(std::uint64_t units) noexcept {
  if (units < second_count) {
    return {0, static_cast<unsigned>(units)};
  }
  const unsigned power = power_below(units);
  return {power - second_bits + 1,
          static_cast<unsigned>(units >> (power - second_bits)) & (second_count - 1)};
}

segregated_fit::list segregated_fit::list_for(std::uint64_t units) noexcept {
  if (units < second_count) {
    return list_of(units);
  }
  return list_of(units + (std::uint64_t{1} << (power_below(units) - second_bits)) - 1);
}

std::optional<segregated_fit::list> segregated_fit::find(list from) const noexcept {
  const std::uint32_t seconds = seconds_[from.first] & (~std::uint32_t{0} << from.second);
  if (seconds != 0) {
    return list{from.first, static_cast<unsigned>(std::countr_zero(seconds))};
  }
  const std::uint64_t firsts = firsts_ & (~std::uint64_t{1} << from.first);
  if (firsts == 0) {
    return std::nullopt;
  }
  const auto first = static_cast<unsigned>(std::countr_zero(firsts));
  return list{first, static_cast<unsigned>(std::countr_zero(seconds_[first]))};
}

void segregated_fit::enlist(block_number number) noexcept {
  block& listed = blocks_[number];
  const auto [first, second] = list_of(listed.units);
  block_number& head = heads_[first][second];
  listed.is_free = true;
  listed.previous = none;
  listed.next = head;
  if (head != none) {
    blocks_[head].previous = number;
  }
  head = number;
  seconds_[first] |= std::uint32_t{1} << second;
  firsts_ |= std::uint64_t{1} << first;
}

void segregated_fit::unlist(block_number number) noexcept {
  block& listed = blocks_[number];
  listed.is_free = false;
  if (listed.next != none) {
    blocks_[listed.next].previous = listed.previous;
  }
  if (listed.previous != none) {
    blocks_[listed.previous].next = listed.next;
    return;
  }
  const auto [first, second] = list_of(listed.units);
  heads_[first][second] = listed.next;
  if (listed.next == none) {
    seconds_[first] &= ~(std::uint32_t{1} << second);
    if (seconds_[first] == 0) {
      firsts_ &= ~(std::uint64_t{1} << first);
    }
  }
}

segregated_fit::block_number segregated_fit::new_block() {
  if (!unused_.empty()) {
    const block_number number = unused_.back();
    unused_.pop_back();
    return number;
  }
  blocks_.emplace_back();
  return static_cast<block_number>(blocks_.size() - 1);
}

void segregated_fit::split(block_number number, std::uint64_t units) {
  if (blocks_[number].units == units) {
    return;
  }
  const block_number rest = new_block();
  block& kept = blocks_[number];
  blocks_[rest] = {.begin = kept.begin + units * unit_bytes,
                   .units = kept.units - units,
                   .before = number,
                   .after = kept.after};
  if (kept.after != none) {
    blocks_[kept.after].before = rest;
  }
  kept.after = rest;
  kept.units = units;
  enlist(rest);
}

void segregated_fit::absorb(block_number number, block_number behind) noexcept {
  block& grown = blocks_[number];
  grown.units += blocks_[behind].units;
  grown.after = blocks_[behind].after;
  if (grown.after != none) {
    blocks_[grown.after].before = number;
  }
  unused_.push_back(behind);
}

bool segregated_fit::check_invariants() const {
  const auto live = check_blocks();
  const auto free = check_lists();
  return live && free && *live == live_.size() && *live + *free + unused_.size() == blocks_.size();
}

std::optional<std::size_t> segregated_fit::check_blocks() const {
  std::size_t live = 0;
  std::uint64_t begin = begin_;
  block_number before = none;
  // The first block is never absorbed by another one, so it keeps its number.
  for (block_number number = 0; number != none; number = blocks_[number].after) {
    const block& looked_at = blocks_[number];
    const bool behind_free = before != none && blocks_[before].is_free;
    if (looked_at.begin != begin || looked_at.units == 0 || looked_at.before != before ||
        (behind_free && looked_at.is_free) || live_.contains(looked_at.begin) == looked_at.is_free) {
      return std::nullopt;
    }
    live += looked_at.is_free ? 0 : 1;
    begin += looked_at.units * unit_bytes;
    before = number;
  }
  return begin == begin_ + units_ * unit_bytes ? std::optional(live) : std::nullopt;
}

std::optional<std::size_t> segregated_fit::check_lists() const {
  std::size_t free = 0;
  for (unsigned first = 0; first < first_count; ++first) {
    if (((firsts_ >> first) & 1) != (seconds_[first] != 0 ? 1 : 0)) {
      return std::nullopt;
    }
    for (unsigned second = 0; second < second_count; ++second) {
      const block_number head = heads_[first][second];
      if (((seconds_[first] >> second) & 1) != (head != none ? 1 : 0)) {
        return std::nullopt;
      }
      for (block_number number = head; number != none; number = blocks_[number].next) {
        const list own = list_of(blocks_[number].units);
        if (!blocks_[number].is_free || own.first != first || own.second != second) {
          return std::nullopt;
        }
        ++free;
      }
    }
  }
  return free;
}

}  // namespace soma::bench
