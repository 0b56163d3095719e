// How the examples in C treat errors: none can go on after a failed call, so a failure ends the program.
#ifndef SOMA_EXAMPLES_CHECK_H
#define SOMA_EXAMPLES_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

static inline void check(aclError code, const char* call, const char* file, int line) {
  if (code == ACL_SUCCESS) {
    return;
  }
  const char* reason = aclGetRecentErrMsg();
  fprintf(stderr, "%s:%d: %s\n  returned %d: %s\n", file, line, call, code,
          reason != NULL ? reason : "(no message)");
  exit(EXIT_FAILURE);
}

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

#endif
