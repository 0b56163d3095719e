/* d2d, and a kernel on the other side; the copy is a task of a stream. */
#define COPY_KIND ACL_MEMCPY_DEVICE_TO_DEVICE
#define COPY_ASYNC 1
#include "copy.inc"
