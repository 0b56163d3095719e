// The sections of the report that are about what was live: sizes, and the moments of highest pressure.
#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "tools/byte_size.hpp"
#include "tools/html_text.hpp"
#include "tools/report_pressure.hpp"
#include "tools/report_sections.hpp"
#include "tools/table_text.hpp"

namespace soma::tools {

namespace {

/// Blocks of sizes from one power of two to the next.
struct size_class {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t live = 0;  ///< bytes, while going through the moments
  std::uint64_t live_high = 0;
};

unsigned class_of(std::uint64_t bytes) { return static_cast<unsigned>(std::bit_width(bytes)) - 1; }

std::map<unsigned, size_class> classes_of(const replay_history& history) {
  std::map<unsigned, size_class> classes;
  std::vector<const placed_block*> freed(history.moments.size(), nullptr);
  for (const placed_block& block : history.blocks) {
    if (block.last != no_index) {
      freed[block.last] = &block;
    }
  }
  std::size_t moment = 0;
  const auto go_on_to = [&](std::size_t end) {
    for (; moment < end; ++moment) {
      if (freed[moment] != nullptr) {
        classes[class_of(freed[moment]->requested)].live -= freed[moment]->requested;
      }
    }
  };
  for (const placed_block& block : history.blocks) {
    go_on_to(block.first);
    size_class& entry = classes[class_of(block.requested)];
    ++entry.count;
    entry.bytes += block.requested;
    entry.live += block.requested;
    entry.live_high = std::max(entry.live_high, entry.live);
  }
  return classes;
}

std::string print_bar(std::uint64_t part, std::uint64_t whole) {
  const double percent = whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return "<span class=\"bar\" style=\"width:" + print_coordinate(std::max(0.3, percent)) + "%\"></span>";
}

std::string print_group(const live_group& group, std::uint64_t used) {
  return element("tr", element("td", print_count(group.count) + " × " + print_byte_size(group.requested)) +
                           element("td", print_byte_size(group.total)) +
                           element("td", print_share(group.total, used)) +
                           element("td", "stream " + std::to_string(group.stream)) +
                           element("td", "line " + print_count(group.first_line)));
}

std::string print_pressure(const replay_history& history, const pressure_moment& at, std::size_t rank) {
  const replay_moment& moment = history.moments[at.moment];
  std::string rows;
  for (const live_group& group : at.largest) {
    rows += print_group(group, moment.used) + "\n";
  }
  if (at.other_blocks != 0) {
    rows +=
        element("tr", element("td", print_count(at.other_blocks) + " others") +
                          element("td", print_byte_size(at.other_bytes)) +
                          element("td", print_share(at.other_bytes, moment.used)) + "<td></td><td></td>") +
        "\n";
  }
  const std::string heading = std::to_string(rank) + ". " + print_byte_size(moment.used) + " used, " +
                              print_byte_size(moment.reserved) + " reserved";
  const std::string place = "Event " + print_count(at.moment + 1) + ", line " + print_count(moment.line) +
                            " of the trace, time " + print_count(moment.time_us) + ": " +
                            print_count(moment.live_blocks) + " live blocks.";
  const std::string head =
      "<thead><tr><th scope=\"col\">Live</th><th scope=\"col\">Used</th><th scope=\"col\">Share</th>"
      "<th scope=\"col\">Allocated on</th><th scope=\"col\">Oldest in</th></tr></thead>\n";
  return element("li", element("h3", heading) + element("p", place) + "\n" +
                           element("table", head + element("tbody", rows))) +
         "\n";
}

}  // namespace

std::string print_size_section(const reported_replay& replay) {
  const auto classes = classes_of(replay.history);
  std::uint64_t count_max = 0;
  std::uint64_t live_max = 0;
  for (const auto& entry : classes) {
    count_max = std::max(count_max, entry.second.count);
    live_max = std::max(live_max, entry.second.live_high);
  }
  std::string rows;
  for (const auto& [power, entry] : classes) {
    const std::uint64_t from = std::uint64_t{1} << power;
    rows += element("tr", element("th scope=\"row\"", "from " + print_byte_size(from)) +
                              element("td", print_count(entry.count) + print_bar(entry.count, count_max)) +
                              element("td", print_byte_size(entry.live_high) +
                                                print_bar(entry.live_high, live_max))) +
            "\n";
  }
  const std::string head =
      "<thead><tr><th scope=\"col\">Size asked for</th><th scope=\"col\">Allocations</th>"
      "<th scope=\"col\">Most live at once</th></tr></thead>\n";
  return element("section id=\"" + replay.prefix + "sizes\"",
                 element("h2", "Sizes") + "\n" +
                     element("p", "Each row is the sizes from its own up to the next power of two.") + "\n" +
                     element("table class=\"sizes\"", head + element("tbody", rows))) +
         "\n";
}

std::string print_pressure_section(const reported_replay& replay) {
  const auto moments = find_pressure(replay.history);
  std::string items;
  for (std::size_t rank = 0; rank < moments.size(); ++rank) {
    items += print_pressure(replay.history, moments[rank], rank + 1);
  }
  return element(
             "section id=\"" + replay.prefix + "pressure\"",
             element("h2", "The moments of highest pressure") + "\n" +
                 element(
                     "p",
                     "When the most was used, and what was live then: blocks of the same size and stream "
                     "together, the largest groups first. To need less memory, these are the blocks to free "
                     "earlier or to make smaller. Neighbours of a moment are left out.") +
                 "\n" + element("ol class=\"pressure\"", items)) +
         "\n";
}

}  // namespace soma::tools
