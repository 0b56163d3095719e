/* Versions, half-precision numbers and sizes of elements, without a device. */
#include <math.h>
#include <string.h>

#include "check.h"

int main(void) {
  char part[] = "runtime";
  char text[ACL_PKG_VERSION_MAX_SIZE];
  int32_t number = 0;
  aclrtRunMode mode = ACL_DEVICE;
  OK(aclInit(NULL));
  OK(aclsysGetVersionStr(part, text));
  OK(aclsysGetVersionNum(part, &number));
  HOLDS(strlen(text) > 0 && number > 0);
  OK(aclrtGetRunMode(&mode));
  HOLDS(mode == ACL_HOST);
  HOLDS(fabsf(aclFloat16ToFloat(aclFloatToFloat16(3.14F)) - 3.14F) < 0.01F);
  HOLDS(aclDataTypeSize(ACL_FLOAT16) == 2 && aclDataTypeSize(ACL_FLOAT) == 4 &&
        aclDataTypeSize(ACL_INT64) == 8);
  OK(aclFinalize());
  return 0;
}
