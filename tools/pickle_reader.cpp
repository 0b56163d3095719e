#include "tools/pickle_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <utility>

#include "tools/pickle_input.hpp"
#include "tools/pickle_stack.hpp"

namespace soma::tools {

namespace {

using outcome = tl::expected<void, std::string>;

tl::unexpected<std::string> failure(const char* reason) { return tl::unexpected(std::string(reason)); }

/// Instructions that look up, call or build what the pickle names.
constexpr std::string_view running_code = "cR\x93"
                                          "bio\x81\x92\x82\x83\x84PQ";

/// The machine that a pickle is a program for.
class pickle_machine {
public:
  pickle_machine(std::string_view bytes, const std::vector<std::string_view>& dropped)
      : input_(bytes), stack_(bytes, dropped) {
    // nop
  }

  tl::expected<pickle_document, std::string> run() {
    while (true) {
      const std::size_t place = input_.place();
      if (input_.at_end()) {
        return at(place, "the pickle ends too early");
      }
      const unsigned char code = input_.take_code();
      if (code == '.') {
        auto finished = stack_.finish();
        return finished ? std::move(finished) : at(place, finished.error());
      }
      if (const auto done = step(code); !done) {
        return at(place, done.error());
      }
      if (stack_.cells() > pickle_cells_max) {
        return at(place,
                  "the pickle has more than " + std::to_string(pickle_cells_max) + " values: record less");
      }
    }
  }

private:
  static tl::unexpected<std::string> at(std::size_t place, const std::string& reason) {
    return tl::unexpected("byte " + std::to_string(place) + ": " + reason);
  }

  outcome step(unsigned char code) {
    if (running_code.find(static_cast<char>(code)) != std::string_view::npos) {
      return failure("the pickle wants to make an object or call a function, which is never done here; "
                     "a memory snapshot has only lists, dicts, texts and numbers");
    }
    switch (code) {
    case 0x80:  // PROTO
      return read_protocol();
    case 0x95:  // FRAME: only says how much comes
      return input_.take(8) ? outcome() : failure("the pickle ends too early");
    case '(':
      return stack_.mark();
    case '0':
      return stack_.pop_any();
    case '1':
      return stack_.pop_mark();
    case '2':
      return stack_.repeat();
    default:
      return make_value(code);
    }
  }

  outcome make_value(unsigned char code) {
    switch (code) {
    case 'N':
      return stack_.push({.kind = pickle_kind::none});
    case 0x88:
    case 0x89:
      return stack_.push({.bits = code == 0x88 ? 1U : 0U, .kind = pickle_kind::boolean});
    case ']':
      return stack_.push(stack_.container(pickle_kind::list));
    case '}':
      return stack_.push(stack_.container(pickle_kind::dict));
    case ')':
      return stack_.push(stack_.container(pickle_kind::tuple));
    case 'l':
      return stack_.gather(pickle_kind::list);
    case 'd':
      return stack_.gather_dict();
    case 't':
      return stack_.gather(pickle_kind::tuple);
    case 0x85:
    case 0x86:
    case 0x87:
      return stack_.make_tuple(static_cast<std::size_t>(code - 0x84));
    case 'a':
      return stack_.append(1);
    case 'e':
      return stack_.append_marked();
    case 's':
      return stack_.set_items(2);
    case 'u':
      return stack_.set_marked_items();
    default:
      return make_number(code);
    }
  }

  outcome make_number(unsigned char code) {
    switch (code) {
    case 'J':
      return push_fixed(4, true);
    case 'K':
      return push_fixed(1, false);
    case 'M':
      return push_fixed(2, false);
    case 0x8a:
      return push_long(1);
    case 0x8b:
      return push_long(4);
    case 'G':
      return push_real();
    case 'I':
    case 'L':
      return push_integer_line(code == 'I');
    case 'F':
      return push_real_line();
    default:
      return make_text(code);
    }
  }

  outcome make_text(unsigned char code) {
    switch (code) {
    case 'U':   // SHORT_BINSTRING
    case 'C':   // SHORT_BINBYTES
    case 0x8c:  // SHORT_BINUNICODE
      return push_text(1);
    case 'T':  // BINSTRING
    case 'B':  // BINBYTES
    case 'X':  // BINUNICODE
      return push_text(4);
    case 0x8d:  // BINUNICODE8
    case 0x8e:  // BINBYTES8
      return push_text(8);
    case 'S':
    case 'V':
      return push_text_line(code == 'S');
    default:
      return use_memo(code);
    }
  }

  outcome use_memo(unsigned char code) {
    switch (code) {
    case 'p':
    case 'q':
    case 'r':
      return with_index(code, [this](std::uint64_t index) { return stack_.put(index); });
    case 0x94:
      return stack_.put(stack_.memo_size());
    case 'g':
    case 'h':
    case 'j':
      return with_index(code, [this](std::uint64_t index) { return stack_.get(index); });
    default: {
      std::array<char, 64> text{};
      std::snprintf(text.data(), text.size(), "instruction 0x%02x is none that a memory snapshot needs",
                    code);
      return tl::unexpected(std::string(text.data()));
    }
    }
  }

  outcome read_protocol() {
    const auto version = input_.take_number(1);
    if (!version) {
      return failure("the pickle ends too early");
    }
    constexpr std::uint64_t newest = 5;
    return *version <= newest ? outcome()
                              : tl::unexpected("the pickle's protocol is " + std::to_string(*version) +
                                               ": 0 to 5 are known");
  }

  outcome push_fixed(std::size_t bytes, bool is_signed) {
    const auto number = input_.take_number(bytes);
    if (!number) {
      return failure("a number is cut off");
    }
    const auto extended = is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(
                                          static_cast<std::int32_t>(static_cast<std::uint32_t>(*number))))
                                    : *number;
    return stack_.push({.bits = extended, .kind = pickle_kind::integer});
  }

  /// A number of any length in two's complement. What needs more than 64 bits is kept as something without a
  /// value.
  outcome push_long(std::size_t length_bytes) {
    const auto length = input_.take_number(length_bytes);
    const auto digits = length ? input_.take(*length) : std::nullopt;
    if (!digits) {
      return failure("a number is cut off");
    }
    constexpr std::size_t word = 8;
    const bool negative = !digits->empty() && (static_cast<unsigned char>(digits->back()) & 0x80U) != 0;
    std::uint64_t number = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t place = 0; place < std::min(word, digits->size()); ++place) {
      number &= ~(std::uint64_t{0xFF} << (8 * place));
      number |= std::uint64_t{static_cast<unsigned char>((*digits)[place])} << (8 * place);
    }
    // A ninth byte of zeros is what an address in the upper half has.
    const bool fits = digits->size() <= word || (digits->size() == word + 1 && digits->back() == 0);
    return stack_.push({.bits = number, .kind = fits ? pickle_kind::integer : pickle_kind::dropped});
  }

  outcome push_real() {
    const auto number = input_.take_number(8);
    if (!number) {
      return failure("a number is cut off");
    }
    std::uint64_t turned = 0;  // this one is big-endian
    for (unsigned place = 0; place < 8; ++place) {
      turned |= ((*number >> (8 * place)) & 0xFFU) << (56 - 8 * place);
    }
    return stack_.push({.bits = turned, .kind = pickle_kind::real});
  }

  outcome push_integer_line(bool may_be_boolean) {
    const auto line = input_.take_line();
    if (!line) {
      return failure("a number is cut off");
    }
    if (may_be_boolean && (*line == "00" || *line == "01")) {
      return stack_.push({.bits = *line == "01" ? 1U : 0U, .kind = pickle_kind::boolean});
    }
    std::string_view digits = *line;
    if (!digits.empty() && digits.back() == 'L') {
      digits.remove_suffix(1);
    }
    const auto number = whole_number(digits);
    return number ? stack_.push({.bits = *number, .kind = pickle_kind::integer})
                  : failure("a number is none, or too large");
  }

  static std::optional<std::uint64_t> whole_number(std::string_view digits) {
    const char* const end = digits.data() + digits.size();
    std::int64_t number = 0;
    const auto [stop, status] = std::from_chars(digits.data(), end, number);
    if (status == std::errc{} && stop == end) {
      return static_cast<std::uint64_t>(number);
    }
    std::uint64_t large = 0;
    const auto [large_stop, large_status] = std::from_chars(digits.data(), end, large);
    return large_status == std::errc{} && large_stop == end ? std::optional(large) : std::nullopt;
  }

  outcome push_real_line() {
    const auto line = input_.take_line();
    double number = 0;
    if (!line || std::from_chars(line->data(), line->data() + line->size(), number).ec != std::errc{}) {
      return failure("a number is none, or cut off");
    }
    return stack_.push({.bits = std::bit_cast<std::uint64_t>(number), .kind = pickle_kind::real});
  }

  outcome push_text(std::size_t length_bytes) {
    const auto length = input_.take_number(length_bytes);
    const std::size_t begin = input_.place();
    if (!length || !input_.take(*length)) {
      return failure("a text is cut off");
    }
    return push_text_at(begin, static_cast<std::size_t>(*length));
  }

  /// Texts of protocol 0; escapes stay as they are, since no name that is looked for has any.
  outcome push_text_line(bool quoted) {
    const std::size_t begin = input_.place();
    const auto line = input_.take_line();
    if (!line || (quoted && (line->size() < 2 || line->front() != line->back()))) {
      return failure("a text is cut off");
    }
    return quoted ? push_text_at(begin + 1, line->size() - 2) : push_text_at(begin, line->size());
  }

  outcome push_text_at(std::size_t begin, std::size_t length) {
    if (length > UINT32_MAX) {
      return failure("a text is longer than 4 GiB");
    }
    return stack_.push(
        {.bits = begin, .length = static_cast<std::uint32_t>(length), .kind = pickle_kind::text});
  }

  template <class Use>
  outcome with_index(unsigned char code, const Use& use) {
    if (code == 'p' || code == 'g') {
      const auto line = input_.take_line();
      const auto index = line ? whole_number(*line) : std::nullopt;
      return index ? use(*index) : failure("a place in the memo is no number");
    }
    const auto index = input_.take_number(code == 'q' || code == 'h' ? 1 : 4);
    return index ? use(*index) : failure("the pickle ends too early");
  }

  pickle_input input_;
  pickle_stack stack_;
};

}  // namespace

tl::expected<pickle_document, std::string>
pickle_document::read(std::string_view bytes, const std::vector<std::string_view>& dropped) {
  return pickle_machine(bytes, dropped).run();
}

const std::vector<pickle_value>& pickle_document::items(const pickle_value& value) const noexcept {
  static const std::vector<pickle_value> nothing;
  const bool has_items =
      value.kind == pickle_kind::list || value.kind == pickle_kind::tuple || value.kind == pickle_kind::dict;
  return has_items ? containers_[value.bits] : nothing;
}

const pickle_value* pickle_document::find(const pickle_value& dict, std::string_view key) const noexcept {
  if (dict.kind != pickle_kind::dict) {
    return nullptr;
  }
  const auto& entries = items(dict);
  for (std::size_t place = entries.size(); place >= 2; place -= 2) {
    if (text(entries[place - 2]) == key) {
      return &entries[place - 1];
    }
  }
  return nullptr;
}

std::optional<std::string_view> pickle_document::text(const pickle_value& value) const noexcept {
  return value.kind == pickle_kind::text ? std::optional(bytes_.substr(value.bits, value.length))
                                         : std::nullopt;
}

std::optional<std::int64_t> integer_of(const pickle_value& value) noexcept {
  if (value.kind == pickle_kind::integer || value.kind == pickle_kind::boolean) {
    return static_cast<std::int64_t>(value.bits);
  }
  if (value.kind == pickle_kind::real) {
    const auto number = std::bit_cast<double>(value.bits);
    constexpr double limit = 9.0e18;
    if (std::abs(number) < limit && number == std::floor(number)) {
      return static_cast<std::int64_t>(number);
    }
  }
  return std::nullopt;
}

}  // namespace soma::tools
