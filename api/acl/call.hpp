// The frame of every C function: what each does before and after its own work.
//
// A function is written as a list of checks and steps, in the order of the manual's tables, that throw a
// `refusal` at the first thing that is wrong. The frame turns the refusal, or any other exception, into the
// code to return, and keeps the text for aclGetRecentErrMsg. So nothing is ever thrown out of a C function,
// and none has error handling of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include "acl/acl_base.h"
#include "actors/calling.hpp"
#include "soma/error.hpp"
#include "soma/runtime.hpp"

namespace soma::acl {

/// Why a call does not do what was asked: the code to return, and the text without the function's name.
struct refusal {
  aclError code;
  std::string text;
};

[[noreturn]] void refuse(aclError code, std::string text);

/// A code other than the usual one for a kind of error; see code_of.
struct code_for {
  soma::errc kind;
  aclError code;
};

/// The code that an error of the C++ interface is reported as, unless the function's own list has another.
aclError code_of(soma::errc kind) noexcept;

[[noreturn]] void refuse(const soma::error& error, std::initializer_list<code_for> codes);

/// The value of a result of the C++ interface; its error becomes a refusal.
template <class T>
T value_of(soma::expected<T> result, std::initializer_list<code_for> codes = {}) {
  if (!result)
    refuse(result.error(), codes);
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

/// The same, with a text that begins with what `subject` gives: the argument, by its name here, with its
/// value.
template <class T, class Subject>
T value_of(soma::expected<T> result, std::initializer_list<code_for> codes, const Subject& subject) {
  if (!result)
    refuse(soma::error{result.error().code, subject() + ": " + result.error().message}, codes);
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

/// 100000 for a pointer that is null.
inline void require_not_null(const void* pointer, const char* argument) {
  if (pointer == nullptr) [[unlikely]]
    refuse(ACL_ERROR_INVALID_PARAM,
           std::string(argument) + " is NULL: pass the address of an object that exists");
}

/// The number of an enum argument. Programs written in C may pass any number, also one that is no value of
/// the enum; in C++ such a value must not even be read as what it is declared to be.
template <class Enum>
int number_of(const Enum& argument) noexcept {
  static_assert(sizeof(Enum) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &argument, sizeof number);
  return number;
}

/// Whether the library can be used in this process now.
enum class process_phase : std::uint8_t {
  running,
  exiting,  ///< exit handlers run, or have run: devices may be gone
  forked,   ///< a child by fork of a process that used devices, which stay with the parent
};

inline constinit std::atomic<process_phase> phase = process_phase::running;

/// Refuses in all phases but `running`.
void check_phase();

/// 207006 on the threads that run kernels and host functions.
void check_not_on_engine();

/// To be called in a catch block: reports the exception and gives the code to return.
aclError report_exception(const char* function) noexcept;

/// The frame of functions that any thread may call. `returns_to` is taken in the C function itself, and given
/// as a place, for the reports of the race detector, to a body that takes one.
template <class Body>
aclError call(const char* function, Body&& body,
              const void* returns_to = __builtin_return_address(0)) noexcept {
  const actors::tracing::calling traced(function);
  try {
    if (phase.load(std::memory_order_relaxed) != process_phase::running) [[unlikely]]
      check_phase();
    if constexpr (std::is_invocable_v<Body, soma::place>)
      std::forward<Body>(body)(soma::place::of_c_call(function, returns_to));
    else
      std::forward<Body>(body)();
    return ACL_SUCCESS;
  } catch (...) {
    return report_exception(function);
  }
}

/// The frame of functions that kernels and host functions may not call, since they create, destroy, allocate,
/// free, launch or wait, and so could wait for the very task that calls them.
template <class Body>
aclError host_call(const char* function, Body&& body,
                   const void* returns_to = __builtin_return_address(0)) noexcept {
  return call(
      function,
      [&body](const soma::place& at) {
        if (soma::runtime::on_engine()) [[unlikely]]
          check_not_on_engine();
        if constexpr (std::is_invocable_v<Body, soma::place>)
          std::forward<Body>(body)(at);
        else
          std::forward<Body>(body)();
      },
      returns_to);
}

/// A pointer or handle for a text.
std::string to_text(const void* pointer);

}  // namespace soma::acl
