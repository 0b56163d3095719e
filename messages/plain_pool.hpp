// What the PLAIN POOL takes, all from its device: small allocations of plain memory.
#pragma once

#include <cstdint>

#include "memory/identifiers.hpp"
#include "memory/plain_pool.hpp"
#include "messages/actors.hpp"
#include "messages/device.hpp"

namespace soma::messages {

/// The figures of a moment, for programs and tests.
struct read_plain_pool {
  answer<memory::plain_pool_figures> reply;
};

/// The device ends.
struct stop_plain_pool {};

}  // namespace soma::messages
