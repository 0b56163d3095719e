// Two streams, one pool: when may memory that one stream freed go to the other?
//
// Stream A frees a block while its tasks have not run yet. Stream B then asks for memory twice: first with no
// order between the streams, so that A's block must not be touched and B gets another address; then behind an
// event that A recorded after the free, so that B gets A's block. In both cases malloc_async answers at once.
// The order of the streams decides, not what has been executed: A is held up the whole time.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <vector>

#include "check.hpp"
#include "soma/soma.hpp"

namespace {

using example::must;

constexpr std::size_t block_bytes = std::size_t{8} << 20;
constexpr std::uint8_t written_by_a = 0xaa;
constexpr std::uint8_t written_by_b = 0xbb;

bool all_as_expected = true;

/// Prints one line of the story and remembers whether it went as told.
void expect(bool held, const char* what) {
  std::printf("  [%s] %s\n", held ? "ok" : "NOT SO", what);
  all_as_expected = all_as_expected && held;
}

void run() {
  // A copy task writes here: it has to outlive the runtime, which ends only after all tasks have.
  std::vector<std::uint8_t> seen(block_bytes);

  const soma::runtime runtime = must(soma::runtime::create());
  soma::device device = must(runtime.get_device());
  soma::stream a = must(device.create_stream());
  soma::stream b = must(device.create_stream());
  soma::event freed = must(device.create_event());

  // Reuse within one stream is always on. Reuse along events is a switch of the pool.
  soma::pool_options options;
  options.limit = std::uint64_t{1} << 30;
  options.reuse.event = true;
  soma::pool pool = must(device.create_pool(options));

  // A's first task waits until the host opens the gate, so none of A's other tasks runs before that.
  std::promise<void> gate;
  must(a.call([opened = gate.get_future().share()] { opened.wait(); }));

  std::puts("Stream A allocates, fills and frees a block; its tasks are queued and held up.");
  void* const first = must(pool.malloc_async(block_bytes, a));
  must(a.fill(first, written_by_a, block_bytes));
  must(pool.free_async(first, a));

  std::puts("Stream B allocates without any order between A and B:");
  void* const unordered = must(pool.malloc_async(block_bytes, b));
  expect(unordered != first, "B gets another address, because A may still use the block");
  expect(must(pool.statistics()).served.event == 0, "no allocation was served by an event");

  std::puts("A records an event behind the free, B waits for it and allocates again:");
  must(a.record(freed));
  must(b.wait(freed));
  void* const ordered = must(pool.malloc_async(block_bytes, b));
  expect(ordered == first, "B gets A's block: the same address");
  expect(must(pool.statistics()).served.event == 1, "one allocation was served by an event");
  expect(!must(a.query()), "A has not even run its tasks yet");

  // Were the streams not really ordered, A's late fill would overwrite what B writes here.
  must(b.fill(ordered, written_by_b, block_bytes));
  must(b.copy(seen.data(), ordered, block_bytes));
  must(pool.free_async(ordered, b));
  must(pool.free_async(unordered, b));

  std::puts("The gate opens; A runs, then B:");
  gate.set_value();
  must(b.synchronize());
  const auto is_from_b = [](std::uint8_t byte) { return byte == written_by_b; };
  expect(std::all_of(seen.begin(), seen.end(), is_from_b), "the block holds what B wrote");
  must(device.synchronize());
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "event_reuse: %s\n", failure.what());
    return EXIT_FAILURE;
  }
  return all_as_expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
