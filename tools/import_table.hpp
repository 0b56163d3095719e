// Tables of comma-separated values with a header, as profilers and loggers write them, and the values in
// their cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "tools/import_events.hpp"

namespace soma::tools {

/// A column of sizes, and the bytes of one unit of it.
struct size_column {
  std::size_t index = 0;
  std::uint64_t unit = 1;
};

/// Goes through a table row by row. Cells are without blanks and tabs around them; quotes are as in RFC 4180.
class import_table {
public:
  /// Reads the header. The text must stay as it is while the table is used.
  static tl::expected<import_table, import_error> open(std::string_view text);

  [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;

  /// The same, with an error that lists the columns there are.
  [[nodiscard]] tl::expected<std::size_t, import_error> required(std::string_view name) const;

  /// A column called `name(KB)`, `name(MB)` or `name(B)`.
  [[nodiscard]] std::optional<size_column> sizes(std::string_view name) const;

  /// Goes to the next row that is not empty; false at the end. Errors: a row of another length than the
  /// header, a quote without its end.
  tl::expected<bool, import_error> next();

  /// The cell of the current row.
  [[nodiscard]] std::string_view cell(std::size_t index) const { return cells_[index]; }

  /// The line at which the current row begins, from 1 on.
  [[nodiscard]] std::uint64_t line() const noexcept { return line_; }

  /// An error about a cell of the current row.
  [[nodiscard]] tl::unexpected<import_error> bad_cell(std::size_t index, const char* wanted) const;

private:
  explicit import_table(std::string_view text) : rest_(text) {
    // nop
  }

  tl::expected<void, import_error> read_row();

  std::string_view rest_;
  std::uint64_t next_line_ = 1;
  std::uint64_t line_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> cells_;
};

/// True for what stands for no value: nothing, or N/A.
[[nodiscard]] bool is_no_value(std::string_view text);

/// Nanoseconds of microseconds with or without decimals, of which three count.
[[nodiscard]] std::optional<std::int64_t> read_microseconds(std::string_view text);

/// Bytes of a number of units, with or without decimals; not negative.
[[nodiscard]] std::optional<std::uint64_t> read_size(std::string_view text, std::uint64_t unit);

/// A number in decimal, or with 0x in hexadecimal.
[[nodiscard]] std::optional<std::uint64_t> read_address(std::string_view text);

}  // namespace soma::tools
