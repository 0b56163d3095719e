#include "bad_enums.h"

#include <string.h>

static void do_nothing(void* data) { (void)data; }

aclError set_device_limit_of(int type) { return aclrtSetDeviceResLimit(0, (aclrtDevResLimitType)type, 1); }

aclError get_limit_here_of(int type) {
  uint32_t value = 0;
  return aclrtGetResInCurrentThread((aclrtDevResLimitType)type, &value);
}

aclError set_option_of(int option) { return aclrtSetSysParamOpt((aclSysParamOpt)option, 1); }

aclError set_context_option_of(int option) { return aclrtCtxSetSysParamOpt((aclSysParamOpt)option, 1); }

aclError set_configuration_of(aclrtStreamConfigHandle* handle, int part, const void* value, size_t bytes) {
  return aclrtSetStreamConfigOpt(handle, (aclrtStreamConfigAttr)part, value, bytes);
}

aclError launch_callback_of(int block_type, aclrtStream stream) {
  return aclrtLaunchCallback(do_nothing, NULL, (aclrtCallbackBlockType)block_type, stream);
}

aclError register_start_of(int type, aclInitCallbackFunc function) {
  return aclInitCallbackRegister((aclRegisterCallbackType)type, function, NULL);
}

aclError make_random_numbers_of(int distribution, void* memory, aclrtStream stream) {
  aclrtRandomNumTaskInfo task;
  memset(&task, 0, sizeof task);
  task.randomNumFuncParaInfo.funcType = (aclrtRandomNumFuncType)distribution;
  task.randomResultAddr = memory;
  task.randomCounterAddr = memory;
  return aclrtRandomNumAsync(&task, stream, NULL);
}
