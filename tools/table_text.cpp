#include "tools/table_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "tools/byte_size.hpp"

namespace soma::tools {

namespace {

constexpr std::size_t label_width = 23;
constexpr std::size_t value_width = 15;

}  // namespace

std::string print_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t place = text.size(); place > 3; place -= 3) {
    text.insert(place - 3, 1, ',');
  }
  return text;
}

std::string print_counted(std::uint64_t count, const std::string& name) {
  return print_count(count) + " " + name + (count == 1 ? "" : "s");
}

std::string print_fixed(double value, int decimals) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return {text.data(), std::min(static_cast<std::size_t>(length), text.size() - 1)};
}

std::string print_line(const std::string& label, const std::string& value, const std::string& note) {
  std::string line = "  " + label;
  line.resize(std::max(line.size(), label_width + 2), ' ');
  line.append(value.size() < value_width ? value_width - value.size() : 1, ' ');
  line += value;
  return note.empty() ? line + "\n" : line + "   " + note + "\n";
}

std::string print_reuse(const reuse_switches& switches) {
  if (switches.event && switches.opportunistic && switches.internal) {
    return "all";
  }
  std::string names;
  for (const auto& [name, on] :
       {std::pair("event", switches.event), std::pair("opportunistic", switches.opportunistic),
        std::pair("internal", switches.internal)}) {
    if (on) {
      names += (names.empty() ? "" : "+") + std::string(name);
    }
  }
  return names.empty() ? "none" : names;
}

std::string print_limit(std::uint64_t bytes) {
  return bytes == unlimited_bytes ? "unlimited" : print_byte_size(bytes);
}

std::string print_served(const served_counts& served) {
  const std::array<std::pair<const char*, std::uint64_t>, 5> kinds = {
      {{"same stream", served.same_stream},
       {"event", served.event},
       {"opportunistic", served.opportunistic},
       {"internal", served.internal},
       {"new memory", served.new_memory}}};
  std::uint64_t all = 0;
  for (const auto& kind : kinds) {
    all += kind.second;
  }
  std::string lines;
  for (const auto& [name, count] : kinds) {
    const std::string label = std::string(lines.empty() ? "reuse   " : "        ") + name;
    const double percent = all == 0 ? 0 : 100 * static_cast<double>(count) / static_cast<double>(all);
    lines += print_line(label, print_count(count), count == 0 ? "" : print_fixed(percent, 1) + " %");
  }
  return lines;
}

}  // namespace soma::tools
