// PyTorch's memory snapshots (torch.cuda.memory._dump_snapshot, and torch_npu's like): a pickle of what the
// allocator did ("device_traces") and of what it held at the end ("segments").
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/import_events.hpp"
#include "tools/pickle_reader.hpp"

namespace soma::tools {

namespace {

/// Lists in a pickle may share their parts: what is written out is bounded by itself.
constexpr std::size_t entries_max = std::size_t{1} << 26;

tl::unexpected<import_error> failure(std::string reason) {
  return tl::unexpected(import_error{.line = 0, .reason = std::move(reason)});
}

class snapshot_reader {
public:
  explicit snapshot_reader(const pickle_document& document) : document_(document) {
    // nop
  }

  import_result read(const import_options& options) {
    const pickle_value* const traces = document_.find(document_.root(), "device_traces");
    if (traces == nullptr) {
      return failure("the pickle is no memory snapshot with a history: it has no device_traces. Call "
                     "torch.cuda.memory._record_memory_history() before what is to be recorded");
    }
    const auto device = choose_device(document_.items(*traces), options.device);
    if (!device) {
      return tl::unexpected(device.error());
    }
    const auto& entries = document_.items(document_.items(*traces)[static_cast<std::size_t>(*device)]);
    if (entries.size() > entries_max) {
      return failure("the snapshot has more than " + std::to_string(entries_max) + " events: record less");
    }
    for (std::size_t number = 0; number < entries.size(); ++number) {
      if (const auto added = add_entry(entries[number], number); !added) {
        return tl::unexpected(added.error());
      }
    }
    if (const auto added = add_segments(*device); !added) {
      return tl::unexpected(added.error());
    }
    add_notes(*device, document_.items(*traces).size());
    return std::move(found_);
  }

private:
  [[nodiscard]] tl::expected<std::int64_t, import_error>
  choose_device(const std::vector<pickle_value>& traces, std::int64_t wanted) const {
    if (traces.empty()) {
      return failure("the snapshot's device_traces are empty: no device was recorded");
    }
    if (wanted >= static_cast<std::int64_t>(traces.size())) {
      return failure("there is no device " + std::to_string(wanted) + ": the snapshot has " +
                     counted(traces.size(), "device", "devices") + ", numbered from 0");
    }
    if (wanted >= 0) {
      return wanted;
    }
    const auto most = std::max_element(traces.begin(), traces.end(),
                                       [this](const pickle_value& left, const pickle_value& right) {
                                         return document_.items(left).size() < document_.items(right).size();
                                       });
    return most - traces.begin();
  }

  tl::expected<void, import_error> add_entry(const pickle_value& entry, std::size_t number) {
    const pickle_value* const action = document_.find(entry, "action");
    const auto name = action == nullptr ? std::nullopt : document_.text(*action);
    if (!name) {
      return failure("event " + std::to_string(number) + " of the device has no action");
    }
    const auto kind = kind_of(*name);
    if (!kind) {
      ++skipped_[std::string(name->substr(0, 40))];
      return {};
    }
    import_event event;
    event.kind = *kind;
    const auto address = number_in(entry, "addr");
    const auto bytes = number_in(entry, "size");
    if (!address || !bytes || *bytes < 0) {
      return failure("event " + std::to_string(number) + " of the device (" + std::string(*name) +
                     ") has no addr, or no size that is a number of bytes");
    }
    event.address = static_cast<std::uint64_t>(*address);
    event.bytes = static_cast<std::uint64_t>(*bytes);
    event.stream = static_cast<std::uint64_t>(number_in(entry, "stream").value_or(0));
    const auto time_us = number_in(entry, "time_us");
    constexpr std::int64_t ns_per_us = 1000;
    constexpr std::int64_t time_max = INT64_MAX / ns_per_us;
    if (time_us && *time_us >= 0 && *time_us <= time_max) {
      event.time_ns = *time_us * ns_per_us;
    } else {
      found_.has_clock = false;
    }
    found_.events.push_back(event);
    return {};
  }

  static std::optional<import_kind> kind_of(std::string_view action) {
    static constexpr std::pair<std::string_view, import_kind> kinds[] = {
        {"alloc", import_kind::malloc},
        {"free_requested", import_kind::free},
        {"free_completed", import_kind::free_done},
        {"segment_alloc", import_kind::segment_malloc},
        {"segment_map", import_kind::segment_malloc},
        {"segment_free", import_kind::segment_free},
        {"segment_unmap", import_kind::segment_free},
    };
    const auto* const found = std::find_if(std::begin(kinds), std::end(kinds),
                                           [action](const auto& each) { return each.first == action; });
    return found == std::end(kinds) ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] std::optional<std::int64_t> number_in(const pickle_value& dict, std::string_view key) const {
    const pickle_value* const value = document_.find(dict, key);
    return value == nullptr ? std::nullopt : integer_of(*value);
  }

  /// What the allocator held at the end.
  tl::expected<void, import_error> add_segments(std::int64_t device) {
    const pickle_value* const segments = document_.find(document_.root(), "segments");
    if (segments == nullptr) {
      return {};
    }
    for (const pickle_value& segment : document_.items(*segments)) {
      if (number_in(segment, "device").value_or(0) != device) {
        continue;
      }
      const auto address = number_in(segment, "address");
      const auto stream = static_cast<std::uint64_t>(number_in(segment, "stream").value_or(0));
      const bool expandable = number_in(segment, "is_expandable").value_or(0) != 0;
      // Of an expandable segment the parts are mapped one by one, which its final range does not show.
      if (address && !expandable) {
        add_live(*address, number_in(segment, "total_size"), stream, true);
      }
      if (const auto added = add_blocks(segment, address, stream); !added) {
        return added;
      }
    }
    return {};
  }

  tl::expected<void, import_error> add_blocks(const pickle_value& segment,
                                              std::optional<std::int64_t> address, std::uint64_t stream) {
    const pickle_value* const blocks = document_.find(segment, "blocks");
    if (blocks == nullptr) {
      return {};
    }
    for (const pickle_value& block : document_.items(*blocks)) {
      const auto size = number_in(block, "size");
      const auto own_address = number_in(block, "address");
      const auto at = own_address ? own_address : address;
      const pickle_value* const state = document_.find(block, "state");
      const auto name = state == nullptr ? std::nullopt : document_.text(*state);
      if (at && name && name->substr(0, 6) == "active") {
        const auto requested = number_in(block, "requested_size");
        add_live(*at, requested.value_or(0) > 0 ? requested : size, stream, false);
      }
      // Older snapshots give no addresses of blocks, which lie one behind the other.
      address = at && size && *size >= 0
                    ? std::optional(static_cast<std::int64_t>(static_cast<std::uint64_t>(*at) +
                                                              static_cast<std::uint64_t>(*size)))
                    : std::nullopt;
      if (found_.live_at_end.size() > entries_max) {
        return failure("the snapshot has more than " + std::to_string(entries_max) + " blocks");
      }
    }
    return {};
  }

  void add_live(std::int64_t address, std::optional<std::int64_t> bytes, std::uint64_t stream, bool segment) {
    if (bytes && *bytes > 0) {
      found_.live_at_end.push_back({.address = static_cast<std::uint64_t>(address),
                                    .bytes = static_cast<std::uint64_t>(*bytes),
                                    .stream = stream,
                                    .segment = segment});
    }
  }

  void add_notes(std::int64_t device, std::size_t devices) {
    std::vector<std::string>& notes = found_.notes;
    notes.push_back("read: a memory snapshot, " + counted(found_.events.size(), "event", "events") +
                    " of device " + std::to_string(device) +
                    (devices > 1 ? " of " + std::to_string(devices) + " (--device to choose)" : ""));
    for (const auto& [name, count] : skipped_) {
      notes.push_back("dropped: " + counted(count, "event", "events") + " of kind " + name);
    }
  }

  const pickle_document& document_;
  recording found_;
  std::map<std::string, std::uint64_t> skipped_;
};

}  // namespace

import_result read_pytorch_snapshot(std::string_view bytes, const import_options& options) {
  const auto document = pickle_document::read(
      bytes, {"frames", "compile_context", "user_metadata", "external_annotations", "history"});
  if (!document) {
    return tl::unexpected(import_error{.line = 0, .reason = document.error()});
  }
  return snapshot_reader(*document).read(options);
}

}  // namespace soma::tools
