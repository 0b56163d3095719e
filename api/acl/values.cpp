// Words in memory that streams write and wait for.

#include <cstdint>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

std::uint64_t* word_argument(void* address) {
  require_not_null(address, "devAddr");
  if (reinterpret_cast<std::uintptr_t>(address) % sizeof(std::uint64_t) != 0)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "devAddr is " + to_text(address) + ", which is not at a multiple of 8 bytes: align it");
  return static_cast<std::uint64_t*>(address);
}

value_test test_argument(std::uint32_t flag) {
  switch (flag) {
  case ACL_STREAM_WAIT_VALUE_GEQ:
    return value_test::at_least;
  case ACL_STREAM_WAIT_VALUE_EQ:
    return value_test::equal;
  case ACL_STREAM_WAIT_VALUE_AND:
    return value_test::any_bit;
  case ACL_STREAM_WAIT_VALUE_NOR:
    return value_test::missing_bit;
  default:
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "flag is " + std::to_string(flag) + ": it must be one of ACL_STREAM_WAIT_VALUE_*, from 0 to 3");
  }
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return host_call("aclrtValueWrite", [&](const soma::place& at) {
    auto* const word = word_argument(devAddr);
    if (flag != 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is " + std::to_string(flag) + ": it must be 0");
    value_of(stream_argument(stream)->queue.write_value(word, value, nullptr, at));
    note_task();
  });
}

aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream) {
  return host_call("aclrtValueWait", [&](const soma::place& at) {
    auto* const word = word_argument(devAddr);
    const soma::value_condition until{value, test_argument(flag)};
    value_of(stream_argument(stream)->queue.wait_value(word, until, at));
    note_task();
  });
}
