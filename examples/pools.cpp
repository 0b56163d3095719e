// Pools without stream order: an adaptive allocator under the containers of the standard library, buffers
// with counted users, and a pool whose blocks are moved together.

#include <cstring>
#include <iostream>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "soma/soma.hpp"

using example::must;

namespace {

void containers(soma::device& device) {
  auto allocator = must(soma::adaptive_allocator::create(device));
  {
    soma::pool_resource resource(allocator);
    std::pmr::vector<std::pmr::string> lines(&resource);
    for (int number = 0; number < 100; ++number) {
      lines.emplace_back("line " + std::to_string(number) + " of a text that has a block of its own");
    }
  }
  for (const auto& choice : must(allocator.choices())) {
    std::cout << (choice.block_bytes > 0 ? std::to_string(choice.block_bytes) + " bytes: " : "the rest: ")
              << choice.statistics.allocations << " allocations out of " << choice.statistics.reserved
              << " bytes\n";
  }
}

void buffers(soma::device& device) {
  auto reuser = must(soma::buffer_reuser::create(device, 1 << 20));
  auto first = must(reuser.acquire(10'000));
  const auto copy = first;  // a second user
  first = {};
  std::cout << must(reuser.statistics()).live_blocks << " buffer is in use\n";
}

void moving(soma::device& device) {
  auto stream = must(device.create_stream());
  auto pool = must(soma::compactor::create(device, 8 << 20));
  std::optional gone(must(pool.allocate(2 << 20)));
  auto kept = must(pool.allocate(4 << 20));
  std::strcpy(static_cast<char*>(must(kept.pin()).data()), "the bytes follow");
  gone.reset();
  const auto report = must(pool.compact(stream));  // a task of the stream
  must(stream.synchronize());
  std::cout << report.bytes_mapped
            << " bytes were mapped elsewhere: " << static_cast<const char*>(must(kept.pin()).data()) << '\n';
}

}  // namespace

int main() {
  auto runtime = must(soma::runtime::create());
  auto device = must(runtime.get_device());
  containers(device);
  buffers(device);
  moving(device);
}
