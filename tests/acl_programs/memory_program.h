/* What the programs about memory have in common: each makes the calls of a program that was written for CANN,
   as its users write them, with the same checks; it ends with 0 if all hold. Some are two processes. */
#ifndef SOMA_TESTS_ACL_PROGRAMS_MEMORY_PROGRAM_H
#define SOMA_TESTS_ACL_PROGRAMS_MEMORY_PROGRAM_H

#include "check.h"
#include "two_processes.h"

/* Stands for a kernel that writes: p[0] = value, as a task of the stream. */
struct written_value {
  int* to;
  int value;
};

static inline void write_value(void* arguments) {
  const struct written_value* what = (const struct written_value*)arguments;
  *what->to = what->value;
}

static inline void write_on(aclrtStream stream, int* to, int value) {
  struct written_value what = {to, value};
  OK(aclrtLaunchHostFunc(stream, write_value, &what));
  OK(aclrtSynchronizeStream(stream));
}

/* What p[0] is on the device. */
static inline int value_at(const int* p) {
  int value = -1;
  OK(aclrtMemcpy(&value, sizeof value, p, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  return value;
}

#endif
