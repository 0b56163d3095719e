// From the faults of the runtime's inside to the errors of the interface.
#pragma once

#include <string_view>

#include "memory/fault.hpp"
#include "soma/error.hpp"

namespace soma::detail {

/// The error for a fault in the named call: "stream::launch: ...".
error translate(std::string_view call, memory::fault fault);

tl::unexpected<error> fail(std::string_view call, errc code, std::string_view text);

/// Passes a value through and translates a fault.
template <class T>
expected<T> translate(std::string_view call, memory::result<T> result) {
  if (!result) {
    return tl::unexpected(translate(call, std::move(result.error())));
  }
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(*result);
  }
}

/// Drops the value, and translates a fault.
template <class T>
expected<void> translate_done(std::string_view call, memory::result<T> result) {
  if (!result) {
    return tl::unexpected(translate(call, std::move(result.error())));
  }
  return {};
}

}  // namespace soma::detail
