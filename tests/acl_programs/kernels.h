/* The kernels of the programs, as functions of the host behind wrappers. A wrapper has the shape of what
   launches kernel<<<blocks, NULL, stream>>>(...) elsewhere: it queues the kernel, and errors come with the
   synchronise. */
#ifndef SOMA_TESTS_ACL_PROGRAMS_KERNELS_H
#define SOMA_TESTS_ACL_PROGRAMS_KERNELS_H

#include <stdint.h>

#include "acl/acl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x[block] += 1, and x[block] *= 2. */
void easy_op(uint32_t blocks, aclrtStream stream, uint32_t* x);
void short_op(uint32_t blocks, aclrtStream stream, uint32_t* x);

/* x[block] += 1, but not before let_long_ops_end() was called, or the stream's task is stopped. */
void long_op(uint32_t blocks, aclrtStream stream, uint32_t* x);
void let_long_ops_end(void);

/* Fails. */
void error_op(uint32_t blocks, aclrtStream stream);

/* p[block] = value; and prints p[block]. */
void write_op(uint32_t blocks, aclrtStream stream, int* p, int value);
void read_op(uint32_t blocks, aclrtStream stream, const int* p);
int last_read(void); /* what read_op has printed last */

/* Prints a line for each block, and counts them: printed_lines(). */
void print_op(uint32_t blocks, aclrtStream stream);
int printed_lines(void);

/* to = a + factor * b for n floats, shared out among the blocks. */
void add_op(uint32_t blocks, aclrtStream stream, const float* a, const float* b, float* to, float factor,
            uint32_t n);

#ifdef __cplusplus
}
#endif

#endif
