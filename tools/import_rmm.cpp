// The log of RMM's logging adaptor: Thread,Time,Action,Pointer,Size,Stream.
#include <charconv>
#include <optional>
#include <system_error>

#include "tools/import_events.hpp"
#include "tools/import_table.hpp"

namespace soma::tools {

namespace {

constexpr std::int64_t ns_per_second = 1000000000;
constexpr std::int64_t ns_per_day = 24 * 3600 * ns_per_second;
constexpr std::int64_t days_max = 1000;

/// "15:47:02.841961", or seconds with decimals.
std::optional<std::int64_t> read_time(std::string_view text) {
  std::int64_t seconds = 0;
  std::size_t colons = 0;
  while (true) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, number);
    constexpr std::int64_t number_max = 9000000000;
    if (status != std::errc{} || number < 0 || number > number_max) {
      return std::nullopt;
    }
    seconds = 60 * seconds + number;
    if (seconds > number_max) {
      return std::nullopt;
    }
    if (stop == end) {
      return seconds * ns_per_second;
    }
    const std::string_view rest(stop + 1, static_cast<std::size_t>(end - stop - 1));
    if (*stop == ':' && ++colons <= 2) {
      text = rest;
      continue;
    }
    // Decimals of a second are six digits at most of microseconds.
    if (*stop != '.' || rest.empty() || rest.find_first_not_of("0123456789") != std::string_view::npos) {
      return std::nullopt;
    }
    std::int64_t part = 0;
    for (std::size_t place = 0; place < 9; ++place) {
      part = 10 * part + (place < rest.size() ? rest[place] - '0' : 0);
    }
    return seconds * ns_per_second + part;
  }
}

struct rmm_columns {
  std::size_t time = 0;
  std::size_t action = 0;
  std::size_t pointer = 0;
  std::size_t size = 0;
  std::size_t stream = 0;
};

tl::expected<rmm_columns, import_error> find_columns(const import_table& table) {
  rmm_columns found;
  for (const auto& [name, index] : {std::pair("Time", &found.time), std::pair("Action", &found.action),
                                    std::pair("Pointer", &found.pointer), std::pair("Size", &found.size),
                                    std::pair("Stream", &found.stream)}) {
    const auto column = table.required(name);
    if (!column) {
      return tl::unexpected(column.error());
    }
    *index = *column;
  }
  return found;
}

tl::expected<import_event, import_error> read_event(const import_table& table, const rmm_columns& columns) {
  import_event event;
  event.kind = table.cell(columns.action) == "free" ? import_kind::free : import_kind::malloc;
  const auto time = read_time(table.cell(columns.time));
  if (!time) {
    return table.bad_cell(columns.time, "a time as 15:47:02.841961");
  }
  const auto address = read_address(table.cell(columns.pointer));
  if (!address) {
    return table.bad_cell(columns.pointer, "an address");
  }
  const auto bytes = read_address(table.cell(columns.size));
  if (!bytes) {
    return table.bad_cell(columns.size, "a number of bytes");
  }
  const auto stream = read_address(table.cell(columns.stream));
  if (!stream) {
    return table.bad_cell(columns.stream, "a stream");
  }
  event.time_ns = *time;
  event.address = *address;
  event.bytes = *bytes;
  event.stream = *stream;
  return event;
}

}  // namespace

import_result read_rmm_log(std::string_view bytes, const import_options& options) {
  static_cast<void>(options);  // there is a log for each device
  auto table = import_table::open(bytes);
  if (!table) {
    return tl::unexpected(table.error());
  }
  const auto columns = find_columns(*table);
  if (!columns) {
    return tl::unexpected(columns.error());
  }
  recording found;
  std::uint64_t failures = 0;
  std::int64_t days = 0;
  std::int64_t last = 0;
  while (true) {
    const auto more = table->next();
    if (!more) {
      return tl::unexpected(more.error());
    }
    if (!*more) {
      break;
    }
    const std::string_view action = table->cell(columns->action);
    if (action == "allocate failure") {
      ++failures;
      continue;
    }
    if (action != "allocate" && action != "free") {
      return table->bad_cell(columns->action, "allocate, free or allocate failure");
    }
    auto event = read_event(*table, *columns);
    if (!event) {
      return tl::unexpected(event.error());
    }
    // Times of day begin anew at midnight.
    if (event->time_ns + ns_per_day / 2 < last && last < ns_per_day && days < days_max * ns_per_day) {
      days += ns_per_day;
      last = 0;
    } else {
      last = event->time_ns;
    }
    event->time_ns += days;
    found.events.push_back(*event);
  }
  found.notes.push_back("read: an RMM log with " + counted(found.events.size(), "event", "events"));
  if (failures != 0) {
    found.notes.push_back("dropped: " + counted(failures, "failed allocation", "failed allocations"));
  }
  return found;
}

}  // namespace soma::tools
