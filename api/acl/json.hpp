// A reader for JSON texts (RFC 8259), as strict as the standard: no comments, no trailing commas, nothing
// behind the value. It serves the small configuration file of aclInit; it owns all it returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace soma::acl {

enum class json_kind : std::uint8_t { null, boolean, number, string, array, object };

struct json_value {
  json_kind kind = json_kind::null;
  /// A string's characters (UTF-8); a number or boolean as it was written.
  std::string text;
  /// An array's items, or the values of an object's members, whose names are in `names`.
  std::vector<json_value> items;
  std::vector<std::string> names;

  /// The member of this name, the last one if it was given twice; null if this is no object or has none.
  [[nodiscard]] const json_value* find(std::string_view name) const noexcept;
};

/// Arrays and objects may be nested this deep.
inline constexpr std::size_t json_depth_limit = 64;

/// The value, or what is wrong and where.
tl::expected<json_value, std::string> parse_json(std::string_view text);

}  // namespace soma::acl
