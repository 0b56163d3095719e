#include "api/acl/task_ids.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"

namespace soma::acl {
namespace {

// Each thread takes many numbers at a time, so that threads do not meet here with each task.
constexpr std::uint32_t at_a_time = 1024;
constinit std::atomic<std::uint32_t> given = 0;
constinit thread_local std::uint32_t last = 0;
constinit thread_local std::uint64_t of_host_function = 0;

std::uint32_t thread_number() noexcept {
  thread_local const auto number = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  return number;
}

}  // namespace

std::uint32_t note_task() noexcept {
  if (last % at_a_time == 0)
    last = given.fetch_add(at_a_time, std::memory_order_relaxed);
  return ++last;
}

std::uint32_t last_task() noexcept { return last; }

std::uint64_t tag_of(std::uint32_t task) noexcept { return (std::uint64_t{thread_number()} << 32) | task; }

void set_tag_of_host_function(std::uint64_t tag) noexcept { of_host_function = tag; }

std::uint64_t take_tag_of_host_function() noexcept { return std::exchange(of_host_function, 0); }

std::uint32_t task_in(std::uint64_t tag) noexcept { return static_cast<std::uint32_t>(tag); }

std::uint32_t thread_in(std::uint64_t tag) noexcept { return static_cast<std::uint32_t>(tag >> 32); }

}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
  return call("aclrtGetThreadLastTaskId", [&] {
    require_not_null(taskId, "taskId");
    static_cast<void>(current_context());
    *taskId = last_task();
  });
}
