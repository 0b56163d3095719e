// A call of the interface, for traces. On its own, so that the C functions need not know what actors are made
// of; the rest of tracing is in tracing.hpp.
#pragma once

#include <atomic>

#include "messages/trace_id.hpp"

namespace soma::actors {

class wire_hook;

namespace wire {

/// The hook on the wire, or null (wire.hpp).
inline std::atomic<wire_hook*> installed{nullptr};

}  // namespace wire

namespace tracing {

/// While a thread is in a call of the interface: what it sends was caused by that. A call made inside of
/// another one is part of it.
class calling {
public:
  /// The name stays for ever.
  explicit calling([[maybe_unused]] const char* name) noexcept {
#ifndef SOMA_WITHOUT_TRACING
    if (wire::installed.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
      begin(name);
    }
#endif
  }
  ~calling() {
    if (call_ != messages::trace_id::none) [[unlikely]] {
      end();
    }
  }
  calling(const calling&) = delete;
  calling& operator=(const calling&) = delete;

private:
  void begin(const char* name) noexcept;
  void end() noexcept;

  messages::trace_id call_ = messages::trace_id::none;
  messages::trace_id outer_cause_ = messages::trace_id::none;
};

}  // namespace tracing
}  // namespace soma::actors
