// The world of a run: every message between the actors, and who may do what next.
//
// The model. An actor that handles a message puts what it sends into an outbox of its own, in order; another
// step moves the oldest of it into its receiver's mailbox. Since a handler cannot see what its own sends
// bring about, these are exactly the orders that real threads can bring about. A handler touches only its own
// actor, so it runs as soon as its actor's outbox is empty; what remains to be chosen is whose outbox goes
// next, which engine runs, and which thread of the host goes on. An answer to a thread travels through the
// outbox as well, behind what was sent before it.
//
// Only one thread runs at a time. A world is on the wire as long as it exists; no other runtime may run
// meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "actors/wire.hpp"
#include "sim/chooser.hpp"
#include "sim/log.hpp"
#include "sim/task.hpp"

namespace soma::sim {

class world final : public actors::wire_hook {
public:
  /// Whether the gate of a task is open. Preconditions of calls: one world at a time.
  using gate_test = std::function<bool(const task&)>;

  world(caf::actor_system& system, gate_test is_open);
  ~world() override;
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  // -- parties --
  host& add_host(std::string name);
  [[nodiscard]] const std::vector<std::unique_ptr<host>>& hosts() const noexcept { return hosts_; }

  /// Gives an actor the name that it has in the scenario. What has no name is called by its kind and a
  /// number.
  template <class Handle>
  void name(const Handle& of, std::string text) {
    party_of(*of.actor()).name = std::move(text);
  }

  /// Who runs now: an actor that handles something, or else this thread.
  void set_current(host& running) noexcept { current_ = &running; }
  [[nodiscard]] host& current() const noexcept { return *current_; }
  /// The past of what runs now; tasks add themselves.
  [[nodiscard]] past& present() noexcept { return running_ != nullptr ? running_->before : current_->before; }

  [[nodiscard]] const party& running_party() const noexcept { return sender(); }

  /// Whether any memory can go back to the system in this scenario, while tasks run. If not, tasks are
  /// independent of what pools do.
  void memory_may_go_back(bool may) noexcept { memory_may_go_back_ = may; }

  // -- steps --
  /// Does what needs no choice.
  void settle();
  /// What can be done next, in a fixed order.
  void collect(std::vector<option>& into) const;
  /// Precondition: it was collected, and settle() follows.
  void execute(const option& chosen);

  /// Whether a single thread of the host is left; what it does is then no choice.
  [[nodiscard]] bool single_host() const noexcept;

  [[nodiscard]] const step_log& log() const noexcept { return log_; }
  void note(const log_entry& entry) {
    if (logging_) {
      log_.add(entry);
    }
  }
  void log_from_now_on(bool on) noexcept { logging_ = on; }

  // -- reports --
  /// Actors that have not ended, by name.
  [[nodiscard]] std::vector<std::string> alive() const;
  /// Closed gates and others that hold engines up.
  [[nodiscard]] std::vector<std::string> held_engines() const;
  /// Ends whatever is left, by exit messages; a step loop must follow.
  void end_all();

  // -- the wire --
  bool pass(caf::abstract_actor& to, caf::mailbox_element_ptr& element) override;
  void answered(const actors::slot_base& slot) override;
  bool attaches_threads() override { return true; }

  [[nodiscard]] messages::execution_unit* unit() noexcept { return &unit_; }

private:
  // Takes what a flush wakes.
  class waking_unit final : public messages::own_unit {
  public:
    using own_unit::own_unit;
    void exec_later(caf::resumable* ready) override { woken = ready; }
    caf::resumable* woken = nullptr;
  };

  actor& party_of(caf::abstract_actor& of);
  void send(parcel sent);
  [[nodiscard]] party& sender() const noexcept;
  void flush(party& from);
  void handle(actor& by);
  void resume(actor& by, envelope handled);
  void run(actor& engine);
  [[nodiscard]] bool can_run(const actor& engine) const;
  bool settle_actor(actor& one);
  bool begin_held_task(actor& engine);
  [[nodiscard]] option flush_of(const party& from) const;

  waking_unit unit_;
  gate_test is_open_;
  std::vector<std::unique_ptr<host>> hosts_;
  std::vector<std::unique_ptr<actor>> actors_;  // by number
  std::unordered_map<const caf::abstract_actor*, actor*> known_;
  std::array<std::uint32_t, 7> counts_{};
  host* current_ = nullptr;
  actor* running_ = nullptr;
  party* flushing_ = nullptr;
  std::size_t inserted_ = 0;                        // by the flush
  const caf::mailbox_element* admitted_ = nullptr;  // on its way into a mailbox
  step_log log_;
  bool logging_ = false;
  bool memory_may_go_back_ = true;
  bool closed_ = false;                            // in the destructor
  std::vector<caf::mailbox_element_ptr> dropped_;  // meanwhile
};

}  // namespace soma::sim
