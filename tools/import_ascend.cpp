#include "tools/import_ascend.hpp"

#include <algorithm>

namespace soma::tools {

tl::expected<std::string, import_error> device_counter::choose(const import_options& options) const {
  if (rows_.empty()) {
    return tl::unexpected(
        import_error{.line = 0, .reason = "the table has no row with memory of a device in it"});
  }
  if (options.device < 0) {
    return std::max_element(rows_.begin(), rows_.end(),
                            [](const auto& left, const auto& right) { return left.second < right.second; })
        ->first;
  }
  const std::string suffix = ":" + std::to_string(options.device);
  std::string there;
  for (const auto& entry : rows_) {
    const std::string& name = entry.first;
    if (name.size() >= suffix.size() &&
        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0) {
      return name;
    }
    there += (there.empty() ? "" : ", ") + name;
  }
  return tl::unexpected(import_error{
      .line = 0, .reason = "there is no device " + std::to_string(options.device) + ": there are " + there});
}

std::string device_counter::note(const std::string& chosen) const {
  std::string others;
  for (const auto& [name, rows] : rows_) {
    if (name != chosen) {
      others += (others.empty() ? "" : ", ") + counted(rows, "row", "rows") + " of " +
                (name.empty() ? "no device" : name);
    }
  }
  return others.empty() ? "" : "dropped: " + others + " (--device to choose)";
}

}  // namespace soma::tools
