/* What the programs of this folder have in common. Each makes the calls of a program that was written for
   CANN, as its users write them, with the same checks; it ends with 0 if all hold. */
#ifndef SOMA_TESTS_ACL_PROGRAMS_CHECK_H
#define SOMA_TESTS_ACL_PROGRAMS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

/* Ends the program with a message if a call does not return the code. */
#define EXPECT(code, call)                                                                 \
  do {                                                                                     \
    const aclError returned_ = (call);                                                     \
    if (returned_ != (code)) {                                                             \
      const char* text_ = aclGetRecentErrMsg();                                            \
      fprintf(stderr, "%s:%d: %s returned %d\n%s\n", __FILE__, __LINE__, #call, returned_, \
              text_ == NULL ? "" : text_);                                                 \
      exit(1);                                                                             \
    }                                                                                      \
  } while (0)

#define OK(call) EXPECT(ACL_SUCCESS, call)

/* Ends the program with a message if a condition does not hold. */
#define HOLDS(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

#endif
