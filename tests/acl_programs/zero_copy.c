/* A kernel from a file (the first argument) on memory of the host that is registered for the device. */
#include "check.h"

enum { length = 16384, bytes = length * sizeof(aclFloat16), blocks = 8 };

static aclFloat16* registered(float value) {
  void* host;
  OK(aclrtMallocHost(&host, bytes));
  for (int at = 0; at < length; ++at)
    ((aclFloat16*)host)[at] = aclFloatToFloat16(value);
  OK(aclrtHostRegisterV2(host, bytes, ACL_HOST_REG_MAPPED));
  return host;
}

int main(int count, char** arguments) {
  aclrtBinHandle file;
  aclrtFuncHandle function;
  aclrtArgsHandle with;
  aclrtParamHandle parameter;
  aclrtStream stream;
  aclFloat16* host[3];
  HOLDS(count == 2);
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtCreateStream(&stream));
  OK(aclrtBinaryLoadFromFile(arguments[1], NULL, &file));
  OK(aclrtBinaryGetFunction(file, "add_custom", &function));
  OK(aclrtKernelArgsInit(function, &with));
  for (int at = 0; at < 3; ++at) {
    void* device;
    host[at] = registered(at == 2 ? 0.0F : (float)(at + 1));
    OK(aclrtHostGetDevicePointer(host[at], &device, 0));
    OK(aclrtKernelArgsAppend(with, &device, sizeof device, &parameter));
  }
  OK(aclrtKernelArgsFinalize(with));
  OK(aclrtLaunchKernelWithConfig(function, blocks, stream, NULL, with, NULL));
  OK(aclrtSynchronizeStream(stream));
  for (int at = 0; at < length; ++at)
    HOLDS(aclFloat16ToFloat(host[2][at]) == 3.0F);
  for (int at = 0; at < 3; ++at) {
    OK(aclrtHostUnregister(host[at]));
    OK(aclrtFreeHost(host[at]));
  }
  OK(aclrtBinaryUnLoad(file));
  OK(aclrtDestroyStream(stream));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
