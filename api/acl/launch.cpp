// Launches of kernels.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/kernel_arguments.hpp"
#include "api/acl/short_kernels.hpp"
#include "api/acl/task_ids.hpp"

namespace soma::acl {
namespace {

[[noreturn]] void refuse_config(const std::string& what) {
  refuse(ACL_ERROR_RT_PARAM_INVALID, "cfg " + what);
}

/// Attributes tune the hardware, so apart from these checks they mean nothing here.
void check_config(const aclrtLaunchKernelCfg* config) {
  constexpr std::uint8_t scheduling_mode_end = 3;
  if (config == nullptr)
    return;
  if (config->attrs == nullptr)
    refuse_config("has no attrs: pass an array of attributes, or NULL for cfg");
  const auto* const end = config->attrs + config->numAttrs;
  const auto has = [&](int id) {
    return std::any_of(
        config->attrs, config->attrs + config->numAttrs,
        [id](const aclrtLaunchKernelAttr& attribute) { return number_of(attribute.id) == id; });
  };
  if (has(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT) && has(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US))
    refuse_config("has both TIMEOUT and TIMEOUT_US: pass only one of them");
  for (const auto* attribute = config->attrs; attribute != end; ++attribute)
    if (number_of(attribute->id) == ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE &&
        attribute->value.schemMode >= scheduling_mode_end)
      refuse_config("has schemMode " + std::to_string(attribute->value.schemMode) + ": it must be below 3");
}

void check_blocks(std::uint32_t blocks, aclError code) {
  if (blocks == 0)
    refuse(code, "numBlocks is 0: a kernel needs at least one block");
}

/// Arguments in memory of the runtime are read when the kernel runs, as CANN does. Others need not outlive
/// the call, so they are copied.
soma::launch_arguments arguments_at(const machine& on, const void* data, std::size_t bytes) {
  if (on.runtime.locate(data) == memory_location::unknown)
    return soma::launch_arguments::copied(data, bytes);
  return soma::launch_arguments::in_place(data, bytes);
}

void launch(void* function, std::uint32_t blocks, const void* data, std::size_t bytes,
            const aclrtLaunchKernelCfg* config, void* stream, const soma::place& at) {
  require_not_null(function, "funcHandle");
  require_not_null(data, "argsData");
  check_blocks(blocks, ACL_ERROR_RT_PARAM_INVALID);
  const auto launched = function_argument(function);
  const auto on = stream_argument(stream);
  check_config(config);
  const auto arguments = arguments_at(*on->on, data, bytes).tagged(tag_of(note_task()));
  value_of(on->queue.launch(launched->kernel, arguments, blocks, at));
  note_launch(stream);
}

/// A copy of arguments and the data behind them, with the pointers that are among them.
std::shared_ptr<std::byte[]> copy_with_pointers(const void* from, std::size_t bytes,
                                                const aclrtPlaceHolderInfo* pointers, std::size_t count) {
  std::shared_ptr<std::byte[]> copy(new std::byte[bytes]);
  std::memcpy(copy.get(), from, bytes);
  for (std::size_t at = 0; at != count; ++at) {
    const auto& [address_at, data_at] = pointers[at];
    if (address_at + sizeof(void*) > bytes || data_at >= bytes)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "placeHolderArray[" + std::to_string(at) + "] has addrOffset " +
                                             std::to_string(address_at) + " and dataOffset " +
                                             std::to_string(data_at) + ": both must lie within the " +
                                             std::to_string(bytes) + " bytes of argsSize");
    const void* const data = copy.get() + data_at;
    std::memcpy(copy.get() + address_at, &data, sizeof data);
  }
  return copy;
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData,
                           size_t argsSize, aclrtStream stream) {
  return host_call("aclrtLaunchKernel", [&](const soma::place& at) {
    launch(funcHandle, numBlocks, argsData, argsSize, nullptr, stream, at);
  });
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void* argsData,
                             size_t argsSize, aclrtLaunchKernelCfg* cfg, aclrtStream stream) {
  return host_call("aclrtLaunchKernelV2", [&](const soma::place& at) {
    launch(funcHandle, numBlocks, argsData, argsSize, cfg, stream, at);
  });
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                     aclrtLaunchKernelCfg* cfg, aclrtArgsHandle argsHandle, void* reserve) {
  return host_call("aclrtLaunchKernelWithConfig", [&](const soma::place& at) {
    require_not_null(funcHandle, "funcHandle");
    require_not_null(argsHandle, "argsHandle");
    check_blocks(numBlocks, ACL_ERROR_INVALID_PARAM);
    if (reserve != nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "reserve is not NULL: pass NULL");
    const auto launched = function_argument(funcHandle);
    const argument_list& arguments = argument_list_argument(argsHandle);
    const auto on = stream_argument(stream);
    check_config(cfg);
    const auto tagged = arguments.for_task().tagged(tag_of(note_task()));
    value_of(on->queue.launch(launched->kernel, tagged, numBlocks, at));
    note_launch(stream);
  });
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
                                       aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
                                       aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum) {
  return host_call("aclrtLaunchKernelWithHostArgs", [&](const soma::place& at) {
    require_not_null(funcHandle, "funcHandle");
    require_not_null(hostArgs, "hostArgs");
    check_blocks(numBlocks, ACL_ERROR_RT_PARAM_INVALID);
    if (argsSize == 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "argsSize is 0: pass the number of bytes at hostArgs");
    if (placeHolderArray == nullptr && placeHolderNum != 0)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "placeHolderNum is " + std::to_string(placeHolderNum) +
                                             ", but placeHolderArray is NULL: pass an array, or 0 entries");
    const auto launched = function_argument(funcHandle);
    const auto on = stream_argument(stream);
    check_config(cfg);
    const auto copy = copy_with_pointers(hostArgs, argsSize, placeHolderArray, placeHolderNum);
    const auto arguments = soma::launch_arguments::shared(copy, argsSize).tagged(tag_of(note_task()));
    value_of(on->queue.launch(launched->kernel, arguments, numBlocks, at));
    note_launch(stream);
  });
}
