#include "sim/cursor.hpp"

#include <cctype>
#include <charconv>

namespace soma::sim {

namespace {

bool is_blank(char one) { return one == ' ' || one == '\t' || one == '\r'; }
bool is_of_word(char one) {
  return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_' || one == '\'';
}

bool only_blanks(std::string_view text) {
  for (const char one : text) {
    if (!is_blank(one)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<statement_text_at> split_statements(std::string_view text) {
  std::vector<statement_text_at> found;
  std::size_t line = 1;
  while (true) {
    const auto end_of_line = text.find('\n');
    auto rest = text.substr(0, end_of_line);
    rest = rest.substr(0, rest.find('#'));
    int depth = 0;
    std::size_t begin = 0;
    const auto add = [&](std::size_t end) {
      if (const auto part = rest.substr(begin, end - begin); !only_blanks(part)) {
        found.push_back({part, line});
      }
      begin = end + 1;
    };
    for (std::size_t at = 0; at < rest.size(); ++at) {
      depth += rest[at] == '(' ? 1 : rest[at] == ')' ? -1 : 0;
      if (rest[at] == ';' && depth <= 0) {
        add(at);
      }
    }
    add(rest.size());
    if (end_of_line == std::string_view::npos) {
      return found;
    }
    text.remove_prefix(end_of_line + 1);
    ++line;
  }
}

void cursor::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front())) {
    rest_.remove_prefix(1);
  }
}

bool cursor::at_end() {
  skip_blanks();
  return rest_.empty();
}

std::string cursor::word(const char* expected) {
  skip_blanks();
  std::size_t length = 0;
  while (length < rest_.size() && is_of_word(rest_[length])) {
    ++length;
  }
  if (length == 0 || std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
    fail_here(expected);
  }
  std::string found(rest_.substr(0, length));
  rest_.remove_prefix(length);
  return found;
}

std::uint64_t cursor::number() {
  skip_blanks();
  std::uint64_t value = 0;
  const auto* end = rest_.data() + rest_.size();
  const auto [stop, status] = std::from_chars(rest_.data(), end, value);
  if (status != std::errc{}) {
    fail_here("a number of bytes, such as 512, 64K, 8M or 2M+1");
  }
  rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
  constexpr std::string_view suffixes = "KMGT";
  if (!rest_.empty()) {
    if (const auto place = suffixes.find(rest_.front()); place != std::string_view::npos) {
      const auto shift = 10 * (place + 1);
      if (value > (~std::uint64_t{0} >> shift)) {
        fail(std::to_string(value) + rest_.front(), "a number below 2^64");
      }
      value <<= shift;
      rest_.remove_prefix(1);
    }
  }
  if (!rest_.empty() && is_of_word(rest_.front())) {
    fail_here("a size that ends in a digit, K, M, G or T");
  }
  return value;
}

std::uint64_t cursor::size() {
  auto sum = number();
  while (take("+")) {
    sum += number();
  }
  return sum;
}

std::uint8_t cursor::byte() {
  skip_blanks();
  std::uint8_t value = 0;
  const auto* end = rest_.data() + rest_.size();
  const auto [stop, status] = std::from_chars(rest_.data(), end, value, 16);
  if (status != std::errc{} || (stop != end && is_of_word(*stop))) {
    fail_here("a byte of one or two hexadecimal digits");
  }
  rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
  return value;
}

bool cursor::sees(std::string_view sign) {
  skip_blanks();
  // "=" must not be the beginning of "==".
  return rest_.starts_with(sign) && (sign != "=" || !rest_.starts_with("=="));
}

bool cursor::take(std::string_view sign) {
  if (!sees(sign)) {
    return false;
  }
  rest_.remove_prefix(sign.size());
  return true;
}

bool cursor::take_prefix_colon() { return take(":"); }

void cursor::need(std::string_view sign) {
  if (!take(sign)) {
    fail_here("'" + std::string(sign) + "'");
  }
}

void cursor::need_end() {
  if (!at_end()) {
    fail_here("the end of the statement");
  }
}

void cursor::fail(const std::string& found, const std::string& expected) const {
  throw scenario_error{line_, "found '" + found + "', expected " + expected};
}

void cursor::fail_here(const std::string& expected) {
  skip_blanks();
  if (rest_.empty()) {
    throw scenario_error{line_, "the statement ends, expected " + expected};
  }
  std::size_t length = 1;
  while (is_of_word(rest_.front()) && length < rest_.size() && is_of_word(rest_[length])) {
    ++length;
  }
  fail(std::string(rest_.substr(0, length)), expected);
}

}  // namespace soma::sim
