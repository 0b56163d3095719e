// Devices: cutting all work short, notes, and load.

#include <utility>

#include "api/cpp/checks.hpp"
#include "soma/device.hpp"

namespace soma {

namespace detail {

namespace {

// Asks a device something that any thread may ask.
template <class T, class Message>
expected<T> ask_device(std::string_view call, const std::shared_ptr<device_end>& end, Message message,
                       actors::deadline limit = {}) {
  if (end == nullptr) {
    return fail(call, errc::invalid_handle, "the device object was moved from");
  }
  if (auto ok = end->runtime.may_read(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return translate(call, actors::ask<T>(end->runtime.caller(), end->actor, std::move(message), limit));
}

expected<void> abort(std::string_view call, const std::shared_ptr<device_end>& end, actors::deadline limit) {
  if (end != nullptr) {
    if (auto ok = end->runtime.may_submit(call); !ok) {
      return ok;
    }
  }
  const memory::fault why{memory::fault_code::device_aborted, "all tasks of the device were aborted"};
  return ask_device<messages::done>(call, end, messages::abort_device{why, {}}, limit)
      .map([](messages::done) {});
}

}  // namespace
}  // namespace detail

expected<void> device::abort() { return detail::abort("device::abort", end_, {}); }

expected<void> device::abort_for(std::chrono::milliseconds limit) {
  return detail::abort("device::abort_for", end_, detail::deadline_in(limit));
}

expected<std::optional<std::uint64_t>> device::note(device_note which, std::uint32_t index) const {
  return detail::ask_device<messages::noted_value>(
             "device::note", end_,
             messages::read_device_note{static_cast<messages::device_note>(which), index, {}})
      .map([](const messages::noted_value& noted) { return noted.value; });
}

expected<void> device::set_note(device_note which, std::uint64_t value, std::uint32_t index) {
  return detail::ask_device<messages::done>(
             "device::set_note", end_,
             messages::write_device_note{static_cast<messages::device_note>(which), index, value, {}})
      .map([](messages::done) {});
}

expected<device_load> device::load() const {
  return detail::ask_device<messages::device_load>("device::load", end_, messages::read_load{})
      .map([](const messages::device_load& load) {
        return device_load{load.busy_engines, load.waiting_runs};
      });
}

}  // namespace soma
