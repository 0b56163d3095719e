#include "tools/report_chart.hpp"

#include <algorithm>

#include "tools/byte_size.hpp"
#include "tools/html_text.hpp"
#include "tools/report_series.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

// What a wide screen can show; each column costs at most four points of a line.
constexpr std::size_t columns = 600;

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string print_legend(const std::vector<legend_entry>& legend) {
  std::string entries;
  for (const legend_entry& entry : legend) {
    entries += "<li><i class=\"" + entry.css_class + "\"></i>" + escape_html(entry.name) + "</li>";
  }
  return entries.empty() ? "" : element("ul class=\"legend\"", entries);
}

std::string print_axis_values(const chart_frame& frame) {
  std::string labels;
  const auto marks = frame.unit == chart_unit::bytes ? byte_marks(frame.top) : count_marks(frame.top);
  for (const std::uint64_t value : marks) {
    const std::string place = print_coordinate(100 * share_of(value, frame.top));
    const std::string text =
        frame.unit == chart_unit::bytes ? print_byte_size(value) : std::to_string(value) + " %";
    labels += element("span style=\"bottom:" + place + "%\"", value == 0 ? "0" : text);
  }
  return element("div class=\"values\" aria-hidden=\"true\"", labels);
}

std::string print_axis_moments(const chart_frame& frame) {
  std::string labels;
  for (const std::uint64_t moment : count_marks(frame.moments)) {
    const std::string place = print_coordinate(100 * share_of(moment, frame.moments));
    labels += element("span style=\"left:" + place + "%\"", print_count(moment));
  }
  return element("div class=\"moments\" aria-hidden=\"true\"", labels);
}

std::string print_grid(const chart_frame& frame) {
  std::string path;
  const auto marks = frame.unit == chart_unit::bytes ? byte_marks(frame.top) : count_marks(frame.top);
  for (const std::uint64_t value : marks) {
    const std::string height = print_coordinate(chart_height * (1 - share_of(value, frame.top)));
    path += "M0 " + height + "H" + print_coordinate(chart_width);
  }
  return "<path class=\"grid\" d=\"" + path + "\"/>";
}

/// The line as steps: a value holds from its moment to the next.
std::string print_path(const chart_frame& frame, const chart_line& line) {
  const auto across = [&](std::uint64_t moment) {
    return print_coordinate(chart_width * share_of(moment, frame.moments));
  };
  const auto down = [&](std::uint64_t value) {
    return print_coordinate(chart_height * (1 - share_of(value, frame.top)));
  };
  std::string path;
  std::string height = down(0);
  for (const series_point& point : thin_out(line.values, columns)) {
    const std::string next = down(point.value);
    if (path.empty()) {
      path = line.filled ? "M0 " + height + "V" + next : "M0 " + next;
    } else if (next != height) {
      path += "H" + across(point.moment) + "V" + next;
    }
    height = next;
  }
  path += "H" + print_coordinate(chart_width);
  if (line.filled) {
    path += "V" + down(0) + "Z";
  }
  return "<path class=\"" + line.css_class + (line.filled ? " area" : " line") + "\" d=\"" + path + "\"/>";
}

}  // namespace

std::string print_frame(const chart_frame& frame, const std::string& drawing) {
  const std::string box = "0 0 " + print_coordinate(chart_width) + " " + print_coordinate(chart_height);
  const std::string svg = element("svg viewBox=\"" + box + "\" preserveAspectRatio=\"none\" role=\"img\"",
                                  element("title", escape_html(frame.title)) + print_grid(frame) + drawing);
  return element("figure id=\"" + frame.id + "\"",
                 print_legend(frame.legend) +
                     element("div class=\"plot\"", print_axis_values(frame) +
                                                       element("div class=\"drawing\"", svg) +
                                                       print_axis_moments(frame))) +
         "\n";
}

std::string print_lines(const chart_frame& frame, const std::vector<chart_line>& lines) {
  std::string drawing;
  chart_frame complete = frame;
  for (const chart_line& line : lines) {
    if (!line.values.empty()) {
      drawing += print_path(frame, line);
    }
    complete.legend.push_back({.name = line.name, .css_class = line.css_class});
  }
  return print_frame(complete, drawing);
}

}  // namespace soma::tools
