// Reads the values of a Python pickle: None, booleans, numbers, texts, lists, tuples and dicts.
//
// Pickles are programs for a machine with a stack. This reader knows the instructions that make such values,
// of all protocols (0 to 5), and refuses all others: nothing that is read is ever looked up, called or made
// an object of. It does not recurse, and what it takes is bounded by the size of the input and by
// pickle_cells_max, whatever the input is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace soma::tools {

/// How many values a pickle may have at most; each takes 16 bytes.
inline constexpr std::size_t pickle_cells_max = std::size_t{1} << 27;

enum class pickle_kind : std::uint8_t { none, boolean, integer, real, text, list, tuple, dict, dropped };

/// A value; what it refers to belongs to the document.
struct pickle_value {
  std::uint64_t bits = 0;    ///< of a number or boolean; where a text begins; which container
  std::uint32_t length = 0;  ///< of a text, in bytes
  pickle_kind kind = pickle_kind::none;
};

class pickle_document {
public:
  /// Reads the pickle at the front of the bytes, which must stay as they are while the document is used.
  /// Values of the dict keys in `dropped` are read and forgotten, to save memory. The error tells at which
  /// byte.
  static tl::expected<pickle_document, std::string> read(std::string_view bytes,
                                                         const std::vector<std::string_view>& dropped = {});

  [[nodiscard]] const pickle_value& root() const noexcept { return root_; }

  /// The entries of a list or tuple, in a dict keys and values in turns; none of any other value.
  [[nodiscard]] const std::vector<pickle_value>& items(const pickle_value& value) const noexcept;

  /// A dict's value by its key, null if there is none or it is no dict. Of equal keys the last one counts.
  [[nodiscard]] const pickle_value* find(const pickle_value& dict, std::string_view key) const noexcept;

  [[nodiscard]] std::optional<std::string_view> text(const pickle_value& value) const noexcept;

private:
  friend class pickle_stack;

  std::string_view bytes_;
  pickle_value root_;
  std::vector<std::vector<pickle_value>> containers_;
};

/// A whole number as Python has it, modulo 2^64; nothing of any other kind. Reals count if they are whole.
[[nodiscard]] std::optional<std::int64_t> integer_of(const pickle_value& value) noexcept;

}  // namespace soma::tools
