// free_before_last_use: plain memory is freed at once, before the host has seen the stream's work complete.

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

int main() {
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{}}));
  auto device = must(runtime.get_device());
  auto stream = must(device.create_stream());

  void* block = must(device.malloc(4096));
  must(stream.fill(block, 1, 4096));
  must(device.free(block));  // a synchronize has to come first

  static_cast<void>(device.synchronize());  // the fill may have hit memory that was given back
}
