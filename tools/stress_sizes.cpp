#include "tools/stress_sizes.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "tools/byte_size.hpp"

namespace soma::tools {

namespace {

tl::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  auto bytes = parse_byte_size(text);
  if (bytes && *bytes == 0) {
    return tl::unexpected(std::string("a block of 0 bytes cannot be allocated"));
  }
  return bytes;
}

}  // namespace

tl::expected<stress_sizes, std::string> stress_sizes::parse(std::string_view text) {
  constexpr std::string_view dots = "..";
  stress_sizes read;
  read.text_ = text;
  read.is_range_ = text.find(dots) != std::string_view::npos;
  const auto separator = read.is_range_ ? dots : std::string_view(",");
  while (true) {
    const auto end = text.find(separator);
    auto size = parse_size(text.substr(0, end));
    if (!size) {
      return tl::unexpected("sizes " + read.text_ + ": " + size.error());
    }
    read.sizes_.push_back(*size);
    if (end == std::string_view::npos) {
      break;
    }
    text.remove_prefix(end + separator.size());
  }
  if (read.is_range_ && (read.sizes_.size() != 2 || read.sizes_[0] > read.sizes_[1])) {
    return tl::unexpected("sizes " + read.text_ + ": a range is MIN..MAX, with MIN not above MAX");
  }
  return read;
}

std::uint64_t stress_sizes::pick(stress_random& random) const {
  if (!is_range_) {
    return sizes_[random.below(sizes_.size())];
  }
  const auto lowest = static_cast<std::uint64_t>(std::bit_width(sizes_[0])) - 1;
  const auto highest = static_cast<std::uint64_t>(std::bit_width(sizes_[1])) - 1;
  const auto power = std::uint64_t{1} << (lowest + random.below(highest - lowest + 1));
  return std::clamp(power + random.below(power), sizes_[0], sizes_[1]);
}

std::uint64_t stress_sizes::largest() const { return *std::max_element(sizes_.begin(), sizes_.end()); }

}  // namespace soma::tools
