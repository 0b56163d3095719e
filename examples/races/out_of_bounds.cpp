// out_of_bounds: a fill goes beyond what was asked for. The pool rounds blocks up, so it harms nobody today.

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

int main() {
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{}}));
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto stream = must(device.create_stream());

  void* block = must(pool.malloc_async(4000, stream));
  must(stream.fill(block, 1, 4096));
  must(pool.free_async(block, stream));

  must(device.synchronize());
}
