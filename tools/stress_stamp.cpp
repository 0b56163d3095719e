#include "tools/stress_stamp.hpp"

#include <algorithm>
#include <cstring>

namespace soma::tools {

namespace {

constexpr std::uint64_t whole_max = std::uint64_t{64} << 10;
constexpr std::uint64_t piece_bytes = 4096;
constexpr std::uint64_t sections = 16;
constexpr std::uint64_t pair_bytes = 16;

constexpr std::uint64_t round_down(std::uint64_t value, std::uint64_t step) noexcept {
  return value - value % step;
}

std::uint64_t word_at(std::uint64_t offset, std::uint64_t stamp) noexcept {
  return offset % pair_bytes == 0 ? stamp : ~stamp ^ offset;
}

/// Calls `visit(offset, bytes)` for each piece until it returns false. Offsets are multiples of 16.
template <class Visit>
void visit_pieces(std::uint64_t bytes, std::uint64_t stamp, Visit visit) {
  if (bytes <= whole_max) {
    visit(std::uint64_t{0}, bytes);
    return;
  }
  const auto section = round_down(bytes / sections, piece_bytes);
  bool go_on = visit(std::uint64_t{0}, piece_bytes);
  for (std::uint64_t each = 1; go_on && each + 1 < sections; ++each) {
    const auto place = (stamp * 0x9e3779b97f4a7c15 + each * 0xbf58476d1ce4e5b9) >> 20;
    go_on = visit(each * section + round_down(place % section, piece_bytes), piece_bytes);
  }
  if (go_on) {
    const auto last = round_down(bytes - piece_bytes, pair_bytes);
    visit(last, bytes - last);
  }
}

std::uint64_t stamp_near(const std::byte* block, std::uint64_t bytes, std::uint64_t offset) noexcept {
  const auto pair = round_down(offset, pair_bytes);
  std::uint64_t found = 0;
  std::memcpy(&found, block + pair, std::min(sizeof(found), bytes - pair));
  return found;
}

}  // namespace

std::uint64_t stamped_bytes(std::uint64_t bytes) noexcept {
  std::uint64_t sum = 0;
  visit_pieces(bytes, 0, [&sum](std::uint64_t /*offset*/, std::uint64_t length) {
    sum += length;
    return true;
  });
  return sum;
}

void write_stamp(std::byte* block, std::uint64_t bytes, std::uint64_t stamp) noexcept {
  visit_pieces(bytes, stamp, [block, stamp](std::uint64_t offset, std::uint64_t length) {
    for (const auto end = offset + length; offset < end; offset += sizeof(std::uint64_t)) {
      const auto word = word_at(offset, stamp);
      std::memcpy(block + offset, &word, std::min(sizeof(word), end - offset));
    }
    return true;
  });
}

std::optional<stamp_difference> check_stamp(const std::byte* block, std::uint64_t bytes,
                                            std::uint64_t stamp) noexcept {
  std::optional<stamp_difference> found;
  visit_pieces(bytes, stamp, [&](std::uint64_t offset, std::uint64_t length) {
    for (const auto end = offset + length; offset < end; offset += sizeof(std::uint64_t)) {
      const auto word = word_at(offset, stamp);
      if (std::memcmp(block + offset, &word, std::min(sizeof(word), end - offset)) != 0) {
        found = stamp_difference{.offset = offset, .found_stamp = stamp_near(block, bytes, offset)};
        return false;
      }
    }
    return true;
  });
  return found;
}

}  // namespace soma::tools
