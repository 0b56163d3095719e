#include "api/cpp/translate.hpp"

#include <string>
#include <utility>

namespace soma {

std::string_view to_string(errc code) noexcept {
  switch (code) {
  case errc::invalid_argument:
    return "invalid_argument";
  case errc::invalid_handle:
    return "invalid_handle";
  case errc::wrong_device:
    return "wrong_device";
  case errc::no_such_device:
    return "no_such_device";
  case errc::not_permitted:
    return "not_permitted";
  case errc::unknown_address:
    return "unknown_address";
  case errc::out_of_memory:
    return "out_of_memory";
  case errc::timed_out:
    return "timed_out";
  case errc::not_recorded:
    return "not_recorded";
  case errc::not_complete:
    return "not_complete";
  case errc::task_failed:
    return "task_failed";
  case errc::stream_stopped:
    return "stream_stopped";
  case errc::task_stopped:
    return "task_stopped";
  case errc::task_timed_out:
    return "task_timed_out";
  case errc::stream_aborted:
    return "stream_aborted";
  case errc::device_aborted:
    return "device_aborted";
  case errc::kernel_not_found:
    return "kernel_not_found";
  case errc::file_not_readable:
    return "file_not_readable";
  case errc::actor_gone:
    return "actor_gone";
  case errc::shut_down:
    return "shut_down";
  case errc::forked_child:
    return "forked_child";
  case errc::system_failure:
    return "system_failure";
  case errc::already_done:
    return "already_done";
  case errc::not_allowed:
    return "not_allowed";
  }
  return "unknown code";
}

namespace detail {

namespace {

errc code_of(memory::fault_code code) noexcept {
  switch (code) {
  case memory::fault_code::invalid_argument:
    return errc::invalid_argument;
  case memory::fault_code::unknown_address:
    return errc::unknown_address;
  case memory::fault_code::out_of_memory:
    return errc::out_of_memory;
  case memory::fault_code::timed_out:
    return errc::timed_out;
  case memory::fault_code::not_recorded:
    return errc::not_recorded;
  case memory::fault_code::not_complete:
    return errc::not_complete;
  case memory::fault_code::task_failed:
    return errc::task_failed;
  case memory::fault_code::stream_stopped:
    return errc::stream_stopped;
  case memory::fault_code::task_stopped:
    return errc::task_stopped;
  case memory::fault_code::task_timed_out:
    return errc::task_timed_out;
  case memory::fault_code::stream_aborted:
    return errc::stream_aborted;
  case memory::fault_code::device_aborted:
    return errc::device_aborted;
  case memory::fault_code::actor_gone:
    return errc::actor_gone;
  case memory::fault_code::shut_down:
    return errc::shut_down;
  case memory::fault_code::system_failure:
    return errc::system_failure;
  case memory::fault_code::already_done:
    return errc::already_done;
  case memory::fault_code::not_allowed:
    return errc::not_allowed;
  }
  return errc::actor_gone;
}

std::string with_call(std::string_view call, std::string_view text) {
  std::string message(call);
  message += ": ";
  message += text;
  return message;
}

}  // namespace

error translate(std::string_view call, memory::fault fault) {
  fault.text.insert(0, with_call(call, ""));
  return {code_of(fault.code), std::move(fault.text)};
}

tl::unexpected<error> fail(std::string_view call, errc code, std::string_view text) {
  return tl::unexpected(error{code, with_call(call, text)});
}

}  // namespace detail
}  // namespace soma
