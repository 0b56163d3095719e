// A second thread uses the device that main set, asks it everything, and resets it by force; then only the
// end.
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "kernels.h"

namespace {

void ask() {
  aclrtRunMode mode = ACL_DEVICE;
  std::uint32_t count = 0;
  std::int64_t cores = 0;
  std::int32_t least = -1;
  std::int32_t greatest = -1;
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  aclrtUtilizationInfo load{};
  HOLDS(!std::string(aclrtGetSocName()).empty());
  OK(aclrtGetDeviceCount(&count));
  HOLDS(count >= 1);
  OK(aclrtQueryDeviceStatus(0, &status));
  HOLDS(status == ACL_RT_DEVICE_STATUS_NORMAL);
  OK(aclrtGetRunMode(&mode));
  HOLDS(mode == ACL_HOST);
  OK(aclrtGetDeviceUtilizationRate(0, &load));
  HOLDS(load.vectorUtilization >= 0 && load.vectorUtilization <= 100 && load.memoryUtilization == -1);
  OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
  HOLDS(least == 7 && greatest == 0);
  OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores));
  HOLDS(cores > 0);
}

void work() {
  constexpr std::uint32_t count = 1024;
  constexpr std::size_t bytes = count * sizeof(float);
  std::uint32_t cores = 0;
  aclrtStream stream = nullptr;
  std::vector<float*> host(2);
  std::vector<float*> device(3);
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  ask();
  for (auto& block : host) {
    OK(aclrtMallocHost(reinterpret_cast<void**>(&block), bytes));
  }
  for (auto& block : device) {
    OK(aclrtMalloc(reinterpret_cast<void**>(&block), bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  for (std::uint32_t at = 0; at != count; ++at) {
    host[0][at] = static_cast<float>(at);
  }
  OK(aclrtMemcpy(device[0], bytes, host[0], bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtMemcpy(device[1], bytes, host[0], bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 8));
  OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &cores));
  HOLDS(cores == 8);
  add_op(cores, stream, device[0], device[1], device[2], 1, count);
  OK(aclrtSynchronizeStream(stream));
  OK(aclrtMemcpy(host[1], bytes, device[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  for (std::uint32_t at = 0; at != count; ++at) {
    HOLDS(host[1][at] == 2 * host[0][at]);
  }
  OK(aclrtResetDeviceResLimit(0));
  for (auto* block : device) {
    OK(aclrtFree(block));
  }
  for (auto* block : host) {
    OK(aclrtFreeHost(block));
  }
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
}

}  // namespace

int main() {
  OK(aclInit(nullptr));
  OK(aclrtSetDevice(0));
  std::thread(work).join();
  OK(aclFinalize());
  return 0;
}
