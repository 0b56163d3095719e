#include "memory/sizes.hpp"

#include <array>
#include <cstdio>

namespace soma::memory {

std::string describe_bytes(std::uint64_t bytes) {
  constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto text = std::to_string(bytes) + " bytes";
  if (bytes < 1024) {
    return text;
  }
  std::size_t unit = 0;
  auto scaled = static_cast<double>(bytes);
  while (scaled >= 1024.0 && unit + 1 < units.size()) {
    scaled /= 1024.0;
    ++unit;
  }
  std::array<char, 48> short_form{};
  std::snprintf(short_form.data(), short_form.size(), " (%.4g %s)", scaled, units.at(unit));
  return text + short_form.data();
}

}  // namespace soma::memory
