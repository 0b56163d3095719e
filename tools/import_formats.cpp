#include "tools/import_formats.hpp"

#include <algorithm>

namespace soma::tools {

namespace {

bool begins_with(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// A pickle of protocol 2 or later tells so; an older one begins with a dict or list.
bool looks_like_pickle(std::string_view bytes) {
  return begins_with(bytes, "\x80") || begins_with(bytes, "(d") || begins_with(bytes, "(l") ||
         begins_with(bytes, "}q") || begins_with(bytes, "]q");
}

std::string names_of_formats() {
  std::string names;
  for (const import_format& each : import_formats()) {
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  return names;
}

}  // namespace

const std::vector<import_format>& import_formats() {
  static const std::vector<import_format> formats = {
      {"pytorch-snapshot", read_pytorch_snapshot},
      {"pytorch-trace", read_pytorch_trace},
      {"ascend-operators", read_ascend_operators},
      {"ascend-records", read_ascend_records},
      {"rmm", read_rmm_log},
  };
  return formats;
}

const import_format* find_format(std::string_view name) {
  const auto& formats = import_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [name](const import_format& each) { return name == each.name; });
  return found == formats.end() ? nullptr : &*found;
}

tl::expected<const import_format*, std::string> recognise_format(std::string_view bytes) {
  if (bytes.empty()) {
    return tl::unexpected(std::string("the file is empty"));
  }
  if (begins_with(bytes, "PK\x03\x04")) {
    return tl::unexpected(std::string("this is a zip archive: unpack it, and import the file in it"));
  }
  if (looks_like_pickle(bytes)) {
    return find_format("pytorch-snapshot");
  }
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  const std::string_view text = begin == std::string_view::npos ? std::string_view() : bytes.substr(begin);
  if (begins_with(text, "{") || begins_with(text, "[")) {
    return find_format("pytorch-trace");
  }
  const std::string_view header = text.substr(0, text.find('\n'));
  if (begins_with(header, "op,id,bytes,stream,time_us")) {
    return tl::unexpected(std::string("this is a trace already: soma replay takes it as it is"));
  }
  if (has(header, "Allocation Time(us)")) {
    return find_format("ascend-operators");
  }
  if (has(header, "Component") && has(header, "Timestamp(us)")) {
    return find_format("ascend-records");
  }
  if (has(header, "Action") && has(header, "Pointer")) {
    return find_format("rmm");
  }
  return tl::unexpected("it cannot be told what this is; if it is one of " + names_of_formats() +
                        ", say so with --from");
}

}  // namespace soma::tools
