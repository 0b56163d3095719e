// Runs the scenario that the first argument names.

#include "programs/scenario.hpp"

int main(int count, char** arguments) {
  const auto found = count == 2 ? scenarios::all().find(arguments[1]) : scenarios::all().end();
  if (found == scenarios::all().end()) {
    std::fprintf(stderr, "usage: %s SCENARIO, one of:\n", arguments[0]);
    for (const auto& [name, run] : scenarios::all()) {
      std::fprintf(stderr, "  %s\n", name.c_str());
    }
    return scenarios::wrong;
  }
  return found->second();
}
