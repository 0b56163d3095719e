// The wire: the one point that every message to one of soma's actors passes, answers and exits included, and
// by which answers reach threads.
//
// A hook on it can watch messages, hold them back, or lose them; it serves tracing, exploring and fault
// injection. Without a hook it costs one load and one branch.
#pragma once

#include <atomic>

#include "messages/caf.hpp"

namespace soma::actors {

class slot_base;

class wire_hook {
public:
  virtual ~wire_hook() = default;

  /// A message is about to enter the mailbox of `to`. Called on the sender's thread, on many at once.
  /// Returns false if the hook has taken the element, to drop it or to enqueue it again later; it then passes
  /// here once more.
  virtual bool pass(caf::abstract_actor& to, caf::mailbox_element_ptr& element) = 0;

  /// A thread that waits outside of the actors has got its answer: this slot was filled just now, by the
  /// thread that calls.
  virtual void answered(const slot_base& /*slot*/) {}

  /// Whether actors that have threads of their own are to run like all others.
  virtual bool attaches_threads() { return false; }
};

namespace wire {

inline std::atomic<wire_hook*> installed{nullptr};

/// Installs a hook, or none with null. The caller keeps the hook alive, and knows that no actor is running.
inline void install(wire_hook* hook) noexcept { installed.store(hook, std::memory_order_release); }

/// The hook, or null.
inline wire_hook* hook() noexcept { return installed.load(std::memory_order_acquire); }

}  // namespace wire

}  // namespace soma::actors
