#include <iostream>

#include "soma/soma.hpp"

int main() {
  auto runtime = soma::runtime::create();
  if (!runtime) {
    std::cerr << runtime.error().message << '\n';
    return 1;
  }
  auto device = runtime->get_device().value();
  auto stream = device.create_stream().value();
  auto pool = device.create_pool({.minimum_block = 512}).value();
  void* const block = pool.malloc_async(4096, stream).value();
  const auto freed = pool.free_async(block, stream);
  const bool same = pool.malloc_async(4096, stream).value() == block;
  if (!freed || !stream.synchronize()) {
    std::cerr << "the stream has failed\n";
    return 1;
  }
  std::cout << "from C++: " << (same ? "the same block again" : "another block") << '\n';
  return same ? 0 : 1;
}
