// Runs a kernel that is linked with the program, and one from a file: (1 + 1) * 2 in each block.
#include <cstdio>

#include "acl/acl.h"
#include "kernels/easy.h"

#define CHECK(call)                                                       \
  if (const aclError code = (call); code != ACL_SUCCESS) {                \
    const char* text = aclGetRecentErrMsg();                              \
    std::printf("%s: %d %s\n", #call, code, text == nullptr ? "" : text); \
    return 1;                                                             \
  }

int main(int count, char** arguments) {
  constexpr uint32_t blocks = 4;
  uint32_t values[blocks] = {1, 1, 1, 1};
  aclrtStream stream = nullptr;
  void* x = nullptr;
  aclrtBinHandle file = nullptr;
  aclrtFuncHandle function = nullptr;
  aclrtArgsHandle list = nullptr;
  aclrtParamHandle parameter = nullptr;
  if (count != 2)
    return 2;
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  CHECK(aclrtMalloc(&x, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(x, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE));
  easy_op(blocks, stream, static_cast<uint32_t*>(x));
  CHECK(aclrtBinaryLoadFromFile(arguments[1], nullptr, &file));
  CHECK(aclrtBinaryGetFunction(file, "twice", &function));
  CHECK(aclrtKernelArgsInit(function, &list));
  CHECK(aclrtKernelArgsAppend(list, &x, sizeof x, &parameter));
  CHECK(aclrtKernelArgsFinalize(list));
  CHECK(aclrtLaunchKernelWithConfig(function, blocks, stream, nullptr, list, nullptr));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(values, sizeof values, x, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST));
  for (const uint32_t value : values) {
    if (value != 4) {
      std::printf("%u instead of 4\n", value);
      return 1;
    }
  }
  CHECK(aclrtBinaryUnLoad(file));
  CHECK(aclrtFree(x));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDeviceForce(0));
  CHECK(aclFinalize());
  return 0;
}
