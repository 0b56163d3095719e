#include "tools/report_map.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include "tools/html_text.hpp"
#include "tools/report_chart.hpp"

namespace soma::tools {

namespace {

// A rectangle costs about 30 bytes of the page.
constexpr std::size_t rectangles_max = 6000;
constexpr std::size_t raster_columns = 400;
constexpr std::size_t raster_rows = 160;

/// A part of the picture, in its units.
struct box {
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;
};

class map_writer {
public:
  explicit map_writer(const replay_history& history) : history_(history), moments_(history.moments.size()) {
    for (const placed_block& block : history.blocks) {
      top_ = std::max(top_, block.offset + block.bytes);
    }
  }

  [[nodiscard]] std::uint64_t top() const noexcept { return top_; }

  [[nodiscard]] std::string print() {
    std::vector<std::size_t> order(history_.blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t drawn = std::min(order.size(), rectangles_max);
    if (drawn < order.size()) {
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(drawn), order.end(),
                       [this](std::size_t left, std::size_t right) {
                         const double left_area = area_of(history_.blocks[left]);
                         const double right_area = area_of(history_.blocks[right]);
                         return left_area != right_area ? left_area > right_area : left < right;
                       });
    }
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(drawn));
    for (std::size_t place = 0; place < order.size(); ++place) {
      const placed_block& block = history_.blocks[order[place]];
      if (place < drawn) {
        add_rectangle(block);
      } else {
        fill_cells(block);
      }
    }
    return print_cells() + print_rectangles();
  }

private:
  static constexpr std::size_t cells = raster_columns * raster_rows;

  [[nodiscard]] std::size_t end_of(const placed_block& block) const {
    return block.last == no_index ? moments_ : block.last;
  }

  [[nodiscard]] double area_of(const placed_block& block) const {
    return static_cast<double>(block.bytes) * static_cast<double>(end_of(block) - block.first);
  }

  [[nodiscard]] box box_of(const placed_block& block) const {
    const auto across = static_cast<double>(moments_);
    const auto high = static_cast<double>(top_);
    return {.left = chart_width * static_cast<double>(block.first) / across,
            .right = chart_width * static_cast<double>(end_of(block)) / across,
            .top = chart_height * (1 - static_cast<double>(block.offset + block.bytes) / high),
            .bottom = chart_height * (1 - static_cast<double>(block.offset) / high)};
  }

  /// No rectangle is so small that it disappears.
  void add_rectangle(const placed_block& block) {
    constexpr double smallest = 0.4;
    const box place = box_of(block);
    const std::string width = print_coordinate(std::max(smallest, place.right - place.left));
    paths_[static_cast<std::size_t>(block.served)] +=
        "M" + print_coordinate(place.left) + " " + print_coordinate(place.top) + "h" + width + "v" +
        print_coordinate(std::max(smallest, place.bottom - place.top)) + "h-" + width + "z";
  }

  void fill_cells(const placed_block& block) {
    const box place = box_of(block);
    const auto cell = [](double from, double whole, std::size_t count) {
      return std::min(count - 1, static_cast<std::size_t>(from / whole * static_cast<double>(count)));
    };
    const std::size_t last_row = cell(place.bottom, chart_height, raster_rows);
    const std::size_t last_column = cell(place.right, chart_width, raster_columns);
    std::bitset<cells>& raster = rasters_[static_cast<std::size_t>(block.served)];
    for (std::size_t row = cell(place.top, chart_height, raster_rows); row <= last_row; ++row) {
      for (std::size_t column = cell(place.left, chart_width, raster_columns); column <= last_column;
           ++column) {
        raster.set(row * raster_columns + column);
      }
    }
  }

  [[nodiscard]] std::string print_rectangles() const { return print_paths(paths_, ""); }

  /// Cells side by side in a row are one rectangle.
  [[nodiscard]] std::string print_cells() const {
    constexpr double width = chart_width / raster_columns;
    constexpr double height = chart_height / raster_rows;
    std::array<std::string, served_kinds> paths;
    for (std::size_t kind = 0; kind < served_kinds; ++kind) {
      const std::bitset<cells>& raster = rasters_[kind];
      for (std::size_t cell = 0; cell < cells && raster.any(); ++cell) {
        if (!raster.test(cell)) {
          continue;
        }
        const std::size_t row_end = (cell / raster_columns + 1) * raster_columns;
        const std::size_t begin = cell;
        while (cell + 1 < row_end && raster.test(cell + 1)) {
          ++cell;
        }
        const std::string across = print_coordinate(width * static_cast<double>(cell + 1 - begin));
        paths[kind] += "M" + print_coordinate(width * static_cast<double>(begin % raster_columns)) + " " +
                       print_coordinate(height * static_cast<double>(begin / raster_columns)) + "h" + across +
                       "v" + print_coordinate(height) + "h-" + across + "z";
      }
    }
    return print_paths(paths, " small");
  }

  static std::string print_paths(const std::array<std::string, served_kinds>& paths,
                                 const std::string& extra_class) {
    std::string text;
    for (std::size_t kind = 0; kind < served_kinds; ++kind) {
      if (!paths[kind].empty()) {
        text += "<path class=\"" + css_class_of(static_cast<served_kind>(kind)) + " block" + extra_class +
                "\" d=\"" + paths[kind] + "\"/>";
      }
    }
    return text;
  }

  const replay_history& history_;
  std::size_t moments_;
  std::uint64_t top_ = 0;
  std::array<std::string, served_kinds> paths_;
  std::array<std::bitset<cells>, served_kinds> rasters_;
};

}  // namespace

std::string name_of(served_kind kind) {
  switch (kind) {
  case served_kind::same_stream:
    return "same stream";
  case served_kind::event:
    return "event";
  case served_kind::opportunistic:
    return "opportunistic";
  case served_kind::internal:
    return "internal";
  case served_kind::new_memory:
    break;
  }
  return "new memory";
}

std::string css_class_of(served_kind kind) { return "k" + std::to_string(static_cast<unsigned>(kind)); }

std::string print_address_map(const replay_history& history, const std::string& id) {
  const auto writer = std::make_unique<map_writer>(history);
  chart_frame frame{.id = id,
                    .title = "Addresses of live blocks over time, by how each was served",
                    .legend = {},
                    .top = std::max<std::uint64_t>(writer->top(), 1),
                    .moments = history.moments.size(),
                    .unit = chart_unit::bytes};
  std::array<bool, served_kinds> present{};
  for (const placed_block& block : history.blocks) {
    present[static_cast<std::size_t>(block.served)] = true;
  }
  for (std::size_t kind = 0; kind < served_kinds; ++kind) {
    if (present[kind]) {
      const auto served = static_cast<served_kind>(kind);
      frame.legend.push_back({.name = name_of(served), .css_class = css_class_of(served)});
    }
  }
  return print_frame(frame, writer->print());
}

}  // namespace soma::tools
