// A session as a whole: reading arguments, what is checked, and the end.

#include "c_session.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <string>
#include <thread>

#include "require.hpp"

namespace fuzz {

namespace {

/// Whether a context stays from one session to the next, and with it the runtime: most sessions are short,
/// and making a runtime takes longer than they do.
void keep_runtime(bool keep) {
  static void* kept = nullptr;
  // The calls of a session may have hit upon its handle.
  const bool is_there = kept != nullptr && aclrtSetCurrentContext(kept) == ACL_SUCCESS;
  if (keep && !is_there) {
    require(aclrtCreateContext(&kept, 0) == ACL_SUCCESS, "a context can be made");
  } else if (!keep && is_there) {
    require(aclrtDestroyContext(kept) == ACL_SUCCESS, "a live context can be destroyed");
  }
}

}  // namespace

void set_up() {
  ::setenv("SOMA_DEVICES", std::to_string(devices).c_str(), 1);
  ::setenv("SOMA_DEVICE_MEMORY", std::to_string(device_bytes).c_str(), 1);
}

session::session(std::span<const std::uint8_t> bytes) : input_(bytes) {}

// -- arguments ----------------------------------------------------------------------------------------------

void*& session::slot(kind of) { return handles_.at(static_cast<std::size_t>(of)).at(input_.below(slots)); }

// A slot holds the latest handle that was put there, be it alive or not.
void* session::handle(kind of) {
  switch (const auto how = input_.byte(); how % 16) {
  case 0:
    return nullptr;
  case 1:
    return slot(static_cast<kind>(input_.below(kinds)));
  case 2:
    return reinterpret_cast<void*>(input_.take<std::uint64_t>());
  case 3: {  // nearly one
    const auto near = reinterpret_cast<std::uintptr_t>(slot(of));
    return reinterpret_cast<void*>(near ^ (std::uintptr_t{1} << input_.below(64)));
  }
  default:
    return handles_.at(static_cast<std::size_t>(of)).at(how / 16 % slots);
  }
}

void* session::address() {
  const auto how = input_.byte();
  auto* known = addresses_.at(how / 16 % slots);
  switch (how % 16) {
  case 0:
    return nullptr;
  case 1:
    return reinterpret_cast<void*>(input_.take<std::uint64_t>());
  case 2:
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(known) + input_.size());
  case 3:
    return slot(static_cast<kind>(input_.below(kinds)));
  case 4:
    return scratch.data();
  default:
    return known;
  }
}

session::region session::known_device_region() {
  std::vector<region> regions;
  for (const auto& [begin, block] : live_) {
    if (!block.of_host) {
      regions.push_back({reinterpret_cast<void*>(begin), block.bytes});
    }
  }
  return regions.empty() ? region{} : regions.at(input_.below(std::min<std::size_t>(regions.size(), 256)));
}

session::region session::known_region() {
  const auto device = known_device_region();
  if (device.begin == nullptr || input_.below(3) == 0) {
    return {scratch.data(), scratch.size()};
  }
  return device;
}

// -- what is checked ----------------------------------------------------------------------------------------

aclError session::checked(aclError code) const {
  if (code != ACL_SUCCESS) {
    const char* text = aclGetRecentErrMsg();
    require(text != nullptr && *text != '\0', "a call that fails leaves a text");
  }
  return code;
}

void session::note_block(void* begin, std::size_t bytes, bool of_host) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const auto next = live_.lower_bound(from);
  require(next == live_.end() || from + bytes <= next->first, "a block does not reach into the next one");
  require(next == live_.begin() || std::prev(next)->first + std::prev(next)->second.bytes <= from,
          "a block does not begin in another one");
  require(from % 512 == 0, "a block is aligned");
  live_.emplace(from, live_block{bytes, of_host});
  addresses_.at(input_.below(slots)) = begin;
}

void session::note_freed(void* begin, bool of_host) {
  const auto found = live_.find(reinterpret_cast<std::uintptr_t>(begin));
  require(found != live_.end() && found->second.of_host == of_host, "only a live block can be freed");
  live_.erase(found);
}

// -- calls --------------------------------------------------------------------------------------------------

void session::one_call() {
  using caller = void (session::*)();
  constexpr std::array<caller, 24> groups{
      &session::call_device,       &session::call_context,     &session::call_stream,
      &session::call_stream,       &session::call_event,       &session::call_event,
      &session::call_event_time,   &session::call_pool,        &session::call_pool_attribute,
      &session::call_pool_memory,  &session::call_pool_memory, &session::call_pool_memory,
      &session::call_pool_memory,  &session::call_pool_memory, &session::call_pool_memory,
      &session::call_plain_memory, &session::call_copy,        &session::call_fill,
      &session::call_fill,         &session::call_kernel,      &session::call_host_function,
      &session::call_arguments,    &session::call_library,     &session::call_errors,
  };
  (this->*groups.at(input_.below(groups.size())))();
}

// -- the whole ----------------------------------------------------------------------------------------------

bool session::run() {
  checked(aclInit(nullptr));
  const bool keep = input_.below(16) != 0;
  keep_runtime(keep);
  require(aclrtSetDevice(0) == ACL_SUCCESS, "device 0 can be set");
  for (auto& stream : handles_[static_cast<std::size_t>(kind::stream)]) {
    require(aclrtCreateStream(&stream) == ACL_SUCCESS, "a stream can be made");
  }
  for (int calls = 0; calls < most_calls && !input_.empty(); ++calls) {
    one_call();
  }
  clean_up();
  return !keep;
}

void session::clean_up() {
  free_everything();
  for (void* context : contexts_) {
    static_cast<void>(aclrtDestroyContext(context));
  }
  for (void* binary : binaries_) {
    static_cast<void>(aclrtBinaryUnLoad(binary));
  }
  for (std::int32_t device = 0; device < devices; ++device) {
    checked(aclrtResetDeviceForce(device));
    check_memory(device);
    checked(aclrtResetDeviceForce(device));
  }
  while (aclFinalize() == ACL_SUCCESS) {
  }
  static_cast<void>(aclGetRecentErrMsg());
}

// Pools that were destroyed already end with their last block.
void session::free_everything() {
  for (std::int32_t device = 0; device < devices; ++device) {
    require(aclrtSetDevice(device) == ACL_SUCCESS, "a device can be set");
    checked(aclrtSynchronizeDevice());
  }
  for (const auto& [begin, block] : live_) {
    auto* address = reinterpret_cast<void*>(begin);
    require((block.of_host ? aclrtFreeHost(address) : aclrtFree(address)) == ACL_SUCCESS,
            "a live block can be freed");
  }
  for (void* pool : pools_) {
    std::uint64_t used = 0;
    if (aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &used) == ACL_SUCCESS) {
      require(used == 0, "a pool without live blocks uses nothing");
      require(aclrtMemPoolDestroy(pool) == ACL_SUCCESS, "a live pool can be destroyed");
    }
  }
}

// Pools end by themselves, shortly after what they wait for.
void session::check_memory(std::int32_t device) {
  constexpr std::chrono::seconds patience{20};
  require(aclrtSetDevice(device) == ACL_SUCCESS, "a device can be set");
  static_cast<void>(aclrtSynchronizeDevice());
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::size_t free = 0;
  std::size_t total = 1;
  while (free != total) {
    require(std::chrono::steady_clock::now() < deadline, "all memory is free at the end");
    require(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == ACL_SUCCESS, "the free memory can be asked for");
    std::this_thread::yield();
  }
}

}  // namespace fuzz
