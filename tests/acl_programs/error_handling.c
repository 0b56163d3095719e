/* Errors of a thread: what the last one was, its text, and what the device tells. */
#include <string.h>

#include "check.h"

int main(void) {
  aclrtRunMode mode = ACL_DEVICE;
  aclrtErrorInfo info;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclrtGetRunMode(&mode));
  HOLDS(mode == ACL_HOST);

  EXPECT(ACL_ERROR_INVALID_PARAM, aclrtGetRunMode(NULL));
  EXPECT(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(1000));
  EXPECT(ACL_ERROR_RT_INVALID_DEVICEID, aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
  EXPECT(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  OK(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
  const char* text = aclGetRecentErrMsg();
  HOLDS(text != NULL && strstr(text, "aclrtSetDevice") != NULL && strstr(text, "1000") != NULL);
  HOLDS(aclGetRecentErrMsg() == NULL);

  OK(aclrtGetErrorVerbose(0, &info));
  HOLDS(info.errorType == ACL_RT_NO_ERROR && info.tryRepair == 0 && info.hasDetail == 0);
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
