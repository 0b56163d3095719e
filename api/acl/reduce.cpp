// Reductions of two blocks of memory into one, as tasks.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/small_floats.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

constexpr std::uint64_t most_sum_bytes = std::uint64_t{4} << 30;

/// Whole numbers wrap, so sums are taken without a sign.
template <class T>
T combine(int kind, T one, T other) {
  switch (kind) {
  case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM:
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(one) +
                            static_cast<std::make_unsigned_t<T>>(other));
    else
      return one + other;
  case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX:
    return std::max(one, other);
  case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN:
    return std::min(one, other);
  default:
    return other;
  }
}

/// `Number` converts between what is stored and what is calculated with.
template <class Number>
void reduce(int kind, std::byte* to, const std::byte* from, std::uint64_t bytes) {
  using stored = typename Number::stored;
  for (std::uint64_t at = 0; at != bytes; at += sizeof(stored)) {
    stored one;
    stored other;
    std::memcpy(&one, to + at, sizeof one);
    std::memcpy(&other, from + at, sizeof other);
    one = Number::store(combine(kind, Number::load(one), Number::load(other)));
    std::memcpy(to + at, &one, sizeof one);
  }
}

using reduction = void (*)(int kind, std::byte* to, const std::byte* from, std::uint64_t bytes);

struct reducible_type {
  reduction function;
  std::uint64_t bytes;
};

reducible_type type_argument(int type) {
  switch (type) {
  case ACL_INT8:
    return {reduce<plain_number<std::int8_t>>, 1};
  case ACL_INT16:
    return {reduce<plain_number<std::int16_t>>, 2};
  case ACL_INT32:
    return {reduce<plain_number<std::int32_t>>, 4};
  case ACL_FLOAT:
    return {reduce<plain_number<float>>, 4};
  case ACL_FLOAT16:
    return {reduce<half_number>, 2};
  case ACL_BF16:
    return {reduce<brain_number>, 2};
  default:
    refuse(ACL_ERROR_INVALID_PARAM,
           "type is " + std::to_string(type) +
               ": it must be ACL_INT8, ACL_INT16, ACL_INT32, ACL_FLOAT16, ACL_FLOAT or ACL_BF16");
  }
}

void check_count(std::uint64_t count, const reducible_type& type, int kind) {
  if (count == 0 || count % type.bytes != 0)
    refuse(ACL_ERROR_RT_PARAM_INVALID, "count is " + std::to_string(count) +
                                           " bytes: it must be a multiple of the element's " +
                                           std::to_string(type.bytes) + " bytes, above 0");
  if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM && count > most_sum_bytes)
    refuse(ACL_ERROR_RT_PARAM_INVALID,
           "count is " + std::to_string(count) + " bytes: a sum takes at most 4 GiB");
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count, aclrtReduceKind kind, aclDataType type,
                          aclrtStream stream, void* reserve) {
  return host_call("aclrtReduceAsync", [&](const soma::place& at) {
    require_not_null(dst, "dst");
    require_not_null(src, "src");
    if (reserve != nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "reserve is not NULL: pass NULL");
    const auto how = type_argument(number_of(type));
    const int which = number_of(kind);
    if (which < ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM || which > ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "kind is " + std::to_string(which) + ": it must be from 10 to 13");
    check_count(count, how, which);
    const soma::access used[] = {{dst, count, true}, {src, count}};
    value_of(stream_argument(stream)->queue.call(
        [how, which, dst, src, count] {
          how.function(which, static_cast<std::byte*>(dst), static_cast<const std::byte*>(src), count);
        },
        used, at));
    note_task();
  });
}
