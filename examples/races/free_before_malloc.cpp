// free_before_malloc: a stream frees what another stream allocates, with no order between the two.

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

int main() {
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{}}));
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto one = must(device.create_stream());
  auto other = must(device.create_stream());

  void* block = must(pool.malloc_async(4096, one));
  must(pool.free_async(block, other));

  must(device.synchronize());
}
