/* A stream by a configuration; its calls are looked up by name, as not all of CANN's products have them. */
#include <dlfcn.h>

#include "check.h"

typedef aclrtStreamConfigHandle* (*create_handle)(void);
typedef aclError (*destroy_handle)(aclrtStreamConfigHandle*);
typedef aclError (*set_option)(aclrtStreamConfigHandle*, aclrtStreamConfigAttr, const void*, size_t);
typedef aclError (*create_stream)(aclrtStream*, const aclrtStreamConfigHandle*);

/* A pointer to data may not be cast to one to a function in ISO C. */
union symbol {
  void* data;
  create_handle create;
  destroy_handle destroy;
  set_option set;
  create_stream stream;
};

static union symbol look_up(const char* name) {
  union symbol found;
  found.data = dlsym(RTLD_DEFAULT, name);
  HOLDS(found.data != NULL);
  return found;
}

int main(void) {
  const uint32_t flag = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
  const uint32_t priority = 3;
  uint32_t seen = 0;
  int32_t id = -1;
  aclrtStream stream;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  aclrtStreamConfigHandle* const handle = look_up("aclrtCreateStreamConfigHandle").create();
  HOLDS(handle != NULL);
  OK(look_up("aclrtSetStreamConfigOpt").set(handle, ACL_RT_STREAM_FLAG, &flag, sizeof flag));
  OK(look_up("aclrtSetStreamConfigOpt").set(handle, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority));
  OK(look_up("aclrtCreateStreamV2").stream(&stream, handle));
  OK(aclrtStreamGetId(stream, &id));
  HOLDS(id >= 0);
  OK(aclrtStreamGetFlags(stream, &seen));
  HOLDS(seen == flag);
  OK(aclrtStreamGetPriority(stream, &seen));
  HOLDS(seen == priority);
  OK(aclrtDestroyStream(stream));
  OK(look_up("aclrtDestroyStreamConfigHandle").destroy(handle));
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
