#include "bench/subjects/malloc_library.hpp"

#include <dlfcn.h>

namespace soma::bench {

std::optional<malloc_library> malloc_library::open(const names& of, std::string& why) {
  // It stays open to the end: threads may have memory of it in their own keeping.
  void* const library = ::dlopen(of.file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    why = ::dlerror();
    return std::nullopt;
  }
  void* const allocate = ::dlsym(library, of.malloc);
  void* const release = ::dlsym(library, of.free);
  if (allocate == nullptr || release == nullptr) {
    why = std::string(of.file) + " lacks " + of.malloc + " or " + of.free;
    return std::nullopt;
  }
  return malloc_library(reinterpret_cast<void* (*)(std::size_t)>(allocate),
                        reinterpret_cast<void (*)(void*)>(release));
}

}  // namespace soma::bench
