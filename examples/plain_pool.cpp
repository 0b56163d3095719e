// A pool for small plain allocations: chunks of 2 MiB, of which it gives out pieces.
//
// What to look at: the pool waits for no stream and orders nothing, unlike pools of streams. Freed neighbours
// are not joined, and more than five chunks without a live block are given back. C programs have one with
// SOMA_PLAIN_POOL=1.

#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "check.hpp"
#include "soma/soma.hpp"

namespace {

using example::must;

void print(const char* when, const soma::device& device) {
  const auto pool = must(device.plain_pool());
  std::printf("%-28s %2llu chunks, %2llu of them free, %4llu blocks\n", when,
              static_cast<unsigned long long>(pool.chunks), static_cast<unsigned long long>(pool.free_chunks),
              static_cast<unsigned long long>(pool.live_blocks));
}

void run() {
  constexpr std::size_t small = 64 << 10;
  constexpr std::size_t count = 300;
  soma::runtime_options options;
  options.plain_pool = true;
  auto runtime = must(soma::runtime::create(options));
  auto device = must(runtime.get_device(0));
  print("at first", device);

  std::vector<void*> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back(must(device.malloc(small)));
  }
  print("with 300 blocks of 64 KiB", device);
  for (void* const block : blocks) {
    must(device.free(block));
  }
  print("when all are freed", device);

  // Above 2 MiB the device is asked itself.
  void* const large = must(device.malloc(std::size_t{4} << 20));
  std::printf("%llu request has gone past the pool\n",
              static_cast<unsigned long long>(must(device.plain_pool()).bypassed));
  must(device.free(large));
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "plain_pool: %s\n", failure.what());
    return 1;
  }
  return 0;
}
