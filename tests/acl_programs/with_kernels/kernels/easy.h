#pragma once
#include <cstdint>

// x[block] += 1.
void easy_op(uint32_t blocks, void* stream, uint32_t* x);
