// What the EVENT takes. Records are numbered by the callers; a number is known to callers only once its
// event_recorded is in the event's mailbox.
#pragma once

#include <chrono>
#include <optional>

#include "memory/identifiers.hpp"
#include "memory/order_clock.hpp"
#include "messages/actors.hpp"

namespace soma::messages {

using memory::order_clock;
using memory::position;
using memory::record_number;

/// Where a record stands in the order of tasks.
struct record_order {
  position at;
  order_clock ordered;  // what it is ordered after, its own stream left out
  bool reached = false;
};

/// A record was executed.
struct record_reached {
  position at;
  order_clock ordered;
  std::chrono::steady_clock::time_point time;
  std::optional<fault> failure;  // of a task before it that no synchronize has returned yet
};

/// From a stream: a record was submitted. On an idle stream it is executed at once: then `executed` is when.
struct event_recorded {
  record_number number;
  position at;
  order_clock ordered;
  std::optional<std::chrono::steady_clock::time_point> executed = {};
};

/// From a stream: a record was executed, or lost with its stream.
struct event_reached {
  record_number number;
  std::chrono::steady_clock::time_point time;
  std::optional<fault> failure;
};

/// From a stream: what a wait for this record is ordered after. Answered when the record is submitted.
struct order_query {
  record_number number;
  answer<record_order> reply;
};

/// From a stream or the host: tell when this record is executed.
struct await_record {
  record_number number;
  answer<record_reached> reply;
};

/// From the host: whether this record has been executed. Answered at once: not_complete if not.
struct query_record {
  record_number number;
  answer<record_reached> reply;
};

}  // namespace soma::messages
