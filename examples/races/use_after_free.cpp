// use_after_free: a block is freed on the stream that made it, while another stream may still read it.

#include <vector>

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

int main() {
  std::vector<char> result(4096);
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{}}));
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool());
  auto writer = must(device.create_stream());
  auto reader = must(device.create_stream());
  auto written = must(device.create_event());

  void* block = must(pool.malloc_async(4096, writer));
  must(writer.fill(block, 1, 4096));
  must(writer.record(written));
  must(reader.wait(written));
  must(reader.copy(result.data(), block, 4096));
  must(pool.free_async(block, writer));  // nothing says that the reader is done

  must(device.synchronize());
}
