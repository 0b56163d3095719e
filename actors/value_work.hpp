// Storing words and waiting for them: what streams and processes signal each other by without an event.
#pragma once

#include <optional>

#include "messages/engine.hpp"

namespace soma::actors {

void store(const messages::write_value& write) noexcept;

/// Blocks the engine until the word passes, the limit is over, or the task is wished to end.
std::optional<messages::fault> wait_for(const messages::await_value& wait);

}  // namespace soma::actors
