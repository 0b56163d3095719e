// The picture of a pool's addresses over time: each block a rectangle from its malloc to its free.
#pragma once

#include <string>

#include "tools/replay_history.hpp"

namespace soma::tools {

/// How a kind of service is called in the report.
[[nodiscard]] std::string name_of(served_kind kind);

/// The class that gives a kind its colour.
[[nodiscard]] std::string css_class_of(served_kind kind);

/// The picture, with the `id`. Where there are more blocks than can be told apart, the largest (bytes times
/// life) are drawn one by one, and of the others it is shown which cells of a raster they touch.
[[nodiscard]] std::string print_address_map(const replay_history& history, const std::string& id);

}  // namespace soma::tools
