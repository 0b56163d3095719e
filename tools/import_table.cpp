#include "tools/import_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace soma::tools {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

tl::unexpected<import_error> failure(std::uint64_t line, std::string reason) {
  return tl::unexpected(import_error{.line = line, .reason = std::move(reason)});
}

/// A cell as it can be shown in an error.
std::string shown(std::string_view text) {
  constexpr std::size_t letters_max = 40;
  std::string safe = "'";
  for (const char letter : text.substr(0, letters_max)) {
    safe += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return safe + (text.size() > letters_max ? "...'" : "'");
}

}  // namespace

tl::expected<import_table, import_error> import_table::open(std::string_view text) {
  import_table table(text);
  if (const auto read = table.read_row(); !read) {
    return tl::unexpected(read.error());
  }
  table.names_ = std::move(table.cells_);
  table.cells_.clear();
  return table;
}

std::optional<std::size_t> import_table::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - names_.begin()));
}

tl::expected<std::size_t, import_error> import_table::required(std::string_view name) const {
  if (const auto found = column(name)) {
    return *found;
  }
  std::string there;
  for (const std::string& each : names_) {
    there += (there.empty() ? "" : ", ") + shown(each);
  }
  return failure(1,
                 "there is no column '" + std::string(name) + "'; the columns are " + there.substr(0, 400));
}

std::optional<size_column> import_table::sizes(std::string_view name) const {
  constexpr std::array<std::pair<const char*, std::uint64_t>, 3> units = {
      {{"(KB)", 1024}, {"(MB)", 1024 * 1024}, {"(B)", 1}}};
  for (const auto& [suffix, unit] : units) {
    if (const auto found = column(std::string(name) + suffix)) {
      return size_column{.index = *found, .unit = unit};
    }
  }
  return std::nullopt;
}

tl::expected<bool, import_error> import_table::next() {
  while (!rest_.empty()) {
    if (const auto read = read_row(); !read) {
      return tl::unexpected(read.error());
    }
    if (cells_.size() == 1 && cells_.front().empty()) {
      continue;
    }
    if (cells_.size() != names_.size()) {
      return failure(line_, "the row has " + counted(cells_.size(), "cell", "cells") + " and the header " +
                                std::to_string(names_.size()) + "; is the file cut off?");
    }
    return true;
  }
  return false;
}

tl::unexpected<import_error> import_table::bad_cell(std::size_t index, const char* wanted) const {
  return failure(line_, names_[index] + " is " + shown(cells_[index]) + " and not " + wanted);
}

tl::expected<void, import_error> import_table::read_row() {
  line_ = next_line_;
  cells_.assign(1, {});
  bool quoted = false;
  bool was_quoted = false;
  const auto close_cell = [&] {
    if (!was_quoted) {
      cells_.back() = std::string(trimmed(cells_.back()));
    }
    was_quoted = false;
  };
  std::size_t place = 0;
  for (; place < rest_.size(); ++place) {
    const char letter = rest_[place];
    next_line_ += letter == '\n' ? 1 : 0;
    if (quoted) {
      const bool doubled = letter == '"' && place + 1 < rest_.size() && rest_[place + 1] == '"';
      if (letter != '"' || doubled) {
        cells_.back() += letter;
        place += doubled ? 1 : 0;
      } else {
        quoted = false;
      }
    } else if (letter == '"' && trimmed(cells_.back()).empty()) {
      cells_.back().clear();
      quoted = true;
      was_quoted = true;
    } else if (letter == ',') {
      close_cell();
      cells_.emplace_back();
    } else if (letter == '\n') {
      break;
    } else if (!was_quoted || blanks.find(letter) == std::string_view::npos) {
      cells_.back() += letter;
    }
  }
  close_cell();
  rest_.remove_prefix(std::min(rest_.size(), place + 1));
  return quoted ? failure(line_, "a quote in this row has no end; is the file cut off?")
                : tl::expected<void, import_error>();
}

bool is_no_value(std::string_view text) { return text.empty() || text == "N/A"; }

std::optional<std::int64_t> read_microseconds(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  const auto [stop, status] = std::from_chars(text.data(), end, whole);
  constexpr std::int64_t ns_per_us = 1000;
  constexpr std::int64_t limit = INT64_MAX / ns_per_us - 1;
  if (status != std::errc{} || whole > limit || whole < -limit) {
    return std::nullopt;
  }
  std::int64_t part = 0;
  if (stop != end) {
    std::string_view digits(stop + 1, static_cast<std::size_t>(end - stop - 1));
    const bool decimal = *stop == '.' && digits.find_first_not_of("0123456789") == std::string_view::npos;
    if (!decimal) {
      return std::nullopt;
    }
    for (std::size_t place = 0; place < 3; ++place) {
      part = 10 * part + (place < digits.size() ? digits[place] - '0' : 0);
    }
  }
  return whole * ns_per_us + (whole < 0 ? -part : part);
}

std::optional<std::uint64_t> read_size(std::string_view text, std::uint64_t unit) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  constexpr double most = 1e18;
  const double bytes = std::round(value * static_cast<double>(unit));
  if (status != std::errc{} || stop != end || !(bytes >= 0 && bytes <= most)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(bytes);
}

std::optional<std::uint64_t> read_address(std::string_view text) {
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  text.remove_prefix(hexadecimal ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [stop, status] = std::from_chars(text.data(), end, value, hexadecimal ? 16 : 10);
  return status == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace soma::tools
