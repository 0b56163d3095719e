// Text and numbers as they stand in a page of HTML.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace soma::tools {

/// The text as it can stand between tags and in quoted attributes, whatever bytes it has: markup is escaped,
/// and what is no UTF-8 or a control character becomes U+FFFD.
[[nodiscard]] std::string escape_html(std::string_view text);

/// JSON as it can stand in a script element: nothing in it ends the element.
[[nodiscard]] std::string escape_json_in_html(std::string json);

/// A coordinate: at most one decimal, and none where it would be zero.
[[nodiscard]] std::string print_coordinate(double value);

/// part / whole in percent with one decimal, for example "12.5 %"; "0 %" if there is no whole.
[[nodiscard]] std::string print_share(std::uint64_t part, std::uint64_t whole);

/// `<tag>content</tag>`; the content is HTML, and the tag may have attributes.
[[nodiscard]] std::string element(std::string_view tag, std::string_view content);

}  // namespace soma::tools
