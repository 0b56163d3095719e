// The wire: the one point that every message to one of soma's actors passes, answers and exits included, and
// by which answers reach threads.
//
// A hook on it can watch messages, hold them back, or lose them; it serves exploring and fault injection. One
// hook only lets the recorder of traces work (tracing.hpp). Without a hook it costs one load and one branch.
#pragma once

#include <atomic>

#include "actors/calling.hpp"
#include "messages/caf.hpp"

namespace soma::actors {

class slot_base;

class wire_hook {
public:
  virtual ~wire_hook() = default;

  /// Whether this is the hook that has messages recorded. It watches nothing itself: turns go on as ever.
  [[nodiscard]] bool records() const noexcept { return records_; }

  /// A message is about to enter the mailbox of `to`. Called on the sender's thread, on many at once.
  /// Returns false if the hook has taken the element, to drop it or to enqueue it again later; it then passes
  /// here once more.
  virtual bool pass(caf::abstract_actor& to, caf::mailbox_element_ptr& element) = 0;

  /// A thread that waits outside of the actors has got its answer: this slot was filled just now, by the
  /// thread that calls.
  virtual void answered(const slot_base& /*slot*/) {}

  /// Whether actors that have threads of their own are to run like all others.
  virtual bool attaches_threads() { return false; }

protected:
  explicit wire_hook(bool records = false) noexcept : records_(records) {}

private:
  bool records_;
};

namespace wire {

/// Installs a hook, or none with null. The caller keeps the hook alive, and knows that no actor is running.
inline void install(wire_hook* hook) noexcept { installed.store(hook, std::memory_order_release); }

/// The same at any time, for a hook that stays for ever. Returns false if there is one already.
inline bool try_install(wire_hook& hook) noexcept {
  wire_hook* none = nullptr;
  return installed.compare_exchange_strong(none, &hook, std::memory_order_acq_rel);
}

/// Takes such a hook away; does nothing if another one is there.
inline void remove(wire_hook& hook) noexcept {
  auto* expected = &hook;
  installed.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
}

/// The hook, or null.
inline wire_hook* hook() noexcept { return installed.load(std::memory_order_acquire); }

}  // namespace wire

}  // namespace soma::actors
