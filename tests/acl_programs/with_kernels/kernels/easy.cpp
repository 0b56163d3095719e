#include "easy.h"

#include "kernel_operator.h"

extern "C" __global__ __aicore__ void easy(__gm__ uint32_t* x) { x[block_idx] += 1; }

void easy_op(uint32_t blocks, void* stream, uint32_t* x) { easy<<<blocks, nullptr, stream>>>(x); }
