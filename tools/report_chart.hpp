// Pictures of the report: an inline SVG that stretches with the page, and around it an axis and a legend of
// HTML, so that their letters keep their size on every screen.
//
// Time runs from the left in moments (replay_history); the picture is 1000 units wide and `chart_height`
// high.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace soma::tools {

inline constexpr double chart_width = 1000;
inline constexpr double chart_height = 400;

/// How the values of an axis are written.
enum class chart_unit : std::uint8_t { bytes, percent };

struct chart_line {
  std::string name;                   ///< for the legend
  std::string css_class;              ///< gives it its colour
  std::vector<std::uint64_t> values;  ///< one for each moment
  bool filled = false;                ///< the area below is filled
};

struct legend_entry {
  std::string name;
  std::string css_class;
};

struct chart_frame {
  std::string id;
  std::string title;  ///< what the picture shows, for those who cannot see it
  std::vector<legend_entry> legend;
  std::uint64_t top = 0;  ///< the value at the upper edge
  std::uint64_t moments = 0;
  chart_unit unit = chart_unit::bytes;
};

/// The frame around a picture: `drawing` is the inside of the SVG.
[[nodiscard]] std::string print_frame(const chart_frame& frame, const std::string& drawing);

/// The lines over the moments, drawn one over the other. The values of a line are no higher than the frame's
/// top.
[[nodiscard]] std::string print_lines(const chart_frame& frame, const std::vector<chart_line>& lines);

}  // namespace soma::tools
