// An allocator of host memory as a subject: a library that is opened while the program runs, if it is
// installed. What it gives out is never touched, as with the other subjects.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace soma::bench {

class malloc_library {
public:
  static constexpr std::size_t burst = 50'000;

  /// What to open, and what its functions are called.
  struct names {
    std::string_view subject;
    const char* file;
    const char* malloc;
    const char* free;
  };

  /// Nothing if it is not installed or cannot be opened; `why` gets the reason.
  static std::optional<malloc_library> open(const names& of, std::string& why);

  class seat {
  public:
    explicit seat(const malloc_library& of) noexcept : malloc_(of.malloc_), free_(of.free_) {
      // nop
    }

    void* allocate(std::size_t bytes) { return malloc_(bytes); }

    void deallocate(void* block, std::size_t /*bytes*/) { free_(block); }

  private:
    void* (*malloc_)(std::size_t);
    void (*free_)(void*);
  };

  seat take_seat() const noexcept { return seat(*this); }

private:
  malloc_library(void* (*malloc)(std::size_t), void (*free)(void*)) noexcept : malloc_(malloc), free_(free) {
    // nop
  }

  void* (*malloc_)(std::size_t);
  void (*free_)(void*);
};

inline constexpr malloc_library::names malloc_libraries[] = {
    {"mimalloc", "libmimalloc.so.2", "mi_malloc", "mi_free"},
    {"jemalloc", "libjemalloc.so.2", "malloc", "free"},
    {"tbb", "libtbbmalloc.so.2", "scalable_malloc", "scalable_free"},
};

}  // namespace soma::bench
