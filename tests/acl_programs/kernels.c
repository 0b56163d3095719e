#include "kernels.h"

#include <stdatomic.h>
#include <stdio.h>

#include "acl/soma_kernel.h"

struct one_pointer {
  uint32_t* x;
};

struct write_arguments {
  int* p;
  int value;
};

struct add_arguments {
  const float* a;
  const float* b;
  float* to;
  float factor;
  uint32_t n;
};

static atomic_int long_ops_may_end = 0;
static atomic_int lines = 0;
static atomic_int latest_read = 0;

/* Registering again gives the same handle. */
static void launch(const char* name, somaKernel kernel, uint32_t blocks, aclrtStream stream,
                   const void* arguments, size_t bytes) {
  aclrtFuncHandle function = NULL;
  if (somaKernelRegister(name, kernel, &function) == ACL_SUCCESS)
    (void)aclrtLaunchKernel(function, blocks, arguments, bytes, stream);
}

static int easy(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
  (void)bytes, (void)blocks;
  ((const struct one_pointer*)arguments)->x[block] += 1;
  return 0;
}

static int shorter(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
  (void)bytes, (void)blocks;
  ((const struct one_pointer*)arguments)->x[block] *= 2;
  return 0;
}

static int longer(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
  while (!atomic_load(&long_ops_may_end))
    if (somaKernelStopRequested())
      return 0;
  return easy(arguments, bytes, block, blocks);
}

static int fail(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
  (void)arguments, (void)bytes, (void)block, (void)blocks;
  return 1;
}

static int write_value(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
  const struct write_arguments* const with = arguments;
  (void)bytes, (void)blocks;
  with->p[block] = with->value;
  return 0;
}

static int read_value(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
  const int value = ((const struct write_arguments*)arguments)->p[block];
  (void)bytes, (void)blocks;
  printf("block %u reads %d\n", block, value);
  atomic_store(&latest_read, value);
  return 0;
}

static int print_line(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
  (void)arguments, (void)bytes;
  printf("block %u of %u\n", block, blocks);
  atomic_fetch_add(&lines, 1);
  return 0;
}

static int add(const void* arguments, size_t bytes, uint32_t block, uint32_t blocks) {
  const struct add_arguments* const with = arguments;
  const uint64_t begin = (uint64_t)with->n * block / blocks;
  const uint64_t end = (uint64_t)with->n * (block + 1) / blocks;
  (void)bytes;
  for (uint64_t at = begin; at < end; ++at)
    with->to[at] = with->a[at] + with->factor * with->b[at];
  return 0;
}

void easy_op(uint32_t blocks, aclrtStream stream, uint32_t* x) {
  const struct one_pointer with = {x};
  launch("easy_op", easy, blocks, stream, &with, sizeof with);
}

void short_op(uint32_t blocks, aclrtStream stream, uint32_t* x) {
  const struct one_pointer with = {x};
  launch("short_op", shorter, blocks, stream, &with, sizeof with);
}

void long_op(uint32_t blocks, aclrtStream stream, uint32_t* x) {
  const struct one_pointer with = {x};
  launch("long_op", longer, blocks, stream, &with, sizeof with);
}

void let_long_ops_end(void) { atomic_store(&long_ops_may_end, 1); }

void error_op(uint32_t blocks, aclrtStream stream) {
  const struct one_pointer with = {NULL};
  launch("error_op", fail, blocks, stream, &with, sizeof with);
}

void write_op(uint32_t blocks, aclrtStream stream, int* p, int value) {
  const struct write_arguments with = {p, value};
  launch("write_op", write_value, blocks, stream, &with, sizeof with);
}

void read_op(uint32_t blocks, aclrtStream stream, const int* p) {
  const struct write_arguments with = {(int*)p, 0};
  launch("read_op", read_value, blocks, stream, &with, sizeof with);
}

int last_read(void) { return atomic_load(&latest_read); }

void print_op(uint32_t blocks, aclrtStream stream) {
  const struct one_pointer with = {NULL};
  launch("print_op", print_line, blocks, stream, &with, sizeof with);
}

int printed_lines(void) { return atomic_load(&lines); }

void add_op(uint32_t blocks, aclrtStream stream, const float* a, const float* b, float* to, float factor,
            uint32_t n) {
  const struct add_arguments with = {a, b, to, factor, n};
  launch("add_op", add, blocks, stream, &with, sizeof with);
}
