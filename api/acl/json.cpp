#include "api/acl/json.hpp"

#include <utility>

namespace soma::acl {
namespace {

/// What stops the reader. It does not leave this file.
struct mistake {
  const char* what;
  std::size_t at;
};

void append_utf8(std::string& out, std::uint32_t point) {
  const auto byte = [&out](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xC0 | (point >> 6));
    byte(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    byte(0xE0 | (point >> 12));
    byte(0x80 | ((point >> 6) & 0x3F));
    byte(0x80 | (point & 0x3F));
  } else {
    byte(0xF0 | (point >> 18));
    byte(0x80 | ((point >> 12) & 0x3F));
    byte(0x80 | ((point >> 6) & 0x3F));
    byte(0x80 | (point & 0x3F));
  }
}

class reader {
public:
  explicit reader(std::string_view text) : text_(text) {}

  json_value document() {
    json_value value = read_value(0);
    skip_space();
    if (at_ != text_.size())
      fail("something stands behind the value");
    return value;
  }

private:
  [[noreturn]] void fail(const char* what) const { throw mistake{what, at_}; }

  [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool accept(char wanted) noexcept {
    if (at_ == text_.size() || text_[at_] != wanted)
      return false;
    ++at_;
    return true;
  }

  void expect(char wanted, const char* what) {
    if (!accept(wanted))
      fail(what);
  }

  void skip_space() noexcept {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  json_value read_value(std::size_t depth) {
    skip_space();
    switch (peek()) {
    case '{':
      return read_object(depth + 1);
    case '[':
      return read_array(depth + 1);
    case '"':
      return {json_kind::string, read_string(), {}, {}};
    case 't':
      return read_word("true", json_kind::boolean);
    case 'f':
      return read_word("false", json_kind::boolean);
    case 'n':
      return read_word("null", json_kind::null);
    default:
      return read_number();
    }
  }

  void check_depth(std::size_t depth) const {
    if (depth > json_depth_limit)
      fail("arrays and objects are nested too deep");
  }

  json_value read_object(std::size_t depth) {
    check_depth(depth);
    json_value value{json_kind::object, {}, {}, {}};
    expect('{', "an object starts with {");
    skip_space();
    if (accept('}'))
      return value;
    do {
      skip_space();
      std::string name = read_string();
      skip_space();
      expect(':', "a : is missing behind a name");
      value.items.push_back(read_value(depth));
      value.names.push_back(std::move(name));
      skip_space();
    } while (accept(','));
    expect('}', "a , or } is missing");
    return value;
  }

  json_value read_array(std::size_t depth) {
    check_depth(depth);
    json_value value{json_kind::array, {}, {}, {}};
    expect('[', "an array starts with [");
    skip_space();
    if (accept(']'))
      return value;
    do {
      value.items.push_back(read_value(depth));
      skip_space();
    } while (accept(','));
    expect(']', "a , or ] is missing");
    return value;
  }

  json_value read_word(std::string_view word, json_kind kind) {
    if (text_.substr(at_, word.size()) != word)
      fail("a value is missing");
    at_ += word.size();
    return {kind, std::string(word), {}, {}};
  }

  void read_digits(const char* what_if_none) {
    const std::size_t from = at_;
    while (peek() >= '0' && peek() <= '9')
      ++at_;
    if (at_ == from)
      fail(what_if_none);
  }

  json_value read_number() {
    const std::size_t from = at_;
    accept('-');
    if (!accept('0'))
      read_digits("a value is missing");
    if (accept('.'))
      read_digits("a digit is missing behind the point");
    if (accept('e') || accept('E')) {
      if (!accept('+'))
        accept('-');
      read_digits("a digit is missing in the exponent");
    }
    return {json_kind::number, std::string(text_.substr(from, at_ - from)), {}, {}};
  }

  std::string read_string() {
    expect('"', "a string in quotes is missing");
    std::string out;
    for (;;) {
      if (at_ == text_.size())
        fail("a string has no end");
      const char next = text_[at_];
      if (static_cast<unsigned char>(next) < 0x20)
        fail("a string has a control character in it");
      ++at_;
      if (next == '"')
        return out;
      if (next == '\\')
        read_escape(out);
      else
        out.push_back(next);
    }
  }

  void read_escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (accept('u')) {
      append_utf8(out, read_code_point());
      return;
    }
    const std::size_t which = letters.find(peek());
    if (at_ == text_.size() || which == std::string_view::npos)
      fail("a string has an unknown escape in it");
    ++at_;
    out.push_back(meanings[which]);
  }

  std::uint32_t read_code_point() {
    const std::uint32_t first = read_four_digits();
    if (first < 0xD800 || first > 0xDFFF)
      return first;
    if (first > 0xDBFF || !accept('\\') || !accept('u'))
      fail("half of a surrogate pair is missing");
    const std::uint32_t second = read_four_digits();
    if (second < 0xDC00 || second > 0xDFFF)
      fail("half of a surrogate pair is missing");
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
  }

  std::uint32_t read_four_digits() {
    std::uint32_t value = 0;
    for (int digit = 0; digit != 4; ++digit) {
      const std::size_t which = std::string_view("0123456789abcdef0123456789ABCDEF").find(peek());
      if (at_ == text_.size() || which == std::string_view::npos)
        fail("\\u needs four hexadecimal digits");
      ++at_;
      value = value * 16 + static_cast<std::uint32_t>(which % 16);
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const json_value* json_value::find(std::string_view name) const noexcept {
  for (std::size_t index = names.size(); index != 0; --index)
    if (names[index - 1] == name)
      return &items[index - 1];
  return nullptr;
}

tl::expected<json_value, std::string> parse_json(std::string_view text) {
  try {
    return reader(text).document();
  } catch (const mistake& found) {
    return tl::unexpected<std::string>(std::string(found.what) + " (at byte " + std::to_string(found.at) +
                                       ")");
  }
}

}  // namespace soma::acl
