// The calls that have to do with devices, contexts, streams and events.

#include "c_session.hpp"
#include "require.hpp"

namespace fuzz {

void session::call_device() {
  const auto device = static_cast<std::int32_t>(input_.below(4)) - 1;
  std::uint32_t count = 0;
  std::int32_t current = 0;
  std::size_t free = 0;
  std::size_t total = 0;
  switch (input_.below(8)) {
  case 0:
    checked(aclrtSynchronizeDevice());
    break;
  case 1:
    checked(aclrtSynchronizeDeviceWithTimeout(input_.take<std::int16_t>()));
    break;
  case 2:
    checked(aclrtResetDevice(device));
    break;
  case 3:
    checked(aclrtGetDevice(input_.below(4) == 0 ? nullptr : &current));
    break;
  case 4:
    checked(aclrtGetDeviceCount(&count));
    break;
  case 5:
    checked(aclrtGetMemInfo(static_cast<aclrtMemAttr>(input_.below(16)), &free, &total));
    require(free <= total, "no more is free than there is");
    break;
  default:
    checked(aclrtSetDevice(device));
  }
}

void session::call_context() {
  void* made = nullptr;
  switch (input_.below(6)) {
  case 0:
    if (contexts_.size() < 8 &&
        checked(aclrtCreateContext(&made, static_cast<std::int32_t>(input_.below(3)))) == ACL_SUCCESS) {
      contexts_.push_back(made);
      slot(kind::context) = made;
    }
    break;
  case 1:
    checked(aclrtDestroyContext(handle(kind::context)));
    break;
  case 2:
    if (checked(aclrtGetCurrentContext(&made)) == ACL_SUCCESS) {
      slot(kind::context) = made;
    }
    break;
  case 3:
    if (checked(aclrtCtxGetCurrentDefaultStream(&made)) == ACL_SUCCESS) {
      slot(kind::stream) = made;
    }
    break;
  default:
    checked(aclrtSetCurrentContext(handle(kind::context)));
  }
}

void session::call_stream() {
  void* made = nullptr;
  auto status = ACL_STREAM_STATUS_RESERVED;
  std::int32_t id = 0;
  switch (input_.below(12)) {
  case 0:
  case 1:
    if (checked(aclrtCreateStream(&made)) == ACL_SUCCESS) {
      slot(kind::stream) = made;
    }
    break;
  case 2:
    if (checked(aclrtCreateStreamWithConfig(&made, input_.byte(), input_.byte())) == ACL_SUCCESS) {
      slot(kind::stream) = made;
    }
    break;
  case 3:
    checked(aclrtDestroyStream(handle(kind::stream)));
    break;
  case 4:
    checked(aclrtDestroyStreamForce(handle(kind::stream)));
    break;
  case 5:
    checked(aclrtSynchronizeStreamWithTimeout(handle(kind::stream), input_.take<std::int16_t>()));
    break;
  case 6:
    checked(aclrtStreamQuery(handle(kind::stream), &status));
    break;
  case 7:
    checked(aclrtSetStreamFailureMode(handle(kind::stream), input_.below(3)));
    break;
  case 8:
    checked(aclrtStreamGetId(handle(kind::stream), &id));
    break;
  default:
    checked(aclrtSynchronizeStream(handle(kind::stream)));
  }
}

void session::call_event() {
  void* made = nullptr;
  aclError code = ACL_SUCCESS;
  switch (input_.below(10)) {
  case 0:
    code = checked(aclrtCreateEvent(&made));
    break;
  case 1:
    code = checked(aclrtCreateEventWithFlag(&made, input_.take<std::uint16_t>()));
    break;
  case 2:
    code = checked(aclrtCreateEventExWithFlag(&made, input_.byte()));
    break;
  case 3:
    checked(aclrtDestroyEvent(handle(kind::event)));
    break;
  case 4:
    checked(aclrtResetEvent(handle(kind::event), handle(kind::stream)));
    break;
  case 5:
    checked(aclrtSynchronizeEvent(handle(kind::event)));
    break;
  case 6:
    checked(aclrtSynchronizeEventWithTimeout(handle(kind::event), input_.take<std::int16_t>()));
    break;
  case 7:
    checked(aclrtRecordEvent(handle(kind::event), handle(kind::stream)));
    break;
  default:
    checked(aclrtStreamWaitEvent(handle(kind::stream), handle(kind::event)));
  }
  if (made != nullptr && code == ACL_SUCCESS) {
    slot(kind::event) = made;
  }
}

void session::call_event_time() {
  auto status = ACL_EVENT_STATUS_RESERVED;
  auto recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  auto waited = ACL_EVENT_WAIT_STATUS_RESERVED;
  float milliseconds = 0;
  std::uint64_t time = 0;
  switch (input_.below(5)) {
  case 0:
    checked(aclrtQueryEvent(handle(kind::event), &status));
    break;
  case 1:
    checked(aclrtQueryEventStatus(handle(kind::event), &recorded));
    break;
  case 2:
    checked(aclrtQueryEventWaitStatus(handle(kind::event), &waited));
    break;
  case 3:
    checked(aclrtEventElapsedTime(&milliseconds, handle(kind::event), handle(kind::event)));
    break;
  default:
    checked(aclrtEventGetTimestamp(handle(kind::event), &time));
  }
}

}  // namespace fuzz
