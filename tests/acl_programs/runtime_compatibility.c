/* What software and chip can do: all queries succeed. */
#include <string.h>

#include "check.h"

int main(void) {
  char part[] = "runtime";
  char text[ACL_PKG_VERSION_MAX_SIZE];
  int32_t number = 0;
  const aclCannAttr* attributes = NULL;
  size_t count = 0;
  int32_t value = -1;
  OK(aclInit(NULL));
  OK(aclrtSetDevice(0));
  OK(aclsysGetVersionStr(part, text));
  OK(aclsysGetVersionNum(part, &number));
  OK(aclGetCannAttributeList(&attributes, &count));
  HOLDS(count == 3);
  for (size_t at = 0; at < count; ++at) {
    OK(aclGetCannAttribute(attributes[at], &value));
    HOLDS(value == 0 || value == 1);
  }
  const char* chip = aclrtGetSocName();
  HOLDS(chip != NULL && strlen(chip) > 0);
  OK(aclrtCheckArchCompatibility(chip, &value));
  HOLDS(value == 1);
  OK(aclrtGetDeviceCapability(0, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &value));
  HOLDS(value == ACL_DEV_FEATURE_SUPPORT || value == ACL_DEV_FEATURE_NOT_SUPPORT);
  OK(aclrtResetDeviceForce(0));
  OK(aclFinalize());
  return 0;
}
