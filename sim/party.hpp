// The parties of a run: the actors, and the threads of the host that call the interface. Each has an outbox
// of what it has sent and nobody has received yet.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "actors/slot.hpp"
#include "messages/caf.hpp"
#include "sim/scenario.hpp"

namespace soma::sim {

/// Which tasks of the scenario happened before something, by what was really sent and executed.
using past = std::bitset<most_tasks>;

enum class party_kind : std::uint8_t { host, device, stream, event, pool, engine, other };

/// A type of message.
struct message_kind {
  std::string name;
  std::uint64_t hash = 0;
  bool run_tasks = false;
  bool engine_idle = false;
  bool stop_engine = false;
  bool memory = false;  // the device or the address space may take memory away when it handles it
};

const message_kind& kind_of(caf::mailbox_element& element);

struct party;
struct host;
struct actor;

/// Something sent: a message to an actor, or the news to a thread that its answer is there.
struct parcel {
  actor* to = nullptr;
  caf::strong_actor_ptr keeps;
  caf::mailbox_element_ptr element;
  host* wakes = nullptr;
  std::uint64_t wait = 0;  // which of the thread's waits
  const message_kind* kind = nullptr;
  past carried;
};

struct party {
  explicit party(party_kind of, std::uint32_t place) noexcept
      : kind(of), number((static_cast<std::uint32_t>(of) << 16) | place) {}

  party_kind kind;
  std::uint32_t number;  // by kind and then by order in the program
  std::string name;
  std::deque<parcel> outbox;
  std::uint32_t flushed = 0;
  past before;  // what happened before this party's present
};

/// In an actor's mailbox; the message itself is in CAF's.
struct envelope {
  const message_kind* kind = nullptr;
  const void* content = nullptr;  // as long as it has not been handled
  past carried;
  bool begun = false;  // an engine has started the first tasks of it
};

struct actor : party {
  using party::party;

  caf::weak_actor_ptr self;         // keeps the address from being used again
  caf::resumable* ready = nullptr;  // holds a reference, as CAF gives it to an execution unit
  std::deque<envelope> mailbox;
  std::uint32_t runs = 0;
  bool ended = false;
};

struct host : party {
  using party::party;

  enum class state : std::uint8_t { busy, asking, sending, waiting, finished };

  state now = state::busy;
  const actors::slot_base* slot = nullptr;  // asking
  bool may_time_out = false;
  bool answered = false;  // the answer was sent
  bool woken = false;     // and has come
  std::uint64_t waits = 0;
  std::uint32_t turns = 0;
  std::function<bool()> condition;  // waiting
  std::string waits_for;            // for reports

  [[nodiscard]] bool can_go_on() const {
    return outbox.empty() && (now == state::sending || (now == state::asking && woken) ||
                              (now == state::waiting && condition()));
  }
  [[nodiscard]] bool can_time_out() const {
    return outbox.empty() && now == state::asking && may_time_out && !answered;
  }
};

}  // namespace soma::sim
