// A program for CANN, which knows nothing of soma but how a kernel is a function of the host.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "acl/soma_kernel.h"

namespace {

struct arguments {
  const float* a;
  const float* b;
  float* sum;
  std::size_t count;
};

int add(const void* given, std::size_t /*bytes*/, std::uint32_t block, std::uint32_t blocks) {
  const auto& what = *static_cast<const arguments*>(given);
  for (std::size_t at = block; at < what.count; at += blocks) {
    what.sum[at] = what.a[at] + what.b[at];
  }
  return 0;
}

bool run() {
  constexpr std::size_t count = 1000;
  constexpr std::size_t bytes = count * sizeof(float);
  std::vector<float> host(count, 1.5F);
  void* memory[3] = {};
  aclrtStream stream = nullptr;
  aclrtFuncHandle kernel = nullptr;
  bool ok = aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS &&
            aclrtCreateStream(&stream) == ACL_SUCCESS &&
            somaKernelRegister("add", add, &kernel) == ACL_SUCCESS;
  for (void*& block : memory) {
    ok = ok && aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS &&
         aclrtMemcpy(block, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS;
  }
  const arguments what{static_cast<float*>(memory[0]), static_cast<float*>(memory[1]),
                       static_cast<float*>(memory[2]), count};
  ok = ok && aclrtLaunchKernel(kernel, 8, &what, sizeof what, stream) == ACL_SUCCESS &&
       aclrtSynchronizeStream(stream) == ACL_SUCCESS &&
       aclrtMemcpy(host.data(), bytes, memory[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS;
  for (void* block : memory) {
    ok = ok && aclrtFree(block) == ACL_SUCCESS;
  }
  ok = ok && aclrtDestroyStream(stream) == ACL_SUCCESS && aclrtResetDeviceForce(0) == ACL_SUCCESS &&
       aclFinalize() == ACL_SUCCESS;
  return ok && host == std::vector<float>(count, 3.0F);
}

}  // namespace

int main() {
  const bool ok = run();
  std::puts(ok ? "the sum is right" : "something failed");
  return ok ? 0 : 1;
}
