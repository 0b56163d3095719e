// The EVENT: its records, each with its position and what it is ordered after, and who waits for them.
//
// Owns: the records. Never does: wait, or decide anything about memory.
//
// A record stays until it was executed and 64 newer ones exist, since a caller may still be on its way with
// a wait for it; a wait for a record that is gone is complete and adds no order.
#pragma once

#include <map>
#include <vector>

#include "actors/shell.hpp"
#include "messages/all.hpp"

namespace soma::actors {

class event_state {
public:
  using handle_type = messages::event_actor;
  static constexpr auto name = "event";

  explicit event_state(self<handle_type> own, memory::event_id id = memory::event_id::none) noexcept
      : own_(own), id_(id) {}

  [[nodiscard]] std::uint64_t label() const noexcept { return memory::number(id_); }

  void handle(messages::event_recorded& message);
  void handle(messages::event_reached& message);
  void handle(messages::order_query& message);
  void handle(messages::await_record& message);
  void handle(messages::query_record& message);

  // In place (in_place.hpp), by a stream. Each returns false, or nothing, if it is for the message.
  bool record_here(messages::event_recorded& message);
  [[nodiscard]] std::optional<messages::record_order> order_here(messages::record_number number);

private:
  struct record_entry {
    bool submitted = false;
    bool reached = false;
    messages::position at;
    messages::order_clock ordered;
    std::chrono::steady_clock::time_point time;
    std::optional<messages::fault> failure;
    std::vector<messages::answer<messages::record_order>> asking_order;
    std::vector<messages::answer<messages::record_reached>> waiting;
  };

  static messages::record_reached reached(const record_entry& of);
  static void answer_waiters(record_entry& record);
  void forget_old();
  record_entry* find(messages::record_number number);

  self<handle_type> own_;
  memory::event_id id_;
  std::map<messages::record_number, record_entry> records_;
  messages::record_number forgotten_ = messages::record_number::none;  // this one and all before it
};

}  // namespace soma::actors
