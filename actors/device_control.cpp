// The DEVICE: cutting all work short, what is noted of it, and how busy it is.

#include <utility>

#include "actors/device.hpp"

namespace soma::actors {

// Of what the streams drop the host has seen nothing: the operation tells the pools nothing.
void device_state::handle(messages::abort_device& message) {
  const auto number = ++last_operation_;
  auto& operation = operations_[number];
  operation.reply = std::move(message.reply);
  operation.open = streams_.size();
  for (const auto& [id, entry] : streams_) {
    post(entry.stream, messages::abort_stream{message.why, answer_to<messages::done>(own_.handle(), number)});
  }
  if (operation.open == 0) {
    finish(number);
  }
}

void device_state::handle(messages::write_device_note& message) {
  notes_[{message.which, message.index}] = message.value;
  message.reply(messages::done{});
}

void device_state::handle(messages::read_device_note& message) {
  const auto found = notes_.find({message.which, message.index});
  message.reply(messages::noted_value{found == notes_.end() ? std::nullopt : std::optional(found->second)});
}

void device_state::handle(messages::read_load& message) {
  message.reply(messages::device_load{static_cast<std::uint32_t>(engines_.size() - idle_engines_.size()),
                                      static_cast<std::uint32_t>(runs_.size())});
}

}  // namespace soma::actors
