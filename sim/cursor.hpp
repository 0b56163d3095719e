// Reading the words of one statement from left to right. What does not fit is thrown as a scenario_error,
// which the parser catches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario.hpp"

namespace soma::sim {

inline constexpr std::size_t most_threads = 8;

struct statement_text_at {
  std::string_view text;
  std::size_t line = 0;
};

/// Statements end at the end of a line or at a semicolon outside of parentheses; # begins a comment.
std::vector<statement_text_at> split_statements(std::string_view text);

class cursor {
public:
  cursor(std::string_view text, std::size_t line) noexcept : rest_(text), line_(line) {}

  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] bool at_end();

  /// A name or a word of the language.
  std::string word(const char* expected);
  /// 512, 8M, 2M+1.
  std::uint64_t size();
  /// One or two hexadecimal digits.
  std::uint8_t byte();

  /// Whether this comes next; take also passes it.
  bool sees(std::string_view sign);
  bool take(std::string_view sign);
  /// A colon that directly follows the word before it.
  bool take_prefix_colon();
  void need(std::string_view sign);
  void need_end();

  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;
  [[noreturn]] void fail_here(const std::string& expected);

private:
  void skip_blanks();
  std::uint64_t number();

  std::string_view rest_;
  std::size_t line_;
};

}  // namespace soma::sim
