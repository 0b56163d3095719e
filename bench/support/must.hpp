// Takes the result out of an expected. A benchmark has no use for a call that failed: the program ends.
#pragma once

#include <cstdlib>
#include <iostream>
#include <type_traits>
#include <utility>

#include "soma/error.hpp"

namespace soma::bench {

template <class T>
T must(soma::expected<T> result) {
  if (!result) {
    std::cerr << result.error().message << '\n';
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

}  // namespace soma::bench
