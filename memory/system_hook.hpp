// The one point that every request to the operating system for memory passes.
//
// A hook on it can count requests or make them fail; it serves fault injection. Without a hook it costs one
// load and one branch.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace soma::memory {

/// What a backing, or who has a wish about its memory, asks the system for.
enum class system_request : std::uint8_t {
  memory_file,  // to make it
  file_size,    // to set it
  addresses,    // to map the file over a range of addresses
  access,       // to make a part accessible
  no_access,    // to make a part inaccessible
  punch,        // to give a part's pages back
  kind,         // to make a part of huge pages, or of a NUMA node's
};

class system_hook {
public:
  virtual ~system_hook() = default;

  /// A request is about to be made; called on many threads at once. Returns 0 to let it go on, or the error
  /// number that it is to fail with.
  virtual int before(system_request request) = 0;

  static inline std::atomic<system_hook*> installed{nullptr};
};

/// Installs a hook, or none with null. The caller keeps the hook alive, and knows that no backing is in use.
inline void install(system_hook* hook) noexcept {
  system_hook::installed.store(hook, std::memory_order_release);
}

/// True, with errno set, if a hook wants the request to fail.
inline bool is_made_to_fail(system_request request) {
  auto* hook = system_hook::installed.load(std::memory_order_acquire);
  if (hook == nullptr) [[likely]] {
    return false;
  }
  const int error = hook->before(request);
  errno = error;
  return error != 0;
}

}  // namespace soma::memory
