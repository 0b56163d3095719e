// Reductions of two blocks of memory into one, as tasks.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
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

/// What becomes of sums that are too large: infinities, or the largest numbers.
enum class too_large : std::uint8_t { infinite, largest };

constexpr std::uint16_t sign_bit = 0x8000;

/// A sum as it is stored; `overflows` is set if it is too large. Whole numbers have wrapped.
template <class Number, class T>
typename Number::stored stored_sum(T sum, too_large then, bool& overflows) {
  if constexpr (std::is_same_v<typename Number::stored, float>) {
    if (!std::isinf(sum))
      return sum;
    overflows = true;
    return then == too_large::infinite ? sum : std::copysign(std::numeric_limits<float>::max(), sum);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!(std::abs(sum) >= Number::too_large))
      return Number::store(sum);
    overflows = true;
    const auto magnitude = then == too_large::infinite ? Number::infinity : Number::largest;
    return static_cast<std::uint16_t>(magnitude | (sum < 0 ? sign_bit : 0));
  } else {
    return Number::store(sum);
  }
}

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

/// `Number` converts between what is stored and what is calculated with. Gives whether a sum was too large.
template <class Number>
bool reduce(int kind, std::byte* to, const std::byte* from, std::uint64_t bytes, too_large then) {
  using stored = typename Number::stored;
  const bool is_sum = kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
  bool overflows = false;
  for (std::uint64_t at = 0; at != bytes; at += sizeof(stored)) {
    stored one;
    stored other;
    std::memcpy(&one, to + at, sizeof one);
    std::memcpy(&other, from + at, sizeof other);
    const auto combined = combine(kind, Number::load(one), Number::load(other));
    one = is_sum ? stored_sum<Number>(combined, then, overflows) : Number::store(combined);
    std::memcpy(to + at, &one, sizeof one);
  }
  return overflows;
}

using reduction = bool (*)(int kind, std::byte* to, const std::byte* from, std::uint64_t bytes,
                           too_large then);

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

/// Whether the stream's switch says that overflows are to be told.
bool is_watched(const stream& on) { return value_of(on.queue.note(soma::stream_note::overflow_check)) != 0; }

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
    const auto on = stream_argument(stream);
    const auto then = saturates(on->device()) ? too_large::largest : too_large::infinite;
    const auto status = then == too_large::largest && is_watched(*on) ? on->overflow_status() : nullptr;
    value_of(on->queue.built_in(
        "reduction",
        [how, which, dst, src, count, then, status] {
          const bool overflows = how.function(which, static_cast<std::byte*>(dst),
                                              static_cast<const std::byte*>(src), count, then);
          if (overflows && status != nullptr)
            status->store(true, std::memory_order_relaxed);
        },
        used, at));
    note_task();
  });
}
