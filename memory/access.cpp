#include "memory/access.hpp"

#include <cstring>

namespace soma::memory {

std::vector<access> pointers_among(const void* arguments, std::size_t bytes) {
  std::vector<access> pointers;
  const auto* begin = static_cast<const std::byte*>(arguments);
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + at, sizeof word);
    if (word != 0) {
      pointers.push_back({address{word}, 0, access_kind::pointer});
    }
  }
  return pointers;
}

}  // namespace soma::memory
