// foreign_free: a free of an address at which no block begins. The call returns an error.

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

int main() {
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{}}));
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto stream = must(device.create_stream());

  auto* block = static_cast<char*>(must(pool.malloc_async(4096, stream)));
  static_cast<void>(pool.free_async(block + 64, stream));
  must(pool.free_async(block, stream));

  must(device.synchronize());
}
