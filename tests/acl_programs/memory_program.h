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

#include "acl/acl.h"

/* Ends the program with a message if a call does not return the code. */
#define MUST_RETURN(code, call)                                                                 \
  do {                                                                                          \
    const aclError returned_ = (call);                                                          \
    if (returned_ != (code)) {                                                                  \
      const char* text_ = aclGetRecentErrMsg();                                                 \
      fprintf(stderr, "%s:%d: %s returned %d\n%s\n", __FILE__, __LINE__, #call, (int)returned_, \
              text_ == NULL ? "" : text_);                                                      \
      exit(1);                                                                                  \
    }                                                                                           \
  } while (0)

#define MUST(call) MUST_RETURN(ACL_SUCCESS, call)

#define MUST_HOLD(condition)                                                  \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

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
  MUST_HOLD(pipe(down) == 0 && pipe(up) == 0);
  const pid_t child = fork();
  MUST_HOLD(child >= 0);
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
  MUST_HOLD(write(to->to, data, bytes) == (ssize_t)bytes);
}

static inline void hear_from(const struct partner* from, void* data, size_t bytes) {
  MUST_HOLD(read(from->from, data, bytes) == (ssize_t)bytes);
}

static inline void end_partner(const struct partner* child) {
  int status = 0;
  MUST_HOLD(waitpid(child->process, &status, 0) == child->process);
  MUST_HOLD(WIFEXITED(status) && WEXITSTATUS(status) == 0);
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
  MUST(aclrtLaunchHostFunc(stream, write_value, &what));
  MUST(aclrtSynchronizeStream(stream));
}

/* What p[0] is on the device. */
static inline int value_at(const int* p) {
  int value = -1;
  MUST(aclrtMemcpy(&value, sizeof value, p, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
  return value;
}

#endif
