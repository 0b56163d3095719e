// free_before_last_use: plain memory is freed at once, before the host has seen the stream's work complete.

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

int main() {
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{}}));
  auto device = must(runtime.get_device());
  auto stream = must(device.create_stream());

  void* from = must(device.malloc(4096));
  void* to = must(device.malloc(4096));
  must(stream.fill(from, 1, 4096));
  must(stream.copy(to, from, 4096));
  must(device.free(from));  // a synchronize has to come first

  must(stream.synchronize());
  must(device.free(to));
}
