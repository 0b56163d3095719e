// A hook on the wire that ends an actor of one kind at its n-th message, as if its handler had thrown: before
// it has handled the message, or right after it. The actor gets an exit in place of the message, or behind
// it.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <caf/local_actor.hpp>

#include "actors/execution.hpp"
#include "actors/wire.hpp"

namespace fault_tests {

enum class moment { before_it_is_handled, after_it_was_handled };

/// On the wire as long as it exists. Counts only while it is active, and spares streams, pools and events
/// that it has seen before it was active for the first time.
class actor_killer final : public soma::actors::wire_hook {
public:
  actor_killer(std::string kind, int nth, moment when) : kind_(std::move(kind)), nth_(nth), when_(when) {
    soma::actors::wire::install(this);
  }

  ~actor_killer() override { soma::actors::wire::install(nullptr); }

  actor_killer(const actor_killer&) = delete;
  actor_killer& operator=(const actor_killer&) = delete;
  actor_killer(actor_killer&&) = delete;
  actor_killer& operator=(actor_killer&&) = delete;

  void set_active(bool active) {
    started_ = started_ || active;
    active_ = active;
  }

  /// Whether the message was reached that is the last of an actor.
  [[nodiscard]] bool killed() const { return count_ >= nth_; }

  bool pass(caf::abstract_actor& to, caf::mailbox_element_ptr& element) override {
    if (passing_on || !is_meant(to) || ++count_ != nth_) {
      return true;
    }
    if (when_ == moment::after_it_was_handled) {
      passing_on = true;
      to.enqueue(std::move(element), soma::actors::current_unit());
      passing_on = false;
    }
    element = soma::messages::make_exit(caf::actor_addr{}, soma::messages::after_exception, false);
    return true;
  }

private:
  [[nodiscard]] bool is_meant(const caf::abstract_actor& to) {
    const auto* local = dynamic_cast<const caf::local_actor*>(&to);
    if (local == nullptr || local->name() != kind_) {
      return false;
    }
    if (kind_ == "device" || kind_ == "engine") {
      return active_;
    }
    const std::lock_guard guard(lock_);
    if (!started_) {
      spared_.insert(to.id());
    }
    return active_ && !spared_.contains(to.id());
  }

  static inline thread_local bool passing_on = false;

  std::string kind_;
  int nth_;
  moment when_;
  std::atomic<bool> started_{false};
  std::atomic<bool> active_{false};
  std::atomic<int> count_{0};
  std::mutex lock_;  // guards what follows
  std::set<caf::actor_id> spared_;
};

}  // namespace fault_tests
