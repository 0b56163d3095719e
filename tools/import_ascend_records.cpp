// memory_record.csv of the Ascend profiler: totals over time, for several components.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tools/import_ascend.hpp"
#include "tools/import_events.hpp"
#include "tools/import_table.hpp"
#include "tools/import_totals.hpp"

namespace soma::tools {

namespace {

struct record_row {
  std::string component;
  std::string device;
  std::int64_t time_ns = 0;
  std::uint64_t allocated = 0;
  std::uint64_t stream = 0;
};

struct record_columns {
  std::size_t component = 0;
  std::size_t time = 0;
  size_column allocated;
  std::optional<std::size_t> stream;
  std::optional<std::size_t> device;
};

tl::expected<record_columns, import_error> find_columns(const import_table& table) {
  const auto component = table.required("Component");
  if (!component) {
    return tl::unexpected(component.error());
  }
  const auto time = table.required("Timestamp(us)");
  if (!time) {
    return tl::unexpected(time.error());
  }
  const auto allocated = table.sizes("Total Allocated");
  if (!allocated) {
    return tl::unexpected(table.required("Total Allocated(MB)").error());
  }
  auto device = table.column("Device Type");
  return record_columns{.component = *component,
                        .time = *time,
                        .allocated = *allocated,
                        .stream = table.column("Stream Ptr"),
                        .device = device ? device : table.column("Device")};
}

tl::expected<record_row, import_error> read_row(const import_table& table, const record_columns& columns) {
  record_row row{.component = std::string(table.cell(columns.component)), .device = {}};
  const auto time = read_microseconds(table.cell(columns.time));
  if (!time) {
    return table.bad_cell(columns.time, "a number of microseconds");
  }
  const auto allocated = read_size(table.cell(columns.allocated.index), columns.allocated.unit);
  if (!allocated) {
    return table.bad_cell(columns.allocated.index, "a size");
  }
  row.time_ns = *time;
  row.allocated = *allocated;
  if (columns.stream && !is_no_value(table.cell(*columns.stream))) {
    const auto stream = read_address(table.cell(*columns.stream));
    if (!stream) {
      return table.bad_cell(*columns.stream, "a stream");
    }
    row.stream = *stream;
  }
  row.device = columns.device ? std::string(table.cell(*columns.device)) : "";
  return row;
}

/// PyTorch's own allocations if there are any; the sum with the graph engine's, or another component, only if
/// not.
std::string choose_component(const std::map<std::string, std::uint64_t>& rows) {
  for (const char* const name : {"PTA", "MindSpore", "PTA+GE"}) {
    if (rows.count(name) != 0) {
      return name;
    }
  }
  return std::max_element(rows.begin(), rows.end(),
                          [](const auto& left, const auto& right) { return left.second < right.second; })
      ->first;
}

}  // namespace

import_result read_ascend_records(std::string_view bytes, const import_options& options) {
  auto table = import_table::open(bytes);
  if (!table) {
    return tl::unexpected(table.error());
  }
  const auto columns = find_columns(*table);
  if (!columns) {
    return tl::unexpected(columns.error());
  }
  std::vector<record_row> rows;
  std::map<std::string, std::uint64_t> components;
  std::uint64_t without_total = 0;
  while (true) {
    const auto more = table->next();
    if (!more) {
      return tl::unexpected(more.error());
    }
    if (!*more) {
      break;
    }
    if (is_no_value(table->cell(columns->allocated.index))) {
      ++without_total;
      continue;
    }
    auto row = read_row(*table, *columns);
    if (!row) {
      return tl::unexpected(row.error());
    }
    ++components[row->component];
    rows.push_back(std::move(*row));
  }
  if (rows.empty()) {
    return tl::unexpected(
        import_error{.line = 0, .reason = "no row of the table has a total of allocated memory"});
  }
  const std::string component = choose_component(components);
  device_counter devices;
  rows.erase(std::remove_if(rows.begin(), rows.end(),
                            [&](const record_row& row) { return row.component != component; }),
             rows.end());
  for (const record_row& row : rows) {
    devices.add(row.device);
  }
  const auto device = devices.choose(options);
  if (!device) {
    return tl::unexpected(device.error());
  }
  std::stable_sort(rows.begin(), rows.end(), [](const record_row& left, const record_row& right) {
    return left.time_ns < right.time_ns;
  });

  recording found;
  total_follower follower(found);
  std::uint64_t total = 0;
  bool first = true;
  std::uint64_t changes = 0;
  for (const record_row& row : rows) {
    if (row.device != *device) {
      continue;
    }
    if (first) {
      follower.start(row.allocated, row.stream);
    } else if (row.allocated > total) {
      follower.rise(row.allocated - total, row.time_ns, row.stream);
    } else if (row.allocated < total) {
      follower.fall(total - row.allocated, row.time_ns);
    }
    changes += !first && row.allocated != total ? 1U : 0U;
    first = false;
    total = row.allocated;
  }
  follower.finish();
  found.notes.push_back("read: totals of component " + component + ", which change " +
                        counted(changes, "time", "times"));
  found.notes.push_back(
      "assumed: each rise of the total is a block; a fall frees the latest block of that size, or the "
      "latest ones");
  if (components.size() > 1) {
    found.notes.push_back("dropped: the other components");
  }
  if (without_total != 0) {
    found.notes.push_back("dropped: " +
                          counted(without_total, "row without a total", "rows without a total"));
  }
  if (std::string note = devices.note(*device); !note.empty()) {
    found.notes.push_back(std::move(note));
  }
  return found;
}

}  // namespace soma::tools
