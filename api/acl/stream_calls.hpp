// Making streams, for all calls that do (stream.cpp).
#pragma once

#include <cstdint>

namespace soma::acl {

/// Makes a stream in the current context and gives its handle. A priority above the lowest counts as that.
void* make_stream(std::uint32_t priority, std::uint32_t flags);

}  // namespace soma::acl
