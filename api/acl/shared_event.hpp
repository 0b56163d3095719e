// Events that other processes see. Beside the event itself, which orders this process's streams, a shared
// word tells the number of the latest record that was reached, and a counter that of the latest that was
// submitted.
#pragma once

#include <cstdint>

#include "api/acl/event_calls.hpp"
#include "api/acl/objects.hpp"

namespace soma::acl {

/// Queues telling the other processes of the record that was just submitted to the stream.
void record_shared(event& recorded, stream& on);

/// Queues a wait for the latest record, if another process made it.
void wait_shared(event& awaited, stream& waiting);

/// Whether the latest record of any process has been reached.
bool is_reached_shared(const event& asked);

/// Waits until that is so; refuses with 507047 after `timeout` milliseconds (-1: never).
void synchronize_shared(const event& awaited, std::int32_t timeout);

}  // namespace soma::acl
