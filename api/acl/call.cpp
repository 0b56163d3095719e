#include "api/acl/call.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include "api/acl/error_texts.hpp"

namespace soma::acl {

void refuse(aclError code, std::string text) { throw refusal{code, std::move(text)}; }

void refuse(const soma::error& error, std::initializer_list<code_for> codes) {
  const auto* const own = std::find_if(codes.begin(), codes.end(),
                                       [&error](const code_for& entry) { return entry.kind == error.code; });
  refuse(own == codes.end() ? code_of(error.code) : own->code, error.message);
}

aclError code_of(soma::errc kind) noexcept {
  switch (kind) {
  case errc::invalid_argument:
  case errc::wrong_device:
  case errc::unknown_address:
  case errc::kernel_not_found:
  case errc::file_not_readable:
    return ACL_ERROR_RT_PARAM_INVALID;
  case errc::no_such_device:
    return ACL_ERROR_RT_INVALID_DEVICEID;
  case errc::invalid_handle:
    return ACL_ERROR_RT_INVALID_HANDLE;
  case errc::not_permitted:
    return ACL_ERROR_RT_NO_PERMISSION;
  case errc::out_of_memory:
    return ACL_ERROR_RT_MEMORY_ALLOCATION;
  case errc::timed_out:
    return ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
  case errc::not_complete:
    return ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
  case errc::task_failed:
  case errc::stream_stopped:
    return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
  case errc::task_timed_out:
    return ACL_ERROR_RT_TASK_TIMEOUT;
  case errc::stream_aborted:
    return ACL_ERROR_RT_STREAM_ABORT;
  case errc::device_aborted:
    return ACL_ERROR_RT_DEVICE_TASK_ABORT;
  case errc::shut_down:
  case errc::forked_child:
    return ACL_ERROR_RT_DEV_SETUP_ERROR;
  case errc::not_allowed:
    return ACL_ERROR_RT_NO_PERMISSION;
  case errc::already_done:
    return ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  case errc::system_failure:
    return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
  case errc::task_stopped:
  case errc::not_recorded:
  case errc::actor_gone:
    break;
  }
  return ACL_ERROR_RT_INTERNAL_ERROR;
}

void check_phase() {
  switch (phase.load(std::memory_order_relaxed)) {
  case process_phase::running:
    return;
  case process_phase::exiting:
    refuse(ACL_ERROR_RT_DEV_SETUP_ERROR,
           "the process is ending and the devices have been shut down: make the "
           "last calls before main returns or exit is called");
  case process_phase::forked:
    refuse(
        ACL_ERROR_RT_DEV_SETUP_ERROR,
        "this process is a child made by fork; devices stay with the parent: use them in the parent only, or "
        "run another program (exec) in the child");
  }
}

void check_not_on_engine() {
  if (soma::runtime::on_engine())
    refuse(ACL_ERROR_RT_NO_PERMISSION,
           "called from inside a kernel or host function, where calls that create, destroy, allocate, free, "
           "launch "
           "or wait are not permitted: make the call from a thread of the program");
}

aclError report_exception(const char* function) noexcept {
  try {
    try {
      throw;
    } catch (const refusal& why) {
      return report(function, why.code, why.text);
    } catch (const std::bad_alloc&) {
      return report(function, ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no memory left");
    } catch (const std::exception& unexpected) {
      return report(function, ACL_ERROR_INTERNAL_ERROR,
                    std::string("a fault inside the library: ") + unexpected.what());
    }
  } catch (...) {
    return report(function, ACL_ERROR_INTERNAL_ERROR, "a fault inside the library");
  }
}

std::string to_text(const void* pointer) {
  char digits[2 + 2 * sizeof(void*) + 1];
  std::snprintf(digits, sizeof digits, "%p", pointer);
  return digits;
}

}  // namespace soma::acl
