#include "tools/trace_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace soma::tools {

namespace {

constexpr std::string_view header = "op,id,bytes,stream,time_us";
constexpr std::size_t field_count = 5;
constexpr std::size_t line_bytes_max = 4096;

using text_error = tl::unexpected<std::string>;

/// A field as it can be shown in an error, whatever it holds.
std::string quoted(std::string_view text) {
  constexpr std::size_t shown_max = 40;
  std::string shown = "'";
  for (const char letter : text.substr(0, shown_max)) {
    shown += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return shown + (text.size() > shown_max ? "...'" : "'");
}

std::optional<trace_op> op_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, trace_op>, 5> ops = {{
      {"malloc", trace_op::malloc},
      {"free", trace_op::free},
      {"sync", trace_op::sync},
      {"segment_malloc", trace_op::segment_malloc},
      {"segment_free", trace_op::segment_free},
  }};
  const auto* const found =
      std::find_if(ops.begin(), ops.end(), [&](const auto& op) { return op.first == name; });
  return found == ops.end() ? std::nullopt : std::optional(found->second);
}

tl::expected<std::uint64_t, std::string> number_of(std::string_view text, const char* name) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status == std::errc::result_out_of_range && stop == end) {
    return text_error(std::string(name) + " " + quoted(text) + " is more than 2^64 - 1");
  }
  if (status != std::errc{} || stop != end) {
    const bool negative = text.size() > 1 && text.front() == '-';
    return text_error(std::string(name) + " " + quoted(text) +
                      (negative ? " is negative or not a number" : " is not a number"));
  }
  return value;
}

tl::expected<std::int32_t, std::string> stream_of(std::string_view text, bool whole_device) {
  if (whole_device) {
    if (text != "-1") {
      return text_error("a sync of the whole device (id 0) has stream -1, not " + quoted(text));
    }
    return -1;
  }
  if (text == "-1") {
    return text_error("stream -1 is only for a sync of the whole device (id 0)");
  }
  const auto number = number_of(text, "stream");
  if (!number) {
    return text_error(number.error());
  }
  if (*number > static_cast<std::uint64_t>(stream_number_max)) {
    return text_error("stream " + quoted(text) + " is unknown: streams are numbered from 0 to " +
                      std::to_string(stream_number_max));
  }
  return static_cast<std::int32_t>(*number);
}

tl::expected<std::array<std::string_view, field_count>, std::string> split(std::string_view line) {
  const auto fields = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
  if (fields != field_count) {
    return text_error("a line has 5 fields (" + std::string(header) + "), this one has " +
                      std::to_string(fields));
  }
  std::array<std::string_view, field_count> parts;
  for (std::string_view& part : parts) {
    const std::size_t comma = line.find(',');
    part = line.substr(0, comma);
    line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  }
  return parts;
}

tl::expected<trace_row, std::string> parse_row(std::string_view line) {
  const auto fields = split(line);
  if (!fields) {
    return text_error(fields.error());
  }
  const auto op = op_of((*fields)[0]);
  if (!op) {
    return text_error("op " + quoted((*fields)[0]) +
                      " is none of malloc, free, sync, segment_malloc, segment_free");
  }
  const auto id = number_of((*fields)[1], "id");
  if (!id) {
    return text_error(id.error());
  }
  const bool whole_device = *op == trace_op::sync && *id == 0;
  if (*id == 0 && !whole_device) {
    return text_error(std::string("id 0 is only for a sync of the whole device; blocks are numbered from 1"));
  }
  const auto bytes = number_of((*fields)[2], "bytes");
  if (!bytes) {
    return text_error(bytes.error());
  }
  const auto stream = stream_of((*fields)[3], whole_device);
  if (!stream) {
    return text_error(stream.error());
  }
  const auto time_us = number_of((*fields)[4], "time_us");
  if (!time_us) {
    return text_error(time_us.error());
  }
  return trace_row{.line = 0, .id = *id, .bytes = *bytes, .time_us = *time_us, .stream = *stream, .op = *op};
}

/// Cuts what a source gives into lines.
class line_reader {
public:
  explicit line_reader(trace_source& source) : source_(source), buffer_(chunk_bytes, '\0') {
    // nop
  }

  /// The next line without its end, valid until the next call; nothing at the end of the text.
  tl::expected<std::optional<std::string_view>, std::string> next() {
    while (true) {
      const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
      const std::size_t length = rest.find('\n');
      if (length != std::string_view::npos) {
        begin_ += length + 1;
        return without_return(rest.substr(0, length));
      }
      if (rest.size() > line_bytes_max) {
        return text_error("the line is longer than " + std::to_string(line_bytes_max) + " bytes");
      }
      if (at_end_) {
        begin_ = end_;
        return rest.empty() ? std::nullopt : without_return(rest);
      }
      if (const auto refilled = refill(); !refilled) {
        return text_error(refilled.error());
      }
    }
  }

private:
  static constexpr std::size_t chunk_bytes = std::size_t{256} * 1024;

  static std::optional<std::string_view> without_return(std::string_view line) {
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    return line;
  }

  /// Moves the begun line to the front and reads behind it.
  tl::expected<void, std::string> refill() {
    std::copy(buffer_.data() + begin_, buffer_.data() + end_, buffer_.data());
    end_ -= begin_;
    begin_ = 0;
    const auto count = source_.read(buffer_.data() + end_, buffer_.size() - end_);
    if (!count) {
      return text_error(count.error());
    }
    end_ += *count;
    at_end_ = *count == 0;
    return {};
  }

  trace_source& source_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
};

}  // namespace

tl::expected<std::vector<trace_row>, trace_error> read_trace(trace_source& source) {
  line_reader lines(source);
  std::vector<trace_row> rows;
  std::uint64_t time_us = 0;
  for (std::uint64_t number = 1;; ++number) {
    const auto fail = [number](std::string reason) {
      return tl::unexpected(trace_error{.line = number, .reason = std::move(reason)});
    };
    const auto line = lines.next();
    if (!line) {
      return fail(line.error());
    }
    if (!line->has_value()) {
      if (number == 1) {
        return fail("the file is empty; a trace begins with the header " + std::string(header));
      }
      return rows;
    }
    if (number == 1) {
      if (**line != header) {
        return fail("the header is " + quoted(**line) + " and not " + std::string(header));
      }
      continue;
    }
    auto row = parse_row(**line);
    if (!row) {
      return fail(std::move(row.error()));
    }
    if (row->time_us < time_us) {
      return fail("time_us goes back from " + std::to_string(time_us) + " to " +
                  std::to_string(row->time_us));
    }
    time_us = row->time_us;
    row->line = number;
    rows.push_back(*row);
  }
}

}  // namespace soma::tools
