// The kinds of recordings that can be imported.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "tools/import_events.hpp"

namespace soma::tools {

struct import_format {
  const char* name;  ///< as --from has it
  import_result (*read)(std::string_view bytes, const import_options& options);
};

[[nodiscard]] const std::vector<import_format>& import_formats();

/// The format of this name, null if there is none.
[[nodiscard]] const import_format* find_format(std::string_view name);

/// Tells by its first bytes what the content is. The error says what it looks like, or which formats there
/// are.
[[nodiscard]] tl::expected<const import_format*, std::string> recognise_format(std::string_view bytes);

}  // namespace soma::tools
