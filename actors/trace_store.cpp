#include "actors/trace_store.hpp"

#include <cpuid.h>
#include <sys/mman.h>

#include <new>

#include "actors/tick.hpp"

namespace soma::actors {

bool has_even_counter() noexcept {
  constexpr unsigned power_features = 0x80000007U;
  constexpr unsigned even_counter_bit = 1U << 8U;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(power_features, &a, &b, &c, &d) != 0 && (d & even_counter_bit) != 0;
}

namespace {

// Never given twice in the process, so that entries of different traces cannot be taken for each other.
std::atomic<std::uint64_t> last_serial{0};

}  // namespace

// As pages of the system, which are zero and cost nothing before they are used: a chunk of zeros is an empty
// one that nobody has taken.
trace_store::trace_store(std::size_t chunks) : size_(chunks) {
  auto* pages = ::mmap(nullptr, chunks * sizeof(trace_chunk), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) {
    throw std::bad_alloc();
  }
  chunks_ = static_cast<trace_chunk*>(pages);
}

trace_chunk* trace_store::take(std::uint64_t session, std::uint32_t thread) noexcept {
  for (std::size_t tries = 0; tries < size_; ++tries) {
    auto& chunk = chunks_[next_.fetch_add(1, std::memory_order_relaxed) % size_];
    if (chunk.taken.exchange(true, std::memory_order_acq_rel)) {
      continue;
    }
    if (chunk.session.load(std::memory_order_relaxed) == session) {
      count_dropped(chunk.count.load(std::memory_order_relaxed));
    }
    chunk.serial.store(0, std::memory_order_release);
    chunk.count.store(0, std::memory_order_release);
    chunk.session.store(session, std::memory_order_release);
    chunk.thread.store(thread, std::memory_order_release);
    chunk.serial.store(last_serial.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_release);
    return &chunk;
  }
  return nullptr;
}

}  // namespace soma::actors
