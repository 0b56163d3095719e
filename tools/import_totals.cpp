#include "tools/import_totals.hpp"

#include <algorithm>
#include <iterator>

namespace soma::tools {

namespace {

/// Addresses of unnamed blocks, far from those that importers give to others.
constexpr std::uint64_t unnamed_base = std::uint64_t{1} << 63;

}  // namespace

void total_follower::start(std::uint64_t bytes, std::uint64_t stream) {
  if (bytes != 0) {
    blocks_.push_back(
        {.address = unnamed_base + addresses_++, .bytes = bytes, .stream = stream, .born = from_before});
    keep(blocks_.size() - 1);
  }
}

void total_follower::add(const import_event& event) {
  events_.push_back({.place = places_++, .event = event});
}

void total_follower::rise(std::uint64_t bytes, std::int64_t time_ns, std::uint64_t stream) {
  blocks_.push_back(
      {.address = unnamed_base + addresses_++, .bytes = bytes, .stream = stream, .born = events_.size()});
  add({.time_ns = time_ns,
       .address = blocks_.back().address,
       .bytes = bytes,
       .stream = stream,
       .kind = import_kind::malloc});
  keep(blocks_.size() - 1);
}

std::uint64_t total_follower::fall(std::uint64_t bytes, std::int64_t time_ns) {
  if (auto same = live_by_bytes_.find(bytes); same != live_by_bytes_.end()) {
    auto& numbers = same->second;
    while (!numbers.empty() && (live_.count(numbers.back()) == 0 || blocks_[numbers.back()].bytes != bytes)) {
      numbers.pop_back();
    }
    if (!numbers.empty()) {
      release(numbers.back(), time_ns);
      return 0;
    }
    live_by_bytes_.erase(same);
  }
  while (bytes != 0 && !live_.empty()) {
    const std::size_t latest = std::prev(live_.end())->first;
    const std::size_t freed = blocks_[latest].bytes > bytes ? split(latest, bytes) : latest;
    bytes -= blocks_[freed].bytes;
    release(freed, time_ns);
  }
  return bytes;
}

void total_follower::keep(std::size_t number) {
  live_.emplace(number, blocks_[number].bytes);
  live_by_bytes_[blocks_[number].bytes].push_back(number);
}

void total_follower::release(std::size_t number, std::int64_t time_ns) {
  const unnamed_block& block = blocks_[number];
  add({.time_ns = time_ns,
       .address = block.address,
       .bytes = block.bytes,
       .stream = block.stream,
       .kind = import_kind::free});
  live_.erase(number);
}

/// Makes two blocks of one, from its malloc on. Returns the one of this size.
std::size_t total_follower::split(std::size_t number, std::uint64_t bytes) {
  unnamed_block part = blocks_[number];
  part.address = unnamed_base + addresses_++;
  part.bytes = bytes;
  blocks_[number].bytes -= bytes;
  live_by_bytes_[blocks_[number].bytes].push_back(number);
  if (part.born != from_before) {
    placed_event born = events_[part.born];
    events_[part.born].event.bytes = blocks_[number].bytes;
    born.event.address = part.address;
    born.event.bytes = bytes;
    part.born = events_.size();
    events_.push_back(born);
  }
  blocks_.push_back(part);
  return blocks_.size() - 1;
}

void total_follower::finish() {
  for (const unnamed_block& block : blocks_) {
    if (block.born == from_before) {
      into_.before.push_back(
          {.address = block.address, .bytes = block.bytes, .stream = block.stream, .segment = false});
    }
  }
  std::stable_sort(events_.begin(), events_.end(), [](const placed_event& left, const placed_event& right) {
    return left.place < right.place;
  });
  for (const placed_event& each : events_) {
    into_.events.push_back(each.event);
  }
}

}  // namespace soma::tools
