// stray_access: a kernel keeps a pointer to a block that was freed. No argument shows that, but with guard
// the freed memory is inaccessible: the task fails, and the report tells whose memory it was.

#include <cstdint>

#include "../check.hpp"
#include "soma/soma.hpp"

using example::must;

namespace {

char* kept = nullptr;

int use_what_is_kept(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
                     std::uint32_t /*blocks*/) {
  kept[128] = 1;
  return 0;
}

}  // namespace

int main() {
  const auto runtime = must(soma::runtime::create({.check = soma::check_options{.guard = true}}));
  auto device = must(runtime.get_device());
  auto pool = must(device.create_pool({.release_threshold = soma::granule_bytes}));
  auto stream = must(device.create_stream());
  const auto kernel = soma::kernel::from_function(use_what_is_kept, "use_what_is_kept");

  kept = static_cast<char*>(must(pool.malloc_async(4096, stream)));
  must(stream.launch(kernel, {}, 1));
  must(pool.free_async(kept, stream));
  must(stream.synchronize());
  must(stream.launch(kernel, {}, 1));

  static_cast<void>(stream.synchronize());  // returns the failure of the task
}
