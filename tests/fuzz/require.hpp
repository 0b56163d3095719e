// Ends the process, with a text, if something does not hold that has to hold whatever the calls are.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace fuzz {

inline void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "wrong: %s\n", what);
    std::abort();
  }
}

}  // namespace fuzz
