// Small programs in one: each scenario is a function that ends the process in its own way, and is run by
// tests/process in a process of its own. What a scenario finds wrong it writes to the standard error, and it
// ends with the code `wrong`.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace scenarios {

using scenario = int (*)();

inline constexpr int wrong = 99;

inline std::map<std::string, scenario>& all() {
  static auto& only = *new std::map<std::string, scenario>;
  return only;
}

/// Enters a scenario under its name.
struct entry {
  entry(const char* name, scenario run) { all().emplace(name, run); }
};

/// Ends the process at once if the condition does not hold.
inline void check(bool holds, const std::string& what) {
  if (!holds) {
    std::fprintf(stderr, "wrong: %s\n", what.c_str());
    std::_Exit(wrong);
  }
}

}  // namespace scenarios

#define SCENARIO(name)                                     \
  static int name();                                       \
  static const scenarios::entry name##_entry(#name, name); \
  static int name()
