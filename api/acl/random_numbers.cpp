// Random numbers as a task.

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

/// A generator whose state is a seed and a count: number n of a seed is a hash of both.
class generator {
public:
  generator(std::uint64_t seed, std::uint64_t count) noexcept : seed_(seed), count_(count) {}

  std::uint64_t bits() noexcept {
    auto mixed = seed_ + ++count_ * 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31);
  }

  /// From 0 to 1, without 1.
  double share() noexcept { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  double normal() noexcept {
    constexpr double full_turn = 6.283185307179586;
    return std::sqrt(-2 * std::log(1 - share())) * std::cos(full_turn * share());
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

private:
  std::uint64_t seed_;
  std::uint64_t count_;
};

template <class T>
T read(const aclrtRandomParaInfo& parameter) {
  const void* from = parameter.valueOrAddr;
  if (parameter.isAddr != 0)
    std::memcpy(&from, parameter.valueOrAddr, sizeof from);
  T value{};
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint64_t read_whole(const aclrtRandomParaInfo& parameter) {
  return parameter.size == sizeof(std::uint32_t) ? read<std::uint32_t>(parameter)
                                                 : read<std::uint64_t>(parameter);
}

template <class Number>
auto parameter_of(const aclrtRandomParaInfo& parameter) {
  return Number::load(read<typename Number::stored>(parameter));
}

template <class T>
T between(generator& numbers, T least, T most) {
  if constexpr (std::is_floating_point_v<T>) {
    return least + static_cast<T>(numbers.share()) * (most - least);
  } else {
    using whole = std::make_unsigned_t<T>;
    const auto span = static_cast<whole>(static_cast<whole>(most) - static_cast<whole>(least));
    const auto drawn = static_cast<whole>(numbers.bits());
    return static_cast<T>(static_cast<whole>(least) + (span == std::numeric_limits<whole>::max()
                                                           ? drawn
                                                           : static_cast<whole>(drawn % (span + 1))));
  }
}

template <class Number, class Draw>
void write(void* to, std::uint64_t count, const Draw& draw) {
  auto* at = static_cast<std::byte*>(to);
  for (std::uint64_t done = 0; done != count; ++done, at += sizeof(typename Number::stored)) {
    const auto stored = Number::store(draw());
    std::memcpy(at, &stored, sizeof stored);
  }
}

template <class Number>
void uniform(const aclrtRandomNumTaskInfo& task, std::uint64_t count, generator& numbers) {
  const auto& parameters = task.randomNumFuncParaInfo.paramInfo.uniformDisInfo;
  const auto least = parameter_of<Number>(parameters.min);
  const auto most = parameter_of<Number>(parameters.max);
  write<Number>(task.randomResultAddr, count, [&] { return between(numbers, least, most); });
}

template <class Number>
void normal(const aclrtRandomNumTaskInfo& task, std::uint64_t count, generator& numbers) {
  constexpr double furthest = 2;
  const auto& parameters = task.randomNumFuncParaInfo.paramInfo.normalDisInfo;
  const auto mean = parameter_of<Number>(parameters.mean);
  const auto deviation = parameter_of<Number>(parameters.stddev);
  const bool truncated =
      task.randomNumFuncParaInfo.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS;
  write<Number>(task.randomResultAddr, count, [&] {
    double drawn = numbers.normal();
    while (truncated && std::abs(drawn) > furthest)
      drawn = numbers.normal();
    return mean + deviation * static_cast<float>(drawn);
  });
}

template <class Number>
void bit_mask(const aclrtRandomNumTaskInfo& task, std::uint64_t count, generator& numbers) {
  constexpr std::uint64_t bits = 8;
  const double dropped =
      parameter_of<Number>(task.randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo.dropoutRation);
  write<plain_number<std::uint8_t>>(task.randomResultAddr, (count + bits - 1) / bits, [&] {
    unsigned kept = 0;
    for (unsigned bit = 0; bit != bits; ++bit)
      kept |= (numbers.share() >= dropped ? 1U : 0U) << bit;
    return static_cast<std::uint8_t>(kept);
  });
}

using filler = void (*)(const aclrtRandomNumTaskInfo&, std::uint64_t, generator&);

/// What makes numbers of this distribution and type; null if there is nothing.
filler filler_of(int distribution, int type) {
  const bool is_uniform = distribution == ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
  const bool is_mask = distribution == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK;
  const auto of_float = [&]<class Number>(Number) -> filler {
    return is_mask ? bit_mask<Number> : is_uniform ? uniform<Number> : normal<Number>;
  };
  switch (type) {
  case ACL_FLOAT:
    return of_float(plain_number<float>{});
  case ACL_FLOAT16:
    return of_float(half_number{});
  case ACL_BF16:
    return of_float(brain_number{});
  case ACL_INT32:
    return is_uniform ? uniform<plain_number<std::int32_t>> : nullptr;
  case ACL_INT64:
    return is_uniform ? uniform<plain_number<std::int64_t>> : nullptr;
  case ACL_UINT32:
    return is_uniform ? uniform<plain_number<std::uint32_t>> : nullptr;
  case ACL_UINT64:
    return is_uniform ? uniform<plain_number<std::uint64_t>> : nullptr;
  default:
    return nullptr;
  }
}

filler check_task(const aclrtRandomNumTaskInfo& task) {
  require_not_null(task.randomResultAddr, "taskInfo->randomResultAddr");
  require_not_null(task.randomCounterAddr, "taskInfo->randomCounterAddr");
  const int distribution = number_of(task.randomNumFuncParaInfo.funcType);
  const int type = number_of(task.dataType);
  if (distribution < ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK ||
      distribution > ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS)
    refuse(ACL_ERROR_INVALID_PARAM, "taskInfo->randomNumFuncParaInfo.funcType is " +
                                        std::to_string(distribution) + ": it must be from 0 to 3");
  const auto fill = filler_of(distribution, type);
  if (fill == nullptr)
    refuse(ACL_ERROR_INVALID_PARAM,
           "taskInfo->dataType is " + std::to_string(type) +
               ", which this distribution does not have: floats have all, whole numbers "
               "of 32 and 64 bits the uniform one");
  return fill;
}

/// The counter's first eight bytes count what was drawn.
void fill_and_count(const aclrtRandomNumTaskInfo& task, filler fill) {
  std::uint64_t count = 0;
  std::memcpy(&count, task.randomCounterAddr, sizeof count);
  generator numbers(read_whole(task.randomSeed), count);
  fill(task, read_whole(task.randomNum), numbers);
  count = numbers.count();
  std::memcpy(task.randomCounterAddr, &count, sizeof count);
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo, aclrtStream stream, void* reserve) {
  return host_call("aclrtRandomNumAsync", [&](const soma::place& at) {
    require_not_null(taskInfo, "taskInfo");
    if (reserve != nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "reserve is not NULL: pass NULL");
    const auto fill = check_task(*taskInfo);
    const soma::access used[] = {{taskInfo->randomResultAddr, 0, true},
                                 {taskInfo->randomCounterAddr, 16, true}};
    value_of(stream_argument(stream)->queue.call([task = *taskInfo, fill] { fill_and_count(task, fill); },
                                                 used, at));
    note_task();
  });
}
