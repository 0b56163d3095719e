// What a stress run says of itself when it hangs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/stress_thread.hpp"

namespace soma::tools {

/// One line for each thread: what it is doing, on which stream and for which pool, and its number of
/// operations.
[[nodiscard]] std::string describe_threads(const std::vector<const stress_activity*>& threads);

/// One line for each pool. Waits for the pools' answers, at most some seconds: what hangs may be the pools.
[[nodiscard]] std::string describe_pools(stress_world& world);

}  // namespace soma::tools
