#include "tools/pickle_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <unordered_map>
#include <utility>

namespace soma::tools {

namespace {

using outcome = tl::expected<void, std::string>;

tl::unexpected<std::string> failure(const char* reason) { return tl::unexpected(std::string(reason)); }

/// Instructions that look up, call or build what the pickle names.
constexpr std::string_view running_code = "cR\x93"
                                          "bio\x81\x92\x82\x83\x84PQ";

}  // namespace

/// The machine that a pickle is a program for.
class pickle_machine {
public:
  pickle_machine(std::string_view bytes, const std::vector<std::string_view>& dropped)
      : bytes_(bytes), dropped_(dropped) {
    document_.bytes_ = bytes;
  }

  tl::expected<pickle_document, std::string> run() {
    while (true) {
      const std::size_t place = next_;
      if (next_ == bytes_.size()) {
        return at(place, "the pickle ends too early");
      }
      const auto code = static_cast<unsigned char>(bytes_[next_++]);
      if (code == '.') {
        if (stack_.size() != 1 || !marks_.empty()) {
          return at(place,
                    "the pickle ends with " + std::to_string(stack_.size()) + " values instead of one");
        }
        document_.root_ = stack_.back();
        return std::move(document_);
      }
      if (const auto done = step(code); !done) {
        return at(place, done.error());
      }
      if (cells_ > pickle_cells_max) {
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
      return take(8) ? outcome() : failure("the pickle ends too early");
    case '(':
      marks_.push_back(stack_.size());
      return count_cells(1);
    case '0':
      return pop_any();
    case '1':
      return pop_mark();
    case '2':
      return stack_.empty() ? failure("nothing to repeat") : push(stack_.back());
    default:
      return make_value(code);
    }
  }

  outcome make_value(unsigned char code) {
    switch (code) {
    case 'N':
      return push({.kind = pickle_kind::none});
    case 0x88:
    case 0x89:
      return push({.bits = code == 0x88 ? 1U : 0U, .kind = pickle_kind::boolean});
    case ']':
      return push(container(pickle_kind::list));
    case '}':
      return push(container(pickle_kind::dict));
    case ')':
      return push(container(pickle_kind::tuple));
    case 'l':
      return gather(pickle_kind::list);
    case 'd':
      return gather_dict();
    case 't':
      return gather(pickle_kind::tuple);
    case 0x85:
    case 0x86:
    case 0x87:
      return make_tuple(static_cast<std::size_t>(code - 0x84));
    case 'a':
      return append(1);
    case 'e':
      return append_marked();
    case 's':
      return set_items(2);
    case 'u':
      return set_marked_items();
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
      return with_index(code, [this](std::uint64_t index) { return put(index); });
    case 0x94:
      return put(memo_.size());
    case 'g':
    case 'h':
    case 'j':
      return with_index(code, [this](std::uint64_t index) { return get(index); });
    default: {
      std::array<char, 64> text{};
      std::snprintf(text.data(), text.size(), "instruction 0x%02x is none that a memory snapshot needs",
                    code);
      return tl::unexpected(std::string(text.data()));
    }
    }
  }

  // ---- The input ----

  std::optional<std::string_view> take(std::uint64_t count) {
    if (count > bytes_.size() - next_) {
      return std::nullopt;
    }
    const std::string_view taken = bytes_.substr(next_, static_cast<std::size_t>(count));
    next_ += static_cast<std::size_t>(count);
    return taken;
  }

  std::optional<std::string_view> take_line() {
    const std::size_t end = bytes_.find('\n', next_);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string_view line = bytes_.substr(next_, end - next_);
    next_ = end + 1;
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    return line;
  }

  /// A little-endian number of 1 to 8 bytes.
  std::optional<std::uint64_t> take_number(std::size_t count) {
    const auto taken = take(count);
    if (!taken) {
      return std::nullopt;
    }
    std::uint64_t number = 0;
    for (std::size_t place = 0; place < count; ++place) {
      number |= std::uint64_t{static_cast<unsigned char>((*taken)[place])} << (8 * place);
    }
    return number;
  }

  outcome read_protocol() {
    const auto version = take_number(1);
    if (!version) {
      return failure("the pickle ends too early");
    }
    constexpr std::uint64_t newest = 5;
    return *version <= newest ? outcome()
                              : tl::unexpected("the pickle's protocol is " + std::to_string(*version) +
                                               ": 0 to 5 are known");
  }

  // ---- The stack ----

  outcome count_cells(std::size_t count) {
    cells_ += count;
    return {};
  }

  outcome push(const pickle_value& value) {
    stack_.push_back(value);
    return count_cells(1);
  }

  /// How many values lie on the latest mark, or on the bottom.
  [[nodiscard]] std::size_t above_mark() const {
    return stack_.size() - (marks_.empty() ? 0 : marks_.back());
  }

  outcome pop_any() {
    if (above_mark() != 0) {
      stack_.pop_back();
    } else if (!marks_.empty()) {
      marks_.pop_back();
    } else {
      return failure("nothing to drop");
    }
    return {};
  }

  outcome pop_mark() {
    if (marks_.empty()) {
      return failure("there is no mark to go back to");
    }
    stack_.resize(marks_.back());
    marks_.pop_back();
    return {};
  }

  pickle_value container(pickle_kind kind) {
    document_.containers_.emplace_back();
    cells_ += 2;
    return {.bits = document_.containers_.size() - 1, .kind = kind};
  }

  std::vector<pickle_value>& items_of(const pickle_value& value) { return document_.containers_[value.bits]; }

  /// Moves the topmost values into a container.
  void move_into(const pickle_value& into, std::size_t count) {
    auto& items = items_of(into);
    const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
    items.insert(items.end(), begin, stack_.end());
    stack_.erase(begin, stack_.end());
    cells_ += count;
  }

  outcome gather(pickle_kind kind) {
    if (marks_.empty()) {
      return failure("there is no mark to gather from");
    }
    const pickle_value made = container(kind);
    move_into(made, above_mark());
    marks_.pop_back();
    return push(made);
  }

  outcome gather_dict() {
    if (!marks_.empty() && above_mark() % 2 != 0) {
      return failure("a dict has a key without a value");
    }
    return gather(pickle_kind::dict);
  }

  outcome make_tuple(std::size_t count) {
    if (above_mark() < count) {
      return failure("too few values for a tuple");
    }
    const pickle_value made = container(pickle_kind::tuple);
    move_into(made, count);
    return push(made);
  }

  outcome append(std::size_t count) {
    if (above_mark() < count + 1) {
      return failure("nothing to append to");
    }
    const pickle_value into = stack_[stack_.size() - count - 1];
    if (into.kind != pickle_kind::list) {
      return failure("values are appended to something that is no list");
    }
    move_into(into, count);
    return {};
  }

  outcome append_marked() {
    if (marks_.empty()) {
      return failure("there is no mark to append from");
    }
    const std::size_t count = above_mark();
    marks_.pop_back();
    return append(count);
  }

  outcome set_items(std::size_t count) {
    if (above_mark() < count + 1) {
      return failure("nothing to set a key of");
    }
    const pickle_value into = stack_[stack_.size() - count - 1];
    if (into.kind != pickle_kind::dict || count % 2 != 0) {
      return failure("keys are set of something that is no dict, or without a value");
    }
    for (std::size_t place = stack_.size() - count; place < stack_.size(); place += 2) {
      drop_if_unwanted(stack_[place], stack_[place + 1]);
    }
    move_into(into, count);
    return {};
  }

  outcome set_marked_items() {
    if (marks_.empty()) {
      return failure("there is no mark to set keys from");
    }
    const std::size_t count = above_mark();
    marks_.pop_back();
    return set_items(count);
  }

  /// Empties the value, and what is directly in it; who refers to these from elsewhere finds them empty.
  void drop_if_unwanted(const pickle_value& key, pickle_value& value) {
    const auto name = document_.text(key);
    if (!name || std::find(dropped_.begin(), dropped_.end(), *name) == dropped_.end()) {
      return;
    }
    if (value.kind == pickle_kind::list || value.kind == pickle_kind::tuple ||
        value.kind == pickle_kind::dict) {
      std::vector<pickle_value> items;
      items.swap(items_of(value));
      for (const pickle_value& item : items) {
        if (item.kind == pickle_kind::list || item.kind == pickle_kind::tuple ||
            item.kind == pickle_kind::dict) {
          std::vector<pickle_value> inner;
          inner.swap(items_of(item));
          cells_ -= inner.size();
        }
      }
      cells_ -= items.size();
    }
    value = {.kind = pickle_kind::dropped};
  }

  // ---- Numbers and texts ----

  outcome push_fixed(std::size_t bytes, bool is_signed) {
    const auto number = take_number(bytes);
    if (!number) {
      return failure("a number is cut off");
    }
    const auto extended = is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(
                                          static_cast<std::int32_t>(static_cast<std::uint32_t>(*number))))
                                    : *number;
    return push({.bits = extended, .kind = pickle_kind::integer});
  }

  /// A number of any length in two's complement. What needs more than 64 bits is kept as something without a
  /// value.
  outcome push_long(std::size_t length_bytes) {
    const auto length = take_number(length_bytes);
    const auto digits = length ? take(*length) : std::nullopt;
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
    return push({.bits = number, .kind = fits ? pickle_kind::integer : pickle_kind::dropped});
  }

  outcome push_real() {
    const auto number = take_number(8);
    if (!number) {
      return failure("a number is cut off");
    }
    std::uint64_t turned = 0;  // this one is big-endian
    for (unsigned place = 0; place < 8; ++place) {
      turned |= ((*number >> (8 * place)) & 0xFFU) << (56 - 8 * place);
    }
    return push({.bits = turned, .kind = pickle_kind::real});
  }

  outcome push_integer_line(bool may_be_boolean) {
    const auto line = take_line();
    if (!line) {
      return failure("a number is cut off");
    }
    if (may_be_boolean && (*line == "00" || *line == "01")) {
      return push({.bits = *line == "01" ? 1U : 0U, .kind = pickle_kind::boolean});
    }
    std::string_view digits = *line;
    if (!digits.empty() && digits.back() == 'L') {
      digits.remove_suffix(1);
    }
    const auto number = whole_number(digits);
    return number ? push({.bits = *number, .kind = pickle_kind::integer})
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
    const auto line = take_line();
    double number = 0;
    if (!line || std::from_chars(line->data(), line->data() + line->size(), number).ec != std::errc{}) {
      return failure("a number is none, or cut off");
    }
    return push({.bits = std::bit_cast<std::uint64_t>(number), .kind = pickle_kind::real});
  }

  outcome push_text(std::size_t length_bytes) {
    const auto length = take_number(length_bytes);
    const std::size_t begin = next_;
    if (!length || !take(*length)) {
      return failure("a text is cut off");
    }
    return push_text_at(begin, static_cast<std::size_t>(*length));
  }

  /// Texts of protocol 0; escapes stay as they are, since no name that is looked for has any.
  outcome push_text_line(bool quoted) {
    const std::size_t begin = next_;
    const auto line = take_line();
    if (!line || (quoted && (line->size() < 2 || line->front() != line->back()))) {
      return failure("a text is cut off");
    }
    return quoted ? push_text_at(begin + 1, line->size() - 2) : push_text_at(begin, line->size());
  }

  outcome push_text_at(std::size_t begin, std::size_t length) {
    if (length > UINT32_MAX) {
      return failure("a text is longer than 4 GiB");
    }
    return push({.bits = begin, .length = static_cast<std::uint32_t>(length), .kind = pickle_kind::text});
  }

  // ---- The memo ----

  template <class Use>
  outcome with_index(unsigned char code, const Use& use) {
    if (code == 'p' || code == 'g') {
      const auto line = take_line();
      const auto index = line ? whole_number(*line) : std::nullopt;
      return index ? use(*index) : failure("a place in the memo is no number");
    }
    const auto index = take_number(code == 'q' || code == 'h' ? 1 : 4);
    return index ? use(*index) : failure("the pickle ends too early");
  }

  outcome put(std::uint64_t index) {
    if (above_mark() == 0) {
      return failure("nothing to remember");
    }
    if (index == memo_.size()) {
      memo_.push_back(stack_.back());
    } else if (index < memo_.size()) {
      memo_[static_cast<std::size_t>(index)] = stack_.back();
    } else {
      far_memo_[index] = stack_.back();
    }
    return count_cells(1);
  }

  outcome get(std::uint64_t index) {
    if (index < memo_.size()) {
      return push(memo_[static_cast<std::size_t>(index)]);
    }
    const auto found = far_memo_.find(index);
    return found != far_memo_.end() ? push(found->second)
                                    : tl::unexpected("nothing was remembered as " + std::to_string(index));
  }

  std::string_view bytes_;
  const std::vector<std::string_view>& dropped_;
  std::size_t next_ = 0;
  std::size_t cells_ = 0;
  std::vector<pickle_value> stack_;
  std::vector<std::size_t> marks_;
  std::vector<pickle_value> memo_;  ///< from 0 on, as pickles are written
  std::unordered_map<std::uint64_t, pickle_value> far_memo_;
  pickle_document document_;
};

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
