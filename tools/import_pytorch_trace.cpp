// Chrome traces of the PyTorch profiler: their "[memory]" events.
//
// Such a trace can be large, and nearly all of it is about other things: it is read as a stream of JSON's
// parts, and only the fields of memory events are kept.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/import_events.hpp"
#include "tools/import_table.hpp"

namespace soma::tools {

namespace {

/// The fields of an event that matter.
struct trace_event {
  std::string name;
  std::optional<std::int64_t> time_ns;
  std::optional<std::int64_t> bytes;
  std::optional<std::uint64_t> address;
  std::optional<std::int64_t> device;
  std::optional<std::int64_t> device_type;
  std::optional<std::int64_t> total;
};

/// Is called with the parts of the text in their order, and gathers memory events.
class event_gatherer {
public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  std::vector<trace_event> events;
  std::uint64_t others = 0;  ///< events that are about no memory
  std::optional<std::size_t> failed_at;
  bool has_events = false;

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool binary(binary_t&) { return true; }

  bool number_integer(number_integer_t value) {
    set_number(value, static_cast<double>(value));
    return true;
  }

  bool number_unsigned(number_unsigned_t value) {
    set_number(static_cast<std::int64_t>(value), static_cast<double>(value));
    return true;
  }

  bool number_float(number_float_t value, const string_t& text) {
    if (in_event() && key_ == "ts") {
      current_.time_ns = read_microseconds(text);
      if (!current_.time_ns) {
        set_time(value);
      }
    } else {
      set_number(std::abs(value) < 9e18 ? static_cast<std::int64_t>(value) : 0, value);
    }
    return true;
  }

  bool string(string_t& value) {
    if (in_event() && key_ == "name") {
      current_.name = value.substr(0, 16);
    } else if (in_event() && key_ == "ts") {
      current_.time_ns = read_microseconds(value);
    } else if (in_arguments() && key_ == "Addr") {
      current_.address = read_address(value);
    } else if (in_arguments() && key_ == "Device Type" && value == "CPU") {
      current_.device_type = 0;
    }
    return true;
  }

  bool start_object(std::size_t) {
    ++depth_;
    if (depth_ == events_depth_ + 1 && events_depth_ != 0) {
      current_ = {};
    }
    in_arguments_ = events_depth_ != 0 && depth_ == events_depth_ + 2 && key_ == "args";
    return true;
  }

  bool end_object() {
    if (in_event()) {
      finish_event();
    }
    --depth_;
    in_arguments_ = false;
    return true;
  }

  bool start_array(std::size_t) {
    ++depth_;
    if (events_depth_ == 0 && (depth_ == 1 || (depth_ == 2 && key_ == "traceEvents"))) {
      events_depth_ = depth_;
      has_events = true;
    }
    return true;
  }

  bool end_array() {
    if (depth_ == events_depth_) {
      events_depth_ = 0;
    }
    --depth_;
    return true;
  }

  bool key(string_t& value) {
    key_ = value;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    failed_at = position;
    return false;
  }

private:
  [[nodiscard]] bool in_event() const { return events_depth_ != 0 && depth_ == events_depth_ + 1; }
  [[nodiscard]] bool in_arguments() const {
    return in_arguments_ && events_depth_ != 0 && depth_ == events_depth_ + 2;
  }

  void set_time(double microseconds) {
    constexpr double most = 9e15;
    if (std::abs(microseconds) < most) {
      current_.time_ns = std::llround(microseconds * 1000);
    }
  }

  void set_number(std::int64_t value, double real) {
    if (in_event() && key_ == "ts") {
      set_time(real);
    } else if (in_arguments()) {
      if (key_ == "Bytes") {
        current_.bytes = value;
      } else if (key_ == "Addr") {
        current_.address = static_cast<std::uint64_t>(value);
      } else if (key_ == "Device Id") {
        current_.device = value;
      } else if (key_ == "Device Type") {
        current_.device_type = value;
      } else if (key_ == "Total Allocated") {
        current_.total = value;
      }
    }
  }

  void finish_event() {
    if (current_.name == "[memory]") {
      events.push_back(current_);
    } else {
      ++others;
    }
  }

  std::size_t depth_ = 0;
  std::size_t events_depth_ = 0;  ///< of the array of events, while in it
  bool in_arguments_ = false;
  std::string key_;
  trace_event current_;
};

bool is_of_host(const trace_event& event) {
  return event.device_type ? *event.device_type == 0 : event.device.value_or(0) < 0;
}

bool is_complete(const trace_event& event) {
  constexpr std::int64_t bytes_max = std::int64_t{1} << 60;
  return event.time_ns && event.address && event.bytes && *event.bytes <= bytes_max &&
         *event.bytes >= -bytes_max && event.total.value_or(0) <= bytes_max && event.total.value_or(0) >= 0;
}

/// What was live before the first event and is never freed, by the total at that event.
std::uint64_t rest_of(const std::vector<trace_event>& events) {
  if (events.empty() || !events.front().total) {
    return 0;
  }
  std::int64_t before = *events.front().total - *events.front().bytes;
  std::unordered_map<std::uint64_t, bool> live;
  for (const trace_event& event : events) {
    if (*event.bytes > 0) {
      live[*event.address] = true;
    } else if (live.erase(*event.address) == 0) {
      before -= std::min(before, -*event.bytes);
    }
  }
  return before > 0 ? static_cast<std::uint64_t>(before) : 0;
}

tl::expected<std::int64_t, import_error> choose_device(const std::vector<trace_event>& events,
                                                       std::int64_t wanted) {
  std::map<std::int64_t, std::uint64_t> counts;
  for (const trace_event& event : events) {
    ++counts[event.device.value_or(0)];
  }
  if (wanted < 0) {
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& left, const auto& right) { return left.second < right.second; })
        ->first;
  }
  if (counts.count(wanted) == 0) {
    std::string there;
    for (const auto& entry : counts) {
      there += (there.empty() ? "" : ", ") + std::to_string(entry.first);
    }
    return tl::unexpected(import_error{.line = 0,
                                       .reason = "there is no memory event of device " +
                                                 std::to_string(wanted) + ": there are of " + there});
  }
  return wanted;
}

}  // namespace

import_result read_pytorch_trace(std::string_view bytes, const import_options& options) {
  event_gatherer gatherer;
  const bool read = nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &gatherer);
  if (gatherer.failed_at || !read) {
    return tl::unexpected(import_error{.line = 0,
                                       .reason = "byte " + std::to_string(gatherer.failed_at.value_or(0)) +
                                                 ": this is not JSON, or is cut off"});
  }
  if (!gatherer.has_events) {
    return tl::unexpected(
        import_error{.line = 0, .reason = "the JSON has no traceEvents: it is no Chrome trace"});
  }
  auto& events = gatherer.events;
  const auto count_if = [&events](const auto& test) {
    return static_cast<std::uint64_t>(std::count_if(events.begin(), events.end(), test));
  };
  const auto drop_if = [&events](const auto& test) {
    events.erase(std::remove_if(events.begin(), events.end(), test), events.end());
  };
  const std::uint64_t all = events.size();
  const auto is_incomplete = [](const trace_event& event) { return !is_complete(event); };
  const std::uint64_t incomplete = count_if(is_incomplete);
  drop_if(is_incomplete);
  const std::uint64_t of_host = count_if(is_of_host);
  drop_if(is_of_host);
  if (events.empty()) {
    return tl::unexpected(import_error{.line = 0,
                                       .reason = "the trace has " +
                                                 counted(all, "[memory] event", "[memory] events") +
                                                 " and none of a device: record with profile_memory=True"});
  }
  const auto device = choose_device(events, options.device);
  if (!device) {
    return tl::unexpected(device.error());
  }
  const auto is_elsewhere = [&](const trace_event& event) { return event.device.value_or(0) != *device; };
  const std::uint64_t elsewhere = count_if(is_elsewhere);
  drop_if(is_elsewhere);
  std::stable_sort(events.begin(), events.end(), [](const trace_event& left, const trace_event& right) {
    return *left.time_ns < *right.time_ns;
  });

  recording found;
  if (const std::uint64_t rest = rest_of(events); rest != 0) {
    // No block of the device begins at the last address.
    found.before.push_back({.address = UINT64_MAX, .bytes = rest, .stream = 0, .segment = false});
    found.notes.push_back("assumed: " + std::to_string(rest) +
                          " bytes of the first total were live all the time, as one block");
  }
  for (const trace_event& event : events) {
    const bool is_malloc = *event.bytes > 0;
    const auto size = static_cast<std::uint64_t>(*event.bytes);
    found.events.push_back({.time_ns = *event.time_ns,
                            .address = *event.address,
                            .bytes = is_malloc ? size : std::uint64_t{0} - size,
                            .stream = 0,
                            .kind = is_malloc ? import_kind::malloc : import_kind::free});
  }
  found.notes.insert(found.notes.begin(),
                     "read: " + counted(events.size(), "[memory] event", "[memory] events") + " of device " +
                         std::to_string(*device));
  found.notes.push_back("assumed: all on one stream, since a trace does not tell which");
  const auto note = [&found](std::uint64_t count, const char* what) {
    if (count != 0) {
      found.notes.push_back("dropped: " + std::to_string(count) + what);
    }
  };
  note(of_host, " [memory] events of the host");
  note(elsewhere, " [memory] events of other devices (--device to choose)");
  note(incomplete, " [memory] events without ts, Bytes or Addr, or with figures that cannot be");
  note(gatherer.others, " other events");
  return found;
}

}  // namespace soma::tools
