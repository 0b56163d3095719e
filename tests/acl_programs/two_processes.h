/* A program that runs itself again as the other of two processes, with a pipe in each direction. */
#ifndef SOMA_TESTS_ACL_PROGRAMS_TWO_PROCESSES_H
#define SOMA_TESTS_ACL_PROGRAMS_TWO_PROCESSES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct other_process {
  int from;
  int to;
  pid_t process; /* of the child, for the parent */
};

/* For the parent: starts the program with the arguments "child", the descriptors to use, and `more`. */
static inline struct other_process start_child(const char* program, const char* more) {
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
    execl(program, program, "child", from, to, more, (char*)NULL);
    _exit(127);
  }
  close(down[0]);
  close(up[1]);
  const struct other_process other = {up[0], down[1], child};
  return other;
}

static inline struct other_process parent_of(char** arguments) {
  const struct other_process other = {atoi(arguments[2]), atoi(arguments[3]), 0};
  return other;
}

static inline void tell(const struct other_process* other, const void* data, size_t bytes) {
  HOLDS(write(other->to, data, bytes) == (ssize_t)bytes);
}

static inline void hear(const struct other_process* other, void* data, size_t bytes) {
  HOLDS(read(other->from, data, bytes) == (ssize_t)bytes);
}

static inline void wait_for_child(const struct other_process* other) {
  int status = 0;
  HOLDS(waitpid(other->process, &status, 0) == other->process);
  HOLDS(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif
