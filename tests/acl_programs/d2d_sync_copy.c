/* d2d, and a kernel on the other side; the call returns when it is done. */
#define COPY_KIND ACL_MEMCPY_DEVICE_TO_DEVICE
#include "copy.inc"
