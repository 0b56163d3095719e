// What a checker found.
#pragma once

#include <string>

namespace soma::sim {

struct failure {
  std::string checker;  // its name: overlap, hand_over, contents, ...
  std::string text;
};

}  // namespace soma::sim
