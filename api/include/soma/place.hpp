// Where in a program a call is made. The compiler fills it in at each call; the race detector shows it.
#pragma once

#include <cstdint>

namespace soma {

/// A place in the program's source: the default of the last parameter of calls that allocate, free or submit.
/// A function that wraps such a call may take one itself and pass it on. (It is not std::source_location
/// since clang 14 does not have that.)
class place {
public:
  /// No place.
  explicit constexpr place() noexcept = default;

  /// The place of the call that this is a default argument of.
  static constexpr place here(const char* file = __builtin_FILE(),
                              std::uint32_t line = __builtin_LINE()) noexcept {
    place made;
    made.file_ = file;
    made.line_ = line;
    return made;
  }

  /// A call of a C function, known by its name and the address that it returns to. `asked` is what the
  /// program asked for where an allocation is larger than that.
  static constexpr place of_c_call(const char* function, const void* returns_to,
                                   std::uint64_t asked = 0) noexcept {
    place made;
    made.function_ = function;
    made.code_ = returns_to;
    made.asked_ = asked;
    return made;
  }

  /// The parts of a place; null or 0 where it does not have them.
  [[nodiscard]] constexpr const char* file() const noexcept { return file_; }
  [[nodiscard]] constexpr std::uint32_t line() const noexcept { return line_; }
  [[nodiscard]] constexpr const char* function() const noexcept { return function_; }
  [[nodiscard]] constexpr const void* code() const noexcept { return code_; }
  [[nodiscard]] constexpr std::uint64_t asked() const noexcept { return asked_; }

private:
  const char* file_ = nullptr;
  const char* function_ = nullptr;
  const void* code_ = nullptr;
  std::uint64_t asked_ = 0;
  std::uint32_t line_ = 0;
};

}  // namespace soma
