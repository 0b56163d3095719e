#include "memory/place.hpp"

#include <cstring>

namespace soma::memory {

namespace {

bool same_text(const char* one, const char* other) noexcept {
  return one == other || (one != nullptr && other != nullptr && std::strcmp(one, other) == 0);
}

}  // namespace

bool same_place(const place& one, const place& other) noexcept {
  return one.line == other.line && one.code == other.code && same_text(one.call, other.call) &&
         same_text(one.file, other.file);
}

}  // namespace soma::memory
