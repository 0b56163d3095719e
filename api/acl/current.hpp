// Which context a call works in, and what its stream argument stands for.
//
// A thread's current context is the one it set or made last, or the primary context of the device it set
// last; else, if the configuration names a default device, that device's primary context; else none. The
// thread only knows a handle, so it notices when another thread has destroyed the context.
#pragma once

#include <cstdint>
#include <optional>

#include "api/acl/objects.hpp"

namespace soma::acl {

/// The current context's handle; null if there is none.
void* current_context_handle();

/// The current context. Refuses with 107002 if there is none.
context_table::pinned current_context();

/// Makes a context that is no primary one current; null unbinds the thread.
void bind_thread(void* context) noexcept;

/// Makes a context the thread's current one while this exists. Host functions run in their stream's context.
class context_scope {
public:
  explicit context_scope(void* context) noexcept;
  context_scope(const context_scope&) = delete;
  context_scope& operator=(const context_scope&) = delete;
  ~context_scope();
};

/// The device whose primary context is current for threads that have chosen nothing.
void set_default_device(std::optional<std::uint32_t> device) noexcept;

/// The stream that a stream argument stands for: null is the current context's default stream. In the order
/// of the checks: 107017 if it is not alive, 107002 without a current context, 107003 if it is another's.
stream_table::pinned stream_argument(void* stream);

/// As stream_argument, but a stream of another context is good, too.
stream_table::pinned stream_of_any_context(void* stream);

/// As stream_argument, but null is not accepted and a missing context counts as another context (107003).
stream_table::pinned pool_stream_argument(void* stream);

/// Whether numbers that are too large become the largest on this device, as it is noted.
bool saturates(const soma::device& device);

/// The event of this handle; 107017 if it is not alive.
event_table::pinned event_argument(void* event);

// -- contexts and the count of aclrtSetDevice ---

/// Makes a context with its default stream and gives its handle.
void* make_context(std::uint32_t device, bool primary);

/// Destroys a context; its streams and events are gone with it, and work that is queued completes. False if
/// it was gone already.
bool end_context(void* context);

/// Whether a context's streams stop on a failure. Those that are only for the device (DEVICE_USE_ONLY) never
/// do.
bool is_in_stop_mode(context& of);

/// Adds one to the device's count, and binds the thread to its primary context.
void set_device(std::uint32_t device);

/// Whether the device's primary context exists.
bool has_primary(std::uint32_t device);

/// Takes one off the device's count, or all; at 0 gives the primary context, which is no longer to be found,
/// else null. Refuses with 507007 if the count is 0 and `all` is false.
void* release_device(std::uint32_t device, bool all);

}  // namespace soma::acl
