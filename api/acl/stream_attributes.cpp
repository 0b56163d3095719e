// What a stream is like: its flags, priority, failure mode, and what is noted of it.

#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/chip.hpp"
#include "api/acl/current.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

constexpr std::uint32_t lowest_priority = 7;
constexpr std::size_t overflow_status_bytes = 64;

/// Puts a context, with the streams that it has and will have, into stop mode.
void stop_on_failure(context& owner) {
  std::vector<void*> all;
  {
    const std::lock_guard guard{owner.lock};
    owner.stops_on_failure = true;
    all.assign(owner.streams.begin(), owner.streams.end());
  }
  all.push_back(owner.default_stream);
  for (void* const handle : all)
    if (const auto one = streams().find(handle); one && (one->flags & ACL_STREAM_DEVICE_USE_ONLY) == 0)
      value_of(one->queue.set_failure_mode(failure_mode::stop));
}

void set_failure_mode(void* handle, const stream& of, std::uint64_t mode) {
  const auto owner = current_context();
  const bool stop = (mode & ACL_STOP_ON_FAILURE) != 0;
  if ((of.flags & ACL_STREAM_DEVICE_USE_ONLY) != 0)
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "stream " + to_text(handle) +
               " was made with ACL_STREAM_DEVICE_USE_ONLY: such a stream has no failure mode");
  if (!stop && is_in_stop_mode(*owner))
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           "mode is " + std::to_string(mode) +
               ": a context that stops on failure cannot go back to continuing; use another context");
  if (stop)
    stop_on_failure(*owner);
}

void check_saturation(const stream& of) {
  if (!saturates(of.device()))
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the device's mode is infinities and NaN, in which nothing is "
                                             "watched: call aclrtSetDeviceSatMode with "
                                             "ACL_RT_OVERFLOW_MODE_SATURATION first");
}

void set_overflow_switch(stream& of, std::uint32_t flag) {
  check_saturation(of);
  if (flag > 1)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) + ": it must be 0 or 1");
  value_of(of.queue.set_note(stream_note::overflow_check, flag));
}

[[noreturn]] void refuse_attribute(int attribute) {
  refuse(ACL_ERROR_RT_PARAM_INVALID,
         "stmAttrType is " + std::to_string(attribute) + ": it must be one of aclrtStreamAttr, from 1 to 5");
}

void set_attribute(void* handle, stream& of, int attribute, const aclrtStreamAttrValue& value) {
  switch (attribute) {
  case ACL_STREAM_ATTR_FAILURE_MODE:
    if (of.is_default)
      refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
             "stream " + to_text(handle) +
                 " is a default stream: use aclrtSetStreamFailureMode for it, or make a stream");
    return set_failure_mode(handle, of, value.failureMode);
  case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
    return set_overflow_switch(of, value.overflowSwitch);
  case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
    return value_of(of.queue.set_note(stream_note::custom_tag, value.userCustomTag));
  case ACL_STREAM_ATTR_CACHE_OP_INFO:
    return value_of(of.queue.set_note(stream_note::cache_operators, value.cacheOpInfoSwitch));
  case ACL_STREAM_ATTR_PRIORITY:
    if (value.streamPriority > lowest_priority)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "value->streamPriority is " + std::to_string(value.streamPriority) +
                                             ": it must be from 0 (the highest) to 7");
    return value_of(of.queue.set_note(stream_note::priority, value.streamPriority));
  default:
    refuse_attribute(attribute);
  }
}

std::uint32_t noted(const stream& of, soma::stream_note which) {
  return static_cast<std::uint32_t>(value_of(of.queue.note(which)));
}

aclrtStreamAttrValue attribute_of(const stream& of, int attribute) {
  aclrtStreamAttrValue value{};
  switch (attribute) {
  case ACL_STREAM_ATTR_FAILURE_MODE:
    value.failureMode = is_in_stop_mode(*current_context()) ? ACL_STOP_ON_FAILURE : ACL_CONTINUE_ON_FAILURE;
    break;
  case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
    check_saturation(of);
    value.overflowSwitch = noted(of, stream_note::overflow_check);
    break;
  case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
    value.userCustomTag = noted(of, stream_note::custom_tag);
    break;
  case ACL_STREAM_ATTR_CACHE_OP_INFO:
    value.cacheOpInfoSwitch = noted(of, stream_note::cache_operators);
    break;
  case ACL_STREAM_ATTR_PRIORITY:
    value.streamPriority = noted(of, stream_note::priority);
    break;
  default:
    refuse_attribute(attribute);
  }
  return value;
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  return call("aclrtSetStreamFailureMode", [&] { set_failure_mode(stream, *stream_argument(stream), mode); });
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  return call("aclrtSetStreamAttribute", [&] {
    require_not_null(value, "value");
    set_attribute(stream, *stream_argument(stream), number_of(stmAttrType), *value);
  });
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  return call("aclrtGetStreamAttribute", [&] {
    require_not_null(value, "value");
    *value = attribute_of(*stream_argument(stream), number_of(stmAttrType));
  });
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  return call("aclrtStreamGetPriority", [&] {
    require_not_null(priority, "priority");
    *priority = noted(*stream_argument(stream), soma::stream_note::priority);
  });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  return call("aclrtStreamGetFlags", [&] {
    require_not_null(flags, "flags");
    *flags = noted(*stream_argument(stream), soma::stream_note::flags);
  });
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
  return call("aclrtGetStreamAvailableNum", [&] {
    require_not_null(streamCount, "streamCount");
    static_cast<void>(current_context());
    const auto made =
        streams().size() - std::min(streams().size(), contexts().size());  // without default streams
    *streamCount = static_cast<std::uint32_t>(chip::streams - std::min<std::size_t>(made, chip::streams));
  });
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
  return call("aclrtSetStreamOverflowSwitch", [&] { set_overflow_switch(*stream_argument(stream), flag); });
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
  return call("aclrtGetStreamOverflowSwitch", [&] {
    require_not_null(flag, "flag");
    const auto found = stream_argument(stream);
    check_saturation(*found);
    *flag = noted(*found, soma::stream_note::overflow_check);
  });
}

aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize, aclrtStream stream) {
  return host_call("aclrtGetOverflowStatus", [&](const soma::place& at) {
    require_not_null(outputAddr, "outputAddr");
    if (outputSize < overflow_status_bytes)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "outputSize is " + std::to_string(outputSize) + ": it must be 64 bytes or more");
    const auto on = stream_argument(stream);
    const soma::access written[] = {{outputAddr, overflow_status_bytes, true}};
    value_of(on->queue.built_in(
        "reading the overflow status",
        [outputAddr, status = on->overflow_status()] {
          const std::uint32_t overflows = status->load(std::memory_order_relaxed) ? 1 : 0;
          std::memset(outputAddr, 0, overflow_status_bytes);
          std::memcpy(outputAddr, &overflows, sizeof overflows);
        },
        written, at));
    note_task();
  });
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return host_call("aclrtResetOverflowStatus", [&](const soma::place& at) {
    const auto on = stream_argument(stream);
    value_of(on->queue.built_in(
        "resetting the overflow status",
        [status = on->overflow_status()] { status->store(false, std::memory_order_relaxed); }, {}, at));
    note_task();
  });
}
