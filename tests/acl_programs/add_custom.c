/* The kernels of launch_kernel and zero_copy, as a file that is loaded: z = x + y in half precision, with its
   length and tiles in the arguments or fixed. */
#include "acl/acl_base.h"
#include "acl/soma_kernel.h"

enum { fixed_length = 16384 };

struct arguments {
  const aclFloat16* x;
  const aclFloat16* y;
  aclFloat16* z;
};

struct tiled_arguments {
  struct arguments with;
  const int32_t* tiling; /* the length, and in how many tiles each block does its part */
};

static int add(const struct arguments* with, uint32_t length, uint32_t block, uint32_t blocks) {
  for (uint32_t at = length / blocks * block; at < length / blocks * (block + 1); ++at)
    with->z[at] = aclFloatToFloat16(aclFloat16ToFloat(with->x[at]) + aclFloat16ToFloat(with->y[at]));
  return 0;
}

__attribute__((visibility("default"))) int add_custom(const void* args, size_t bytes, uint32_t block,
                                                      uint32_t blocks) {
  (void)bytes;
  return add(args, fixed_length, block, blocks);
}

__attribute__((visibility("default"))) int add_custom_tiled(const void* args, size_t bytes, uint32_t block,
                                                            uint32_t blocks) {
  const struct tiled_arguments* const tiled = args;
  (void)bytes;
  return add(&tiled->with, (uint32_t)tiled->tiling[0], block, blocks);
}
