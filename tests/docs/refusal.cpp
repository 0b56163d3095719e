// Prints the refusal that README.md shows: all of the pool's memory is idle behind a free of another stream.

#include <cstdint>
#include <future>
#include <iostream>

#include "soma/soma.hpp"

int main() {
  constexpr std::uint64_t all = std::uint64_t{64} << 20;
  auto runtime = soma::runtime::create({.device_memory = std::uint64_t{64} << 30}).value();
  auto device = runtime.get_device().value();
  auto first = device.create_stream().value();
  auto second = device.create_stream().value();
  auto pool = device.create_pool({.limit = all}).value();
  std::promise<void> gate;
  const bool held = first.call([opened = gate.get_future().share()] { opened.wait(); }).has_value();
  const auto block = pool.malloc_async(all, first);
  const bool freed = block && pool.free_async(*block, first);
  const auto refused = pool.malloc_async(all, second);
  gate.set_value();
  if (!held || !freed || refused) {
    std::cerr << "nothing was refused\n";
    return 1;
  }
  std::cout << refused.error().message << '\n';
}
