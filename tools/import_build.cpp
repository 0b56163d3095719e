#include "tools/import_build.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace soma::tools {

namespace {

struct live_entry {
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stream = 0;
};

/// A free whose last use may still be seen complete.
struct open_free {
  live_entry block;
  std::size_t row = 0;
};

using live_map = std::unordered_map<std::uint64_t, live_entry>;

constexpr std::uint64_t whole_streams = 65536;

class trace_builder {
public:
  explicit trace_builder(const recording& from) : from_(from) {
    // nop
  }

  tl::expected<built_trace, import_error> build() {
    for (const import_before& each : from_.before) {
      add_before(each.segment ? segments_ : blocks_, each);
    }
    for (const import_event& event : from_.events) {
      add(event);
    }
    for (const import_before& each : from_.live_at_end) {
      if (const live_map& live = each.segment ? segments_ : blocks_; live.count(each.address) == 0) {
        add_before(each.segment ? segments_ : blocks_, each);
      }
    }
    if (before_rows_.empty() && rows_.empty()) {
      return tl::unexpected(import_error{.line = 0, .reason = "the recording has no allocation in it"});
    }
    if (!number_streams()) {
      return tl::unexpected(import_error{
          .line = 0, .reason = "the recording has more than " + std::to_string(whole_streams) + " streams"});
    }
    built_trace built{.rows = std::move(before_rows_), .notes = from_.notes};
    built.rows.insert(built.rows.end(), rows_.begin(), rows_.end());
    add_notes(built);
    return built;
  }

private:
  void add(const import_event& event) {
    set_time(event);
    switch (event.kind) {
    case import_kind::malloc:
      start(blocks_, event, trace_op::malloc, trace_op::free);
      break;
    case import_kind::segment_malloc:
      start(segments_, event, trace_op::segment_malloc, trace_op::segment_free);
      break;
    case import_kind::free:
      end(blocks_, event, trace_op::free);
      break;
    case import_kind::segment_free:
      end(segments_, event, trace_op::segment_free);
      break;
    case import_kind::free_done:
      finish_free(event);
      break;
    }
  }

  void set_time(const import_event& event) {
    if (!from_.has_clock) {
      time_us_ = static_cast<std::uint64_t>(events_);
    } else if (events_ == 0) {
      first_ns_ = event.time_ns;
    } else {
      constexpr std::uint64_t us = 1000;
      const bool back = event.time_ns < last_ns_;
      times_back_ += back ? 1U : 0U;
      // As unsigned numbers, since two times may be further apart than the signed ones reach.
      const std::uint64_t since = event.time_ns < first_ns_ ? 0
                                                            : static_cast<std::uint64_t>(event.time_ns) -
                                                                  static_cast<std::uint64_t>(first_ns_);
      time_us_ = std::max(time_us_, since / us);
    }
    last_ns_ = event.time_ns;
    ++events_;
  }

  void start(live_map& live, const import_event& event, trace_op op, trace_op end_op) {
    if (event.bytes == 0) {
      ++empty_;
      return;
    }
    if (const auto found = live.find(event.address); found != live.end()) {
      ++(op == trace_op::malloc ? missed_frees_ : odd_segments_);
      add_row(end_op, found->second);
    }
    const live_entry entry{.id = ++ids_, .bytes = event.bytes, .stream = event.stream};
    live[event.address] = entry;
    open_.erase(event.address);
    add_row(op, entry);
  }

  void end(live_map& live, const import_event& event, trace_op op) {
    auto found = live.find(event.address);
    if (found == live.end()) {
      if (event.bytes == 0) {
        ++empty_;
        return;
      }
      add_before(live, {.address = event.address,
                        .bytes = event.bytes,
                        .stream = event.stream,
                        .segment = op == trace_op::segment_free});
      found = live.find(event.address);
    }
    if (event.bytes != 0 && event.bytes != found->second.bytes) {
      ++(op == trace_op::free ? other_sizes_ : odd_segments_);
    }
    // On the stream that the recording names.
    const live_entry entry{.id = found->second.id, .bytes = found->second.bytes, .stream = event.stream};
    live.erase(found);
    add_row(op, entry);
    if (op == trace_op::free) {
      open_[event.address] = {.block = entry, .row = rows_.size()};
    }
  }

  void finish_free(const import_event& event) {
    const auto found = open_.find(event.address);
    if (found == open_.end()) {
      // The request of this free was not recorded.
      if (blocks_.count(event.address) != 0) {
        end(blocks_, event, trace_op::free);
        open_.erase(event.address);
      }
      return;
    }
    if (found->second.row != rows_.size()) {
      add_row(trace_op::sync, found->second.block);
      ++late_frees_;
    }
    open_.erase(found);
  }

  void add_before(live_map& live, const import_before& each) {
    if (each.bytes == 0) {
      return;
    }
    const live_entry entry{.id = ++ids_, .bytes = each.bytes, .stream = each.stream};
    live[each.address] = entry;
    before_rows_.push_back(row_of(each.segment ? trace_op::segment_malloc : trace_op::malloc, entry, 0));
    before_streams_.push_back(each.stream);
    (each.segment ? before_segments_ : before_blocks_) += 1;
  }

  static trace_row row_of(trace_op op, const live_entry& entry, std::uint64_t time_us) {
    return {.line = 0, .id = entry.id, .bytes = entry.bytes, .time_us = time_us, .stream = 0, .op = op};
  }

  void add_row(trace_op op, const live_entry& entry) {
    rows_.push_back(row_of(op, entry, time_us_));
    streams_.push_back(entry.stream);
  }

  /// The default stream is 0 if there is one; the others are numbered as they come.
  bool number_streams() {
    std::unordered_map<std::uint64_t, std::int32_t> numbers;
    const auto names_default = [](std::uint64_t stream) { return stream == 0; };
    if (std::any_of(before_streams_.begin(), before_streams_.end(), names_default) ||
        std::any_of(streams_.begin(), streams_.end(), names_default)) {
      numbers.emplace(0, 0);
    }
    const auto number = [&numbers](std::vector<trace_row>& rows, const std::vector<std::uint64_t>& streams) {
      for (std::size_t place = 0; place < rows.size(); ++place) {
        rows[place].stream =
            numbers.try_emplace(streams[place], static_cast<std::int32_t>(numbers.size())).first->second;
      }
    };
    number(before_rows_, before_streams_);
    number(rows_, streams_);
    stream_count_ = numbers.size();
    return numbers.size() <= whole_streams;
  }

  void add_notes(built_trace& built) const {
    std::map<trace_op, std::uint64_t> counts;
    for (const trace_row& row : built.rows) {
      ++counts[row.op];
    }
    const auto note = [&built](std::uint64_t count, const char* one, const char* many) {
      if (count != 0) {
        built.notes.push_back(counted(count, one, many));
      }
    };
    note(before_blocks_, "block was live before the recording and comes first",
         "blocks were live before the recording and come first");
    note(before_segments_, "segment was held before the recording and comes first",
         "segments were held before the recording and come first");
    note(missed_frees_, "free is missing and was put in front of the next malloc of its address",
         "frees are missing and were put in front of the next malloc of their address");
    note(other_sizes_, "free has another size than its malloc; the malloc's was taken",
         "frees have another size than their malloc; the malloc's was taken");
    note(odd_segments_, "segment event does not fit the ones before it, and was made to",
         "segment events do not fit the ones before them, and were made to");
    note(late_frees_, "free was done only later and has a sync row there",
         "frees were done only later and have a sync row there");
    note(empty_, "event of 0 bytes was dropped", "events of 0 bytes were dropped");
    note(times_back_, "event is earlier than the one before it; its time was lifted",
         "events are earlier than the one before them; their times were lifted");
    built.notes.push_back(
        "written: " + counted(counts[trace_op::malloc], "malloc", "mallocs") + ", " +
        counted(counts[trace_op::free], "free", "frees") + ", " +
        counted(counts[trace_op::sync], "sync row", "sync rows") + ", " +
        counted(counts[trace_op::segment_malloc] + counts[trace_op::segment_free], "segment row",
                "segment rows") +
        " on " + counted(stream_count_, "stream", "streams") +
        (from_.has_clock ? "" : "; times are numbers of events, since the recording has no clock"));
  }

  const recording& from_;
  live_map blocks_;
  live_map segments_;
  std::unordered_map<std::uint64_t, open_free> open_;
  std::vector<trace_row> before_rows_;
  std::vector<std::uint64_t> before_streams_;  ///< of each row, as the recording names them
  std::vector<trace_row> rows_;
  std::vector<std::uint64_t> streams_;
  std::uint64_t ids_ = 0;
  std::size_t events_ = 0;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::uint64_t time_us_ = 0;
  std::uint64_t before_blocks_ = 0;
  std::uint64_t before_segments_ = 0;
  std::uint64_t missed_frees_ = 0;
  std::uint64_t other_sizes_ = 0;
  std::uint64_t odd_segments_ = 0;
  std::uint64_t late_frees_ = 0;
  std::uint64_t empty_ = 0;
  std::uint64_t times_back_ = 0;
  std::size_t stream_count_ = 0;
};

const char* name_of(trace_op op) {
  switch (op) {
  case trace_op::malloc:
    return "malloc";
  case trace_op::free:
    return "free";
  case trace_op::sync:
    return "sync";
  case trace_op::segment_malloc:
    return "segment_malloc";
  case trace_op::segment_free:
    break;
  }
  return "segment_free";
}

}  // namespace

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

tl::expected<built_trace, import_error> build_trace(const recording& from) {
  return trace_builder(from).build();
}

std::string print_trace(const std::vector<trace_row>& rows) {
  std::string text = "op,id,bytes,stream,time_us\n";
  for (const trace_row& row : rows) {
    text.append(name_of(row.op)).append(",").append(std::to_string(row.id)).append(",");
    text.append(std::to_string(row.bytes)).append(",").append(std::to_string(row.stream)).append(",");
    text.append(std::to_string(row.time_us)).append("\n");
  }
  return text;
}

}  // namespace soma::tools
