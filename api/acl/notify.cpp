// Notifies: words that one stream sets and another waits for and clears, also in another process.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/chip.hpp"
#include "api/acl/current.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

constexpr std::size_t key_room = 65;

notify_table::pinned notify_argument(void* notify) {
  require_not_null(notify, "notify");
  auto found = notifies().find(notify);
  if (!found)
    refuse(ACL_ERROR_RT_INVALID_HANDLE,
           "notify " + to_text(notify) + " is not a live notify: it was destroyed or never was one");
  return found;
}

void* make_notify(std::shared_ptr<shared_word> word) {
  static constinit std::atomic<std::uint32_t> next = 0;
  const auto owner = current_context();
  if (notifies().size() >= chip::notifies)
    refuse(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "there are " + std::to_string(chip::notifies) +
                                                " notifies, the most that can exist: destroy some first");
  return notifies().insert(
      std::make_shared<notify>(notify{owner->on, owner->device_index, next.fetch_add(1), std::move(word)}));
}

void check_export_flags(std::uint64_t flags, std::uint64_t other) {
  if (flags != 0 && flags != other)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "flags is " + std::to_string(flags) + ": it must be 0 or " + std::to_string(other));
}

/// Seconds; 0 and the largest number are no limit.
std::chrono::nanoseconds limit_of(std::uint32_t seconds) {
  return seconds == UINT32_MAX ? std::chrono::seconds(0) : std::chrono::seconds(seconds);
}

aclError without_counts(const char* function) noexcept {
  return call(function, [] {
    refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
           std::string("notifies with counts do not exist on ") + chip::name + ": use notifies or events");
  });
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
  return host_call("aclrtCreateNotify", [&] {
    require_not_null(notify, "notify");
    if (flag > ACL_NOTIFY_DEVICE_USE_ONLY)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) + ": it must be 0 or 1");
    static_cast<void>(current_context());
    *notify = make_notify(shared_word::make());
  });
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
  return host_call("aclrtDestroyNotify", [&] {
    static_cast<void>(notify_argument(notify));
    notifies().take(notify);
  });
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
  return host_call("aclrtRecordNotify", [&](const soma::place& at) {
    const auto found = notify_argument(notify);
    value_of(stream_argument(stream)->queue.write_value(found->word->word(), 1, found->word, at));
    note_task();
  });
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout) {
  return host_call("aclrtWaitAndResetNotify", [&](const soma::place& at) {
    const auto found = notify_argument(notify);
    const soma::value_condition until{1, soma::value_test::equal, true, limit_of(timeout), found->word};
    value_of(stream_argument(stream)->queue.wait_value(found->word->word(), until, at));
    note_task();
  });
}

aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num) {
  return call("aclrtNotifyBatchReset", [&] {
    require_not_null(notifies, "notifies");
    if (num == 0)
      refuse(ACL_ERROR_INVALID_PARAM, "num is 0: it must be the number of notifies");
    for (std::size_t at = 0; at != num; ++at)
      static_cast<void>(notify_argument(notifies[at]));  // all or none
    for (std::size_t at = 0; at != num; ++at)
      __atomic_store_n(notify_argument(notifies[at])->word->word(), 0, __ATOMIC_RELEASE);
  });
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
  return call("aclrtGetNotifyId", [&] {
    const auto found = notify_argument(notify);
    require_not_null(notifyId, "notifyId");
    *notifyId = found->id;
  });
}

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len, uint64_t flags) {
  return call("aclrtNotifyGetExportKey", [&] {
    const auto found = notify_argument(notify);
    require_not_null(key, "key");
    if (len < key_room)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "len is " + std::to_string(len) + ": a key needs room for 65 bytes");
    check_export_flags(flags, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
    const auto text = found->word->export_key(flags != 0);
    std::memset(key, 0, key_room);
    std::memcpy(key, text.data(), std::min(text.size(), key_room - 1));
  });
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num) {
  return call("aclrtNotifySetImportPid", [&] {
    const auto found = notify_argument(notify);
    require_not_null(pid, "pid");
    if (num == 0)
      refuse(ACL_ERROR_INVALID_PARAM, "num is 0: it must be the number of processes");
    for (std::size_t at = 0; at != num; ++at)
      if (!found->word->allow(pid[at]))
        refuse(ACL_ERROR_RT_PARAM_INVALID,
               "num is " + std::to_string(num) + ": at most 16 processes can be allowed to have a notify");
  });
}

aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags) {
  return host_call("aclrtNotifyImportByKey", [&] {
    require_not_null(notify, "notify");
    require_not_null(key, "key");
    check_export_flags(flags, ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
    static_cast<void>(current_context());
    *notify = make_notify(shared_word::open(key));
  });
}

aclError aclrtCntNotifyCreate(aclrtCntNotify* /*cntNotify*/, uint64_t /*flag*/) {
  return without_counts("aclrtCntNotifyCreate");
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify /*cntNotify*/) {
  return without_counts("aclrtCntNotifyDestroy");
}

aclError aclrtCntNotifyRecord(aclrtCntNotify /*cntNotify*/, aclrtStream /*stream*/,
                              aclrtCntNotifyRecordInfo* /*info*/) {
  return without_counts("aclrtCntNotifyRecord");
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify /*cntNotify*/, aclrtStream /*stream*/,
                                       aclrtCntNotifyWaitInfo* /*info*/) {
  return without_counts("aclrtCntNotifyWaitWithTimeout");
}

aclError aclrtCntNotifyReset(aclrtCntNotify /*cntNotify*/, aclrtStream /*stream*/) {
  return without_counts("aclrtCntNotifyReset");
}

aclError aclrtCntNotifyGetId(aclrtCntNotify /*cntNotify*/, uint32_t* /*notifyId*/) {
  return without_counts("aclrtCntNotifyGetId");
}
