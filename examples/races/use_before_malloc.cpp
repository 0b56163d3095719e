// use_before_malloc: a stream uses a block that another stream allocates, with no order between the two. The
// address is known at once, but the memory is there only from the allocation's place in its stream on.

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
  must(other.fill(block, 1, 4096));

  must(device.synchronize());
  must(pool.free_async(block, one));
}
