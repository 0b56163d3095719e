/* What the programs about memory have in common: each makes the calls of a program that was written for CANN,
   as its users write them, with the same checks; it ends with 0 if all hold. Some are two processes: the
   program runs itself again, with a pipe in each direction. */
#ifndef SOMA_TESTS_ACL_PROGRAMS_MEMORY_PROGRAM_H
#define SOMA_TESTS_ACL_PROGRAMS_MEMORY_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* The other of two processes. */
struct partner {
  int from;
  int to;
  pid_t process; /* of the child, for its parent */
};

/* Starts the program again with the arguments "child", the descriptors to use, and `mode`. */
static inline struct partner start_partner(const char* program, const char* mode) {
  int down[2];
  int up[2];
  HOLDS(pipe(down) == 0 && pipe(up) == 0);
  const pid_t child = fork();
  HOLDS(child >= 0);
  if (child == 0) {
    char from[16];
    char to[16];
    close(down[1]);
    close(up[0]);
    snprintf(from, sizeof from, "%d", down[0]);
    snprintf(to, sizeof to, "%d", up[1]);
    execl(program, program, "child", from, to, mode, (char*)NULL);
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  const struct partner made = {up[0], down[1], child};
  return made;
}

static inline struct partner partner_of(char** arguments) {
  const struct partner parent = {atoi(arguments[2]), atoi(arguments[3]), 0};
  return parent;
}

static inline void say(const struct partner* to, const void* data, size_t bytes) {
  HOLDS(write(to->to, data, bytes) == (ssize_t)bytes);
}

static inline void hear_from(const struct partner* from, void* data, size_t bytes) {
  HOLDS(read(from->from, data, bytes) == (ssize_t)bytes);
}

static inline void end_partner(const struct partner* child) {
  int status = 0;
  HOLDS(waitpid(child->process, &status, 0) == child->process);
  HOLDS(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

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
