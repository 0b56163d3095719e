// How the examples treat errors. soma's calls return soma::expected and never throw; a program may decide at
// each call. The examples cannot go on after an error, so must() turns it into an exception that ends main.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "soma/error.hpp"

namespace example {

/// The result of a call that has to succeed.
template <class T>
T must(soma::expected<T> result) {
  if (!result) {
    throw std::runtime_error(std::string(soma::to_string(result.error().code)) + ": " +
                             result.error().message);
  }
  if constexpr (!std::is_void_v<T>) {
    return *std::move(result);
  }
}

}  // namespace example
