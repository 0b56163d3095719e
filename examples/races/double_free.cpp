// double_free: the second free of a block. The call returns an error; the report tells where the first was.

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

int main() {
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{}}));
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto stream = must(device.create_stream());

  void* block = must(pool.malloc_async(4096, stream));
  must(pool.free_async(block, stream));
  static_cast<void>(pool.free_async(block, stream));

  must(device.synchronize());
}
