// leak: a block that nobody frees. It is told when the runtime ends.

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

int main() {
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{}}));
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto stream = must(device.create_stream());

  must(pool.malloc_async(4096, stream));
}
