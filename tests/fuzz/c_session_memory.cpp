// The calls that have to do with pools, plain memory, copies and fills.

#include <algorithm>
#include <cstring>

#include "c_session.hpp"
#include "require.hpp"

namespace fuzz {

namespace {

constexpr std::size_t granule = std::size_t{2} << 20;

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

void session::call_pool() {
  aclrtMemPoolProps properties{};
  void* made = nullptr;
  switch (input_.below(5)) {
  case 0:
    checked(aclrtMemPoolDestroy(handle(kind::pool)));
    break;
  case 1:
    checked(aclrtMemPoolTrimTo(handle(kind::pool), input_.size()));
    break;
  case 2:  // any properties
    std::memset(&properties, input_.byte(), sizeof properties);
    [[fallthrough]];
  default:
    properties.location.type =
        input_.below(8) == 0 ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = static_cast<std::uint32_t>(input_.below(3));
    properties.maxSize = input_.size();
    if (pools_.size() < 12 && checked(aclrtMemPoolCreate(&made, &properties)) == ACL_SUCCESS) {
      pools_.push_back(made);
      slot(kind::pool) = made;
    }
  }
}

void session::call_pool_attribute() {
  std::uint64_t value = input_.below(3) == 0 ? input_.size() : input_.below(2);
  const auto which = static_cast<aclrtMemPoolAttr>(input_.below(12));
  void* pool = handle(kind::pool);
  if (input_.below(2) == 0) {
    checked(aclrtMemPoolGetAttr(pool, which, &value));
  } else {
    checked(aclrtMemPoolSetAttr(pool, which, input_.below(16) == 0 ? nullptr : &value));
  }
}

void session::call_pool_memory() {
  if (input_.below(5) >= 3) {
    void* freed = address();
    if (checked(aclrtMemPoolFreeAsync(freed, handle(kind::stream))) == ACL_SUCCESS) {
      note_freed(freed, false);
    }
    return;
  }
  const auto bytes = input_.below(3) == 0 ? input_.size() : (1 + input_.below(6)) * granule;
  void* block = scratch.data();
  const auto code = checked(aclrtMemPoolMallocAsync(&block, bytes, handle(kind::pool), handle(kind::stream)));
  require((code == ACL_SUCCESS) == (block != nullptr),
          "there is a block if, and only if, the malloc succeeds");
  if (block != nullptr) {
    note_block(block, rounded(bytes, granule), false);
  }
}

void session::call_plain_memory() {
  void* block = nullptr;
  const auto which = input_.below(4);
  const bool of_host = which % 2 == 1;
  if (which < 2) {
    const auto bytes = input_.size();
    // The host's memory is not limited by the device's.
    if (of_host && bytes > device_bytes) {
      return;
    }
    const auto code = checked(of_host ? aclrtMallocHost(&block, bytes)
                                      : aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    require((code == ACL_SUCCESS) == (block != nullptr),
            "there is memory if, and only if, the malloc succeeds");
    if (block != nullptr) {
      note_block(block, bytes, of_host);
    }
    return;
  }
  block = address();
  if (checked(of_host ? aclrtFreeHost(block) : aclrtFree(block)) == ACL_SUCCESS) {
    note_freed(block, of_host);
  }
}

// The destination's limit may be wrong in both directions, but what is copied is there.
void session::call_copy() {
  const auto to = known_region();
  const auto from = known_region();
  auto count = std::min({to.bytes, from.bytes, std::size_t{input_.take<std::uint16_t>()}});
  const auto limit = input_.below(4) == 0 ? input_.size() : to.bytes;
  const auto direction = static_cast<aclrtMemcpyKind>(input_.below(8));
  if (input_.below(2) == 0) {
    checked(aclrtMemcpy(to.begin, limit, from.begin, count, direction));
  } else {
    checked(aclrtMemcpyAsync(to.begin, limit, from.begin, count, direction, handle(kind::stream)));
  }
}

// A fill in a stream may also go past the end of its block, or into one that is not there any more: that is
// memory of the device, and at most a failed task.
void session::call_fill() {
  const auto to = known_device_region();
  const auto value = input_.byte();
  const std::size_t count = input_.take<std::uint16_t>();
  if (to.begin == nullptr) {
    return;
  }
  switch (input_.below(4)) {
  case 0:
    checked(aclrtMemset(to.begin, input_.size(), value, std::min(count, to.bytes)));
    break;
  case 1:
    checked(aclrtMemsetAsync(static_cast<std::byte*>(to.begin) + to.bytes, count, value, count,
                             handle(kind::stream)));
    break;
  default:
    checked(aclrtMemsetAsync(to.begin, input_.below(4) == 0 ? input_.size() : to.bytes, value,
                             std::min(count, to.bytes), handle(kind::stream)));
  }
}

}  // namespace fuzz
