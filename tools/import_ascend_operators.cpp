// operator_memory.csv of the Ascend profiler: a row for each block, with the times of its allocation and
// release.
//
// Blocks have no addresses there. What was live before the recording shows only in the totals beside each
// time: what they count beyond the rows is followed as in import_totals.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/import_ascend.hpp"
#include "tools/import_events.hpp"
#include "tools/import_table.hpp"
#include "tools/import_totals.hpp"

namespace soma::tools {

namespace {

/// Differences of totals below this are rounding.
constexpr std::uint64_t total_noise = 512;

struct operator_columns {
  std::size_t name = 0;
  size_column size;
  std::size_t allocated_at = 0;
  std::size_t released_at = 0;
  std::optional<std::size_t> done_at;
  std::optional<size_column> total_at_allocation;
  std::optional<size_column> total_at_release;
  std::optional<std::size_t> stream;
  std::optional<std::size_t> device;
};

struct operator_row {
  std::uint64_t bytes = 0;
  std::uint64_t stream = 0;
  std::optional<std::int64_t> allocated_at;
  std::optional<std::int64_t> released_at;
  std::optional<std::int64_t> done_at;
  std::optional<std::uint64_t> total_at_allocation;
  std::optional<std::uint64_t> total_at_release;
  std::string device;
};

/// One of a row's times.
struct operator_point {
  std::int64_t time_ns = 0;
  std::size_t row = 0;
  import_kind kind = import_kind::malloc;
};

tl::expected<operator_columns, import_error> find_columns(const import_table& table) {
  operator_columns found;
  for (const auto& [name, index] :
       {std::pair("Name", &found.name), std::pair("Allocation Time(us)", &found.allocated_at),
        std::pair("Release Time(us)", &found.released_at)}) {
    const auto column = table.required(name);
    if (!column) {
      return tl::unexpected(column.error());
    }
    *index = *column;
  }
  const auto size = table.sizes("Size");
  if (!size) {
    return tl::unexpected(table.required("Size(KB)").error());
  }
  found.size = *size;
  found.done_at = table.column("Active Release Time(us)");
  found.total_at_allocation = table.sizes("Allocation Total Allocated");
  found.total_at_release = table.sizes("Release Total Allocated");
  found.stream = table.column("Stream Ptr");
  found.device = table.column("Device Type");
  return found;
}

class operator_reader {
public:
  operator_reader(import_table& table, const operator_columns& columns) : table_(table), columns_(columns) {
    // nop
  }

  tl::expected<void, import_error> read() {
    while (true) {
      const auto more = table_.next();
      if (!more) {
        return tl::unexpected(more.error());
      }
      if (!*more) {
        return {};
      }
      if (table_.cell(columns_.name).substr(0, 6) == "cann::") {
        ++graph_rows_;
        continue;
      }
      if (columns_.stream && is_no_value(table_.cell(*columns_.stream))) {
        ++without_stream_;
        continue;
      }
      if (const auto added = add_row(); !added) {
        return tl::unexpected(added.error());
      }
    }
  }

  [[nodiscard]] import_result build(const import_options& options);

private:
  tl::expected<void, import_error> add_row() {
    operator_row row;
    std::string_view size = table_.cell(columns_.size.index);
    // A minus is taken for the sign of a release.
    size.remove_prefix(!size.empty() && size.front() == '-' ? 1 : 0);
    const auto bytes = read_size(size, columns_.size.unit);
    if (!bytes) {
      return table_.bad_cell(columns_.size.index, "a size");
    }
    row.bytes = *bytes;
    using time_column = std::pair<std::optional<std::size_t>, std::optional<std::int64_t>*>;
    for (const auto& [column, into] :
         {time_column(columns_.allocated_at, &row.allocated_at),
          time_column(columns_.released_at, &row.released_at), time_column(columns_.done_at, &row.done_at)}) {
      if (column && !is_no_value(table_.cell(*column))) {
        *into = read_microseconds(table_.cell(*column));
        if (!*into) {
          return table_.bad_cell(*column, "a number of microseconds");
        }
      }
    }
    using total_column = std::pair<std::optional<size_column>, std::optional<std::uint64_t>*>;
    for (const auto& [column, into] : {total_column(columns_.total_at_allocation, &row.total_at_allocation),
                                       total_column(columns_.total_at_release, &row.total_at_release)}) {
      if (column && !is_no_value(table_.cell(column->index))) {
        *into = read_size(table_.cell(column->index), column->unit);
        if (!*into) {
          return table_.bad_cell(column->index, "a size");
        }
      }
    }
    if (columns_.stream) {
      const auto stream = read_address(table_.cell(*columns_.stream));
      if (!stream) {
        return table_.bad_cell(*columns_.stream, "a stream");
      }
      row.stream = *stream;
    }
    row.device = columns_.device ? std::string(table_.cell(*columns_.device)) : "";
    devices_.add(row.device);
    rows_.push_back(std::move(row));
    return {};
  }

  /// The times of all rows of the device in their order; a row's own never overtake each other.
  [[nodiscard]] std::vector<operator_point> points_of(const std::string& device) const {
    std::vector<operator_point> points;
    for (std::size_t place = 0; place < rows_.size(); ++place) {
      const operator_row& row = rows_[place];
      if (row.device != device) {
        continue;
      }
      std::int64_t earliest = INT64_MIN;
      if (row.allocated_at) {
        points.push_back({.time_ns = *row.allocated_at, .row = place, .kind = import_kind::malloc});
        earliest = *row.allocated_at + 1;
      }
      if (row.released_at) {
        const std::int64_t released = std::max(earliest, *row.released_at);
        points.push_back({.time_ns = released, .row = place, .kind = import_kind::free});
        if (row.done_at && *row.done_at > released) {
          points.push_back({.time_ns = *row.done_at, .row = place, .kind = import_kind::free_done});
        }
      }
    }
    std::stable_sort(
        points.begin(), points.end(),
        [](const operator_point& left, const operator_point& right) { return left.time_ns < right.time_ns; });
    return points;
  }

  import_table& table_;
  const operator_columns& columns_;
  std::vector<operator_row> rows_;
  device_counter devices_;
  std::uint64_t graph_rows_ = 0;
  std::uint64_t without_stream_ = 0;
};

/// Compares the rows' own total with the one in the table, and follows what it has beyond them. Sums wrap
/// around where a damaged table makes them too large.
class total_keeper {
public:
  explicit total_keeper(total_follower& follower) : follower_(follower) {
    // nop
  }

  void meet(std::uint64_t told, const operator_row& row, std::int64_t time_ns) {
    const auto beyond = static_cast<std::int64_t>(told - own_ - unnamed_);
    const std::uint64_t amount = beyond < 0 ? own_ + unnamed_ - told : told - own_ - unnamed_;
    const bool first = !std::exchange(started_, true);
    if (amount < total_noise || (first && beyond < 0)) {
      return;
    }
    if (first) {
      follower_.start(amount, row.stream);
      unnamed_ = amount;
    } else if (beyond > 0) {
      follower_.rise(amount, time_ns, row.stream);
      unnamed_ += amount;
      ++followed_;
    } else {
      const std::uint64_t left = follower_.fall(amount, time_ns);
      unnamed_ -= amount - left;
      unexplained_ += left != 0 ? 1U : 0U;
      ++followed_;
    }
  }

  [[nodiscard]] bool started() const noexcept { return started_; }

  void allocated(std::uint64_t bytes) { own_ += bytes; }
  void freed(std::uint64_t bytes) { own_ -= bytes; }

  void add_notes(recording& found) const {
    if (followed_ != 0) {
      found.notes.push_back("assumed: the total changes " + counted(followed_, "time", "times") +
                            " without a row; each rise is a block, each fall frees the latest of that size");
    }
    if (unexplained_ != 0) {
      found.notes.push_back("the total falls " + counted(unexplained_, "time", "times") +
                            " by more than was live");
    }
  }

private:
  total_follower& follower_;
  std::uint64_t own_ = 0;      ///< live bytes of the rows
  std::uint64_t unnamed_ = 0;  ///< live bytes that only the totals tell of
  bool started_ = false;
  std::uint64_t followed_ = 0;
  std::uint64_t unexplained_ = 0;
};

import_result operator_reader::build(const import_options& options) {
  const auto device = devices_.choose(options);
  if (!device) {
    return tl::unexpected(device.error());
  }
  recording found;
  total_follower follower(found);
  total_keeper totals(follower);
  for (const operator_point& point : points_of(*device)) {
    const operator_row& row = rows_[point.row];
    const bool is_malloc = point.kind == import_kind::malloc;
    // A row without an allocation is of a block from before the recording, which the totals show as well.
    if (!row.allocated_at && totals.started() && row.total_at_release) {
      if (point.kind == import_kind::free) {
        totals.meet(*row.total_at_release, row, point.time_ns);
      }
      continue;
    }
    if (point.kind == import_kind::free && !row.allocated_at) {
      found.before.push_back(
          {.address = point.row, .bytes = row.bytes, .stream = row.stream, .segment = false});
    } else if (is_malloc) {
      totals.allocated(row.bytes);
    } else if (point.kind == import_kind::free) {
      totals.freed(row.bytes);
    }
    if (point.kind != import_kind::free_done) {
      if (const auto told = is_malloc ? row.total_at_allocation : row.total_at_release; told) {
        totals.meet(*told, row, point.time_ns);
      }
    }
    follower.add({.time_ns = point.time_ns,
                  .address = point.row,
                  .bytes = row.bytes,
                  .stream = row.stream,
                  .kind = point.kind});
  }
  follower.finish();
  found.notes.push_back("read: " + counted(rows_.size(), "row", "rows") + " of an operator table, device " +
                        (device->empty() ? "not stated" : *device));
  totals.add_notes(found);
  if (graph_rows_ != 0) {
    found.notes.push_back("dropped: " + counted(graph_rows_, "row", "rows") +
                          " of the graph engine (cann::)");
  }
  if (without_stream_ != 0) {
    found.notes.push_back("dropped: " + counted(without_stream_, "row", "rows") + " without a stream");
  }
  if (std::string note = devices_.note(*device); !note.empty()) {
    found.notes.push_back(std::move(note));
  }
  return found;
}

}  // namespace

import_result read_ascend_operators(std::string_view bytes, const import_options& options) {
  auto table = import_table::open(bytes);
  if (!table) {
    return tl::unexpected(table.error());
  }
  const auto columns = find_columns(*table);
  if (!columns) {
    return tl::unexpected(columns.error());
  }
  operator_reader reader(*table, *columns);
  if (const auto read = reader.read(); !read) {
    return tl::unexpected(read.error());
  }
  return reader.build(options);
}

}  // namespace soma::tools
