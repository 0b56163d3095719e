#include "api/acl/shared_event.hpp"

#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/waiting.hpp"

namespace soma::acl {
namespace {

/// The word only grows: records of several streams may be reached in any order.
void raise_to(std::uint64_t* word, std::uint64_t number) noexcept {
  auto now = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (now < number &&
         !__atomic_compare_exchange_n(word, &now, number, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

std::string key_in(const aclrtIpcEventHandle& handle) {
  return {handle.reserved, ::strnlen(handle.reserved, sizeof handle.reserved)};
}

}  // namespace

void record_shared(event& recorded, stream& on) {
  const auto number = recorded.shared->next_number();
  {
    const std::lock_guard guard{recorded.lock};
    recorded.own_record = number;
  }
  value_of(on.queue.call([word = recorded.shared, number] { raise_to(word->word(), number); }));
}

void wait_shared(event& awaited, stream& waiting) {
  const auto latest = awaited.shared->latest_number();
  {
    const std::lock_guard guard{awaited.lock};
    if (awaited.own_record == latest)
      return;  // the wait for the event itself is enough
  }
  value_of(waiting.queue.wait_value(awaited.shared->word(),
                                    {latest, value_test::at_least, false, {}, awaited.shared}));
}

bool is_reached_shared(const event& asked) {
  return __atomic_load_n(asked.shared->word(), __ATOMIC_ACQUIRE) >= asked.shared->latest_number();
}

void synchronize_shared(const event& awaited, std::int32_t timeout) {
  const auto latest = awaited.shared->latest_number();
  const auto since = std::chrono::steady_clock::now();
  while (__atomic_load_n(awaited.shared->word(), __ATOMIC_ACQUIRE) < latest) {
    if (timeout != wait_for_ever &&
        std::chrono::steady_clock::now() - since > std::chrono::milliseconds(timeout))
      refuse(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the time given for waiting is over");
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // nobody tells across processes
  }
}

}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle) {
  return call("aclrtIpcGetEventHandle", [&] {
    require_not_null(event, "event");
    require_not_null(handle, "handle");
    const auto found = event_argument(event);
    if (found->shared == nullptr)
      refuse(ACL_ERROR_RT_PARAM_INVALID,
             "event " + to_text(event) + " was made without ACL_EVENT_IPC: other processes cannot have it");
    const auto key = found->shared->export_key(true);
    *handle = {};
    std::memcpy(handle->reserved, key.data(), std::min(key.size(), sizeof handle->reserved));
  });
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event) {
  return host_call("aclrtIpcOpenEventHandle", [&] {
    require_not_null(event, "event");
    static_cast<void>(current_context());
    *event = make_event(true, ACL_EVENT_IPC, shared_word::open(key_in(handle)));
  });
}
