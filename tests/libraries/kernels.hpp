// The arguments of the kernels in kernels.cpp, which tests load as a shared library.
//
// Every member starts at a multiple of 8 bytes, so a struct's bytes are also what arguments that were
// appended one by one look like. A kernel accepts more bytes than its struct has, and fails with
// wrong_arguments when there are fewer.
#pragma once

#include <cstdint>

namespace test_kernels {

/// What a kernel returns when it gets fewer bytes than its arguments have.
inline constexpr int wrong_arguments = 1000;

/// add_floats: sum[i] = a[i] + b[i]; each block does its part.
struct add_floats_arguments {
  const float* a;
  const float* b;
  float* sum;
  std::uint64_t count;
};

/// fill_bytes: sets each byte to the low byte of value; each block does its part.
struct fill_bytes_arguments {
  std::uint8_t* destination;
  std::uint64_t bytes;
  std::uint64_t value;
};

/// count_blocks: each block adds 1 atomically.
struct count_blocks_arguments {
  std::uint32_t* counter;
};

/// fail_with_code: each block returns the code.
struct fail_with_code_arguments {
  std::int32_t code;
};

/// set_flag: stores 1 atomically, with release order.
struct set_flag_arguments {
  std::uint32_t* flag;
};

// throw_exception, raise_segv, raise_fpe and raise_ill take no arguments.

}  // namespace test_kernels
