// What the tests of the explorer share: scenarios as text.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/explore.hpp"
#include "sim/parser.hpp"

namespace sim_tests {

namespace sim = soma::sim;

inline sim::scenario scenario(std::string_view text) {
  auto parsed = sim::parse_scenario(text);
  if (!parsed) {
    throw std::invalid_argument("line " + std::to_string(parsed.error().line) + ": " + parsed.error().text);
  }
  return std::move(*parsed);
}

/// The error of a text that is no scenario, as "LINE: text".
inline std::string error_of(std::string_view text) {
  const auto parsed = sim::parse_scenario(text);
  return parsed ? "no error" : std::to_string(parsed.error().line) + ": " + parsed.error().text;
}

inline sim::outcome explore(std::string_view text, sim::strategy how, std::uint64_t runs) {
  sim::options options;
  options.how = how;
  options.runs = runs;
  return sim::explore(scenario(text), options);
}

inline std::string failure_of(const sim::outcome& found) {
  return found.failed ? found.failed->what.checker + ": " + found.failed->what.text : "no failure";
}

}  // namespace sim_tests
