/* Kernels from a file (the first argument), with arguments that are appended, and with tiling in a
 * placeholder. */
#include "check.h"

enum { length = 16384, bytes = length * sizeof(aclFloat16), blocks = 8 };

static aclrtBinHandle file;
static aclrtStream stream;
static void *x, *y, *z;

static void append(aclrtArgsHandle arguments, void* pointer) {
  aclrtParamHandle parameter;
  OK(aclrtKernelArgsAppend(arguments, &pointer, sizeof pointer, &parameter));
}

static void launch(const char* name, const int32_t* tiling) {
  aclrtFuncHandle function;
  aclrtArgsHandle arguments;
  aclrtParamHandle parameter;
  void* buffer;
  OK(aclrtMemset(z, bytes, 0, bytes));
  OK(aclrtBinaryGetFunction(file, name, &function));
  OK(aclrtKernelArgsInit(function, &arguments));
  append(arguments, x);
  append(arguments, y);
  append(arguments, z);
  if (tiling != NULL) {
    OK(aclrtKernelArgsAppendPlaceHolder(arguments, &parameter));
    OK(aclrtKernelArgsGetPlaceHolderBuffer(arguments, parameter, 2 * sizeof *tiling, &buffer));
    ((int32_t*)buffer)[0] = tiling[0];
    ((int32_t*)buffer)[1] = tiling[1];
  }
  OK(aclrtKernelArgsFinalize(arguments));
  OK(aclrtLaunchKernelWithConfig(function, blocks, stream, NULL, arguments, NULL));
  OK(aclrtSynchronizeStream(stream));
}

static void check(void) {
  static aclFloat16 host[length];
  OK(aclrtMemcpy(host, bytes, z, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  for (int at = 0; at < length; ++at)
    HOLDS(aclFloat16ToFloat(host[at]) == (float)(at % 100) + 1.5F);
}

int main(int count, char** arguments) {
  static aclFloat16 one[length];
  static aclFloat16 other[length];
  const int32_t tiling[2] = {length, 8};
  HOLDS(count == 2);
  for (int at = 0; at < length; ++at) {
    one[at] = aclFloatToFloat16((float)(at % 100));
    other[at] = aclFloatToFloat16(1.5F);
  }
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtMalloc(&x, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMalloc(&y, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMalloc(&z, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  OK(aclrtMemcpy(x, bytes, one, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtMemcpy(y, bytes, other, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  OK(aclrtBinaryLoadFromFile(arguments[1], NULL, &file));
  launch("add_custom", NULL);
  check();
  launch("add_custom_tiled", tiling);
  check();
  OK(aclrtBinaryUnLoad(file));
  OK(aclrtFree(x));
  OK(aclrtFree(y));
  OK(aclrtFree(z));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
