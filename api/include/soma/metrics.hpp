// All counters of a runtime at a moment, as Prometheus and other programs read them.
//
// runtime::metrics() takes them. The environment variable SOMA_METRICS=FILE has them written to a file when a
// runtime ends, for C programs with the last aclFinalize or at exit: as JSON if the name ends with .json,
// else as Prometheus' text format 0.0.4. %p in FILE stands for the process's number. Then the figures of
// pools that have been destroyed are kept, too.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "soma/export.hpp"

namespace soma {

/// One value. Its name says the unit: _bytes, or none for counts; counters, which only rise, end with _total.
struct metric {
  std::string name;
  std::string help;
  bool is_counter = false;
  std::vector<std::pair<std::string, std::string>> labels;
  std::uint64_t value = 0;
};

/// Values of one name stand one behind the other.
struct metrics {
  std::vector<metric> all;

  /// Prometheus' text exposition format.
  [[nodiscard]] SOMA_API std::string to_prometheus() const;

  /// {"metrics": [{"name": ..., "type": "gauge" or "counter", "help": ..., "labels": {...}, "value": ...},
  /// ...]}
  [[nodiscard]] SOMA_API std::string to_json() const;
};

}  // namespace soma
