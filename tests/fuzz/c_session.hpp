// Turns bytes into calls of the C interface, and checks what can be checked whatever the calls are: blocks
// never overlap, only live blocks are freed, failures have a text, counters agree, and at the end all memory
// is free again.
//
// Handles may be live, stale, null, of another kind or invented, and so may the addresses that are freed.
// Memory is only touched where it is known to be there: the library does not promise to survive wild copies.
// Nothing waits for ever, as no task does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/soma_kernel.h"
#include "byte_reader.hpp"

namespace fuzz {

inline constexpr std::size_t device_bytes = std::size_t{32} << 20;
inline constexpr std::int32_t devices = 2;

/// Host memory for copies.
inline std::array<std::byte, std::size_t{64} << 10> scratch;

/// To be called once, before the first session.
void set_up();

class session {
public:
  explicit session(std::span<const std::uint8_t> bytes);

  /// Makes the calls and cleans up. Returns whether the runtime may have ended with it: not if the session
  /// has left events behind.
  bool run();

private:
  enum class kind : std::uint8_t { stream, event, pool, context, binary, function, list, parameter };
  static constexpr std::size_t kinds = 8;
  static constexpr std::size_t slots = 6;
  static constexpr int most_calls = 120;

  struct live_block {
    std::size_t bytes = 0;
    bool of_host = false;
  };

  /// Memory that may be touched.
  struct region {
    void* begin = nullptr;
    std::size_t bytes = 0;
  };

  // Reading arguments.
  void*& slot(kind of);
  void* handle(kind of);
  void* address();
  region known_region();
  region known_device_region();

  // Making calls, one of each group.
  void one_call();
  void call_device();
  void call_context();
  void call_stream();
  void call_event();
  void call_event_time();
  void call_pool();
  void call_pool_attribute();
  void call_pool_memory();
  void call_plain_memory();
  void call_copy();
  void call_fill();
  void call_host_function();
  void call_kernel();
  void call_arguments();
  void call_library();
  void call_errors();

  // Checking.
  aclError checked(aclError code) const;
  void note_block(void* begin, std::size_t bytes, bool of_host);
  void note_freed(void* begin, bool of_host);
  void clean_up();
  void free_everything();
  static void check_memory(std::int32_t device);

  byte_reader input_;
  std::array<std::array<void*, slots>, kinds> handles_{};
  std::array<void*, slots> addresses_{};
  std::map<std::uintptr_t, live_block> live_;
  std::vector<void*> pools_;
  std::vector<void*> contexts_;
  std::vector<void*> binaries_;
};

}  // namespace fuzz
