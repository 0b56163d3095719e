// Virtual memory in the program's own hands: physical memory, addresses, mapping, access, handles.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

constexpr aclrtMemLocation device_0{0, ACL_MEM_LOCATION_TYPE_DEVICE};
constexpr aclrtMemLocation host{0, ACL_MEM_LOCATION_TYPE_HOST};

aclrtPhysicalMemProp properties_on(aclrtMemLocation where) {
  aclrtPhysicalMemProp made{};
  made.memAttr = ACL_HBM_MEM_HUGE;
  made.location = where;
  return made;
}

class MemoryVirtual : public acl_fixture {
protected:
  static aclrtDrvMemHandle make_physical(std::size_t bytes, aclrtMemLocation where = device_0) {
    const auto wanted = properties_on(where);
    aclrtDrvMemHandle handle = nullptr;
    EXPECT_EQ(aclrtMallocPhysical(&handle, bytes, &wanted, 0), ACL_SUCCESS);
    EXPECT_NE(handle, nullptr);
    return handle;
  }

  static void* reserve(std::size_t bytes) {
    void* begin = nullptr;
    EXPECT_EQ(aclrtReserveMemAddress(&begin, bytes, 0, nullptr, 0), ACL_SUCCESS);
    EXPECT_EQ(number(begin) % 2_M, 0U);
    return begin;
  }

  static std::uint64_t access(void* at, aclrtMemLocation from) {
    std::uint64_t flags = 77;
    EXPECT_EQ(aclrtMemGetAccess(at, &from, &flags), ACL_SUCCESS);
    return flags;
  }
};

TEST_F(MemoryVirtual, IsUsedInTheOrderOfTheManual) {
  std::size_t granularity = 0;
  auto wanted = properties_on(device_0);
  ASSERT_EQ(aclrtMemGetAllocationGranularity(&wanted, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &granularity),
            ACL_SUCCESS);
  EXPECT_EQ(granularity, 2_M);
  const auto free_before = device_free();
  const auto handle = make_physical(granularity);
  EXPECT_EQ(device_free(), free_before - granularity);
  void* begin = reserve(granularity);
  ASSERT_EQ(aclrtMapMem(begin, granularity, 0, handle, 0), ACL_SUCCESS);
  fill(s1_, begin, granularity, 5);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(begin, granularity, 5));

  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(advance(begin, 100), &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(attributes.pageSize, 2_M);
  void* base = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(aclrtMemGetAddressRange(advance(begin, 100), &base, &bytes), ACL_SUCCESS);
  EXPECT_EQ(base, begin);
  EXPECT_EQ(bytes, granularity);

  EXPECT_EQ(aclrtUnmapMem(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before);
}

TEST_F(MemoryVirtual, KeepsItsContentsFromMappingToMapping) {
  const auto handle = make_physical(2_M);
  void* begin = reserve(4_M);
  ASSERT_EQ(aclrtMapMem(begin, 2_M, 0, handle, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(advance(begin, 2_M), 2_M, 0, handle, 0), ACL_SUCCESS) << "mapped twice";
  EXPECT_EQ(aclrtMemset(begin, 2_M, 3, 2_M), ACL_SUCCESS);
  EXPECT_TRUE(holds(advance(begin, 2_M), 2_M, 3)) << "both are the same memory";
  EXPECT_EQ(aclrtUnmapMem(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnmapMem(advance(begin, 2_M)), ACL_SUCCESS);
  ASSERT_EQ(aclrtMapMem(begin, 2_M, 0, handle, 0), ACL_SUCCESS);
  EXPECT_TRUE(holds(begin, 2_M, 3));
  EXPECT_EQ(aclrtUnmapMem(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
}

TEST_F(MemoryVirtual, LivesUntilItIsMappedNowhere) {
  const auto free_before = device_free();
  const auto handle = make_physical(2_M);
  void* begin = reserve(2_M);
  ASSERT_EQ(aclrtMapMem(begin, 2_M, 0, handle, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(begin, 2_M, 3, 2_M), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_TRUE(holds(begin, 2_M, 3)) << "it is mapped still";
  EXPECT_EQ(device_free(), free_before - 2_M);
  aclrtDrvMemHandle again = nullptr;
  EXPECT_EQ(aclrtMemRetainAllocationHandle(advance(begin, 7), &again), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnmapMem(begin), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before - 2_M) << "the second handle keeps it";
  EXPECT_EQ(aclrtFreePhysical(again), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before);
  EXPECT_EQ(aclrtReleaseMemAddress(begin), ACL_SUCCESS);
}

TEST_F(MemoryVirtual, AccessIsForEachPlaceByItself) {
  const auto handle = make_physical(2_M);
  void* begin = reserve(2_M);
  ASSERT_EQ(aclrtMemMapNoAccess(begin, 2_M, 0, handle, 0), ACL_SUCCESS);
  EXPECT_EQ(access(begin, device_0), ACL_RT_MEM_ACCESS_FLAGS_NONE);
  fill(s1_, begin, 8, 1);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION) << "nobody may use it";

  aclrtMemAccessDesc both[2] = {};
  both[0] = {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, device_0, {}};
  both[1] = {ACL_RT_MEM_ACCESS_FLAGS_READ, host, {}};
  EXPECT_EQ(aclrtMemSetAccess(begin, 2_M, both, 2), ACL_SUCCESS);
  EXPECT_EQ(access(begin, device_0), ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
  EXPECT_EQ(access(begin, host), ACL_RT_MEM_ACCESS_FLAGS_READ);
  fill(s1_, begin, 8, 1);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);

  both[0].flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
  both[1].flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
  EXPECT_EQ(aclrtMemSetAccess(begin, 2_M, both, 2), ACL_SUCCESS);
  fill(s1_, begin, 8, 2);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION) << "it can only be read";
  EXPECT_TRUE(holds(begin, 8, 1));

  // All or nothing: the second description is wrong.
  both[0].flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
  both[1].location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  EXPECT_EQ(aclrtMemSetAccess(begin, 2_M, both, 2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(access(begin, device_0), ACL_RT_MEM_ACCESS_FLAGS_NONE);
  EXPECT_EQ(aclrtUnmapMem(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
}

TEST_F(MemoryVirtual, MemoryOfTheHostCountsForNoDevice) {
  const auto free_before = device_free();
  const auto handle = make_physical(2_M, host);
  EXPECT_EQ(device_free(), free_before);
  aclrtPhysicalMemProp found{};
  EXPECT_EQ(aclrtMemGetAllocationPropertiesFromHandle(handle, &found), ACL_SUCCESS);
  EXPECT_EQ(found.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(found.memAttr, ACL_HBM_MEM_HUGE);
  void* begin = reserve(2_M);
  ASSERT_EQ(aclrtMapMem(begin, 2_M, 0, handle, 0), ACL_SUCCESS);
  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(begin, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(aclrtUnmapMem(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
}

TEST_F(MemoryVirtual, ReservesAtTheExpectedAddressIfItIsFree) {
  void* begin = reserve(4_M);
  EXPECT_EQ(aclrtReleaseMemAddress(begin), ACL_SUCCESS);
  void* again = nullptr;
  EXPECT_EQ(aclrtReserveMemAddress(&again, 4_M, 0, begin, 1), ACL_SUCCESS);
  EXPECT_EQ(again, begin);
  void* elsewhere = nullptr;
  EXPECT_EQ(aclrtReserveMemAddressNoUCMemory(&elsewhere, 2_M, 0, begin, 0), ACL_SUCCESS);
  EXPECT_NE(elsewhere, begin);
  EXPECT_EQ(aclrtReleaseMemAddress(again), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(elsewhere), ACL_SUCCESS);
}

TEST_F(MemoryVirtual, PoolsGiveIdleMemoryUpForIt) {
  const auto pool = make_pool({.threshold = keep_all});
  void* block = allocate(pool, s1_, device_free() - 2_M);
  release(block, s1_);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(device_free(), 2_M);
  const auto handle = make_physical(8_M);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
}

TEST_F(MemoryVirtual, ErrorsOfPhysicalMemory) {
  const auto good = properties_on(device_0);
  aclrtDrvMemHandle handle = nullptr;
  std::size_t granularity = 0;
  const auto make =
      [&](const std::function<void(aclrtPhysicalMemProp&)>& change) -> std::function<aclError()> {
    return [&handle, change] {
      auto wanted = properties_on(device_0);
      change(wanted);
      return aclrtMallocPhysical(&handle, 2_M, &wanted, 0);
    };
  };
  check_failures({
      {"aclrtMallocPhysical", 100000, "handle", [&] { return aclrtMallocPhysical(nullptr, 2_M, &good, 0); }},
      {"aclrtMallocPhysical", 100000, "size is 0", [&] { return aclrtMallocPhysical(&handle, 0, &good, 0); }},
      {"aclrtMallocPhysical", 100000, "prop", [&] { return aclrtMallocPhysical(&handle, 2_M, nullptr, 0); }},
      {"aclrtMallocPhysical", 100000, "flags is 1",
       [&] { return aclrtMallocPhysical(&handle, 2_M, &good, 1); }},
      {"aclrtMallocPhysical", 100000, "handleType is 2",
       make([](auto& p) { p.handleType = ACL_MEM_HANDLE_TYPE_POSIX; })},
      {"aclrtMallocPhysical", 100000, "allocationType is 1",
       make([](auto& p) { p.allocationType = static_cast<aclrtMemAllocationType>(1); })},
      {"aclrtMallocPhysical", 100000, "type is 2",
       make([](auto& p) { p.location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED; })},
      {"aclrtMallocPhysical", 100000, "type is 3",
       make([](auto& p) { p.location.type = ACL_MEM_LOCATION_TYPE_MANAGED; })},
      {"aclrtMallocPhysical", 100000, "memAttr is 18",
       make([](auto& p) { p.memAttr = static_cast<aclrtMemAttr>(18); })},
      {"aclrtMallocPhysical", 100000, "memAttr is 2", make([](auto& p) { p.memAttr = ACL_DDR_MEM_HUGE; })},
      {"aclrtMallocPhysical", 100000, "reserve is 1", make([](auto& p) { p.reserve = 1; })},
      {"aclrtMallocPhysical", 107001, "location.id is 99", make([](auto& p) { p.location.id = 99; })},
      {"aclrtMallocPhysical", 207001, "wanted",
       [&] { return aclrtMallocPhysical(&handle, device_total() + 1, &good, 0); }},
      {"aclrtFreePhysical", 100000, "handle", [] { return aclrtFreePhysical(nullptr); }},
      {"aclrtFreePhysical", 107017, "handle 0x",
       [] { return aclrtFreePhysical(reinterpret_cast<void*>(std::uintptr_t{77777})); }},
      {"aclrtMemGetAllocationGranularity", 100000, "prop",
       [&] {
         return aclrtMemGetAllocationGranularity(nullptr, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity);
       }},
      {"aclrtMemGetAllocationGranularity", 100000, "granularity",
       [&] {
         auto p = good;
         return aclrtMemGetAllocationGranularity(&p, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, nullptr);
       }},
      {"aclrtMemGetAllocationGranularity", 100000, "option is 65535",
       [&] {
         auto p = good;
         return aclrtMemGetAllocationGranularity(&p, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &granularity);
       }},
      {"aclrtMemRetainAllocationHandle", 100000, "virPtr",
       [&] { return aclrtMemRetainAllocationHandle(nullptr, &handle); }},
      {"aclrtMemRetainAllocationHandle", 100000, "handle",
       [&] { return aclrtMemRetainAllocationHandle(&granularity, nullptr); }},
      {"aclrtMemRetainAllocationHandle", 107000, "virPtr 0x",
       [&] { return aclrtMemRetainAllocationHandle(&granularity, &handle); }},
      {"aclrtMemGetAllocationPropertiesFromHandle", 100000, "handle",
       [&] {
         auto p = good;
         return aclrtMemGetAllocationPropertiesFromHandle(nullptr, &p);
       }},
      {"aclrtMemGetAllocationPropertiesFromHandle", 100000, "prop",
       [&] { return aclrtMemGetAllocationPropertiesFromHandle(&granularity, nullptr); }},
      {"aclrtMemGetAllocationPropertiesFromHandle", 107017, "handle 0x",
       [&] {
         auto p = good;
         return aclrtMemGetAllocationPropertiesFromHandle(&granularity, &p);
       }},
  });
  EXPECT_EQ(handle, nullptr);
}

TEST_F(MemoryVirtual, ErrorsOfAddressesAndMappings) {
  const auto handle = make_physical(4_M);
  void* begin = reserve(8_M);
  ASSERT_EQ(aclrtMapMem(begin, 4_M, 0, handle, 0), ACL_SUCCESS);
  void* result = nullptr;
  std::uint64_t flag = 0;
  auto where = device_0;
  aclrtMemAccessDesc good{ACL_RT_MEM_ACCESS_FLAGS_READ, device_0, {}};
  const auto map = [&](void* at, std::size_t bytes, std::size_t offset, void* of,
                       std::uint64_t flags) -> std::function<aclError()> {
    return [=] { return aclrtMapMem(at, bytes, offset, of, flags); };
  };
  const auto set = [&](void* at, std::size_t bytes, int flags, int type,
                       std::uint32_t id) -> std::function<aclError()> {
    return [=] {
      aclrtMemAccessDesc wanted{
          static_cast<aclrtMemAccessFlags>(flags), {id, static_cast<aclrtMemLocationType>(type)}, {}};
      return aclrtMemSetAccess(at, bytes, &wanted, 1);
    };
  };
  check_failures({
      {"aclrtReserveMemAddress", 100000, "virPtr",
       [] { return aclrtReserveMemAddress(nullptr, 2_M, 0, nullptr, 0); }},
      {"aclrtReserveMemAddress", 100000, "size is 0",
       [&] { return aclrtReserveMemAddress(&result, 0, 0, nullptr, 0); }},
      {"aclrtReserveMemAddress", 100000, "alignment is 1",
       [&] { return aclrtReserveMemAddress(&result, 2_M, 1, nullptr, 0); }},
      {"aclrtReserveMemAddress", 100000, "flags is 2",
       [&] { return aclrtReserveMemAddress(&result, 2_M, 0, nullptr, 2); }},
      {"aclrtReserveMemAddress", 100000, "size is 18446744073709551615",
       [&] { return aclrtReserveMemAddress(&result, ~std::size_t{0}, 0, nullptr, 0); }},
      {"aclrtReserveMemAddress", 207001, "size is 4611686018427387904",
       [&] { return aclrtReserveMemAddress(&result, std::size_t{1} << 62, 0, nullptr, 0); }},
      {"aclrtReserveMemAddressNoUCMemory", 100000, "size is 0",
       [&] { return aclrtReserveMemAddressNoUCMemory(&result, 0, 0, nullptr, 0); }},
      {"aclrtReleaseMemAddress", 100000, "virPtr", [] { return aclrtReleaseMemAddress(nullptr); }},
      {"aclrtReleaseMemAddress", 107000, "virPtr 0x",
       [&] { return aclrtReleaseMemAddress(advance(begin, 2_M)); }},
      {"aclrtReleaseMemAddress", 107000, "mapped", [&] { return aclrtReleaseMemAddress(begin); }},
      {"aclrtMapMem", 100000, "virPtr", map(nullptr, 4_M, 0, handle, 0)},
      {"aclrtMapMem", 100000, "size is 0", map(begin, 0, 0, handle, 0)},
      {"aclrtMapMem", 100000, "handle", map(begin, 4_M, 0, nullptr, 0)},
      {"aclrtMapMem", 100000, "flags is 1", map(begin, 4_M, 0, handle, 1)},
      {"aclrtMapMem", 107000, "offset is 2097152", map(begin, 4_M, 2_M, handle, 0)},
      {"aclrtMapMem", 107000, "as a whole", map(advance(begin, 4_M), 2_M, 0, handle, 0)},
      {"aclrtMapMem", 107000, "granularity", map(advance(begin, 4_M + 4096), 4_M, 0, handle, 0)},
      {"aclrtMapMem", 107000, "reserved", map(advance(begin, 6_M), 4_M, 0, handle, 0)},
      {"aclrtMapMem", 107000, "mapped already", map(advance(begin, 2_M), 4_M, 0, handle, 0)},
      {"aclrtMapMem", 107017, "handle", map(advance(begin, 4_M), 4_M, 0, &flag, 0)},
      {"aclrtMemMapNoAccess", 100000, "virPtr",
       [&] { return aclrtMemMapNoAccess(nullptr, 4_M, 0, handle, 0); }},
      {"aclrtUnmapMem", 100000, "virPtr", [] { return aclrtUnmapMem(nullptr); }},
      {"aclrtUnmapMem", 107000, "virPtr 0x", [&] { return aclrtUnmapMem(advance(begin, 2_M)); }},
      {"aclrtMemSetAccess", 107000, "desc", [&] { return aclrtMemSetAccess(begin, 4_M, nullptr, 1); }},
      {"aclrtMemSetAccess", 107000, "count 0", [&] { return aclrtMemSetAccess(begin, 4_M, &good, 0); }},
      {"aclrtMemSetAccess", 107000, "flags is 2", set(begin, 4_M, 2, 1, 0)},
      {"aclrtMemSetAccess", 107000, "type is 2", set(begin, 4_M, 1, 2, 0)},
      {"aclrtMemSetAccess", 107001, "id is 99", set(begin, 4_M, 1, 1, 99)},
      {"aclrtMemSetAccess", 107000, "not that of a mapping", set(begin, 2_M, 1, 1, 0)},
      {"aclrtMemSetAccess", 107000, "not that of a mapping", set(advance(begin, 2_M), 4_M, 1, 1, 0)},
      {"aclrtMemGetAccess", 100000, "virPtr", [&] { return aclrtMemGetAccess(nullptr, &where, &flag); }},
      {"aclrtMemGetAccess", 100000, "location", [&] { return aclrtMemGetAccess(begin, nullptr, &flag); }},
      {"aclrtMemGetAccess", 100000, "flag", [&] { return aclrtMemGetAccess(begin, &where, nullptr); }},
      {"aclrtMemGetAccess", 107000, "virPtr 0x",
       [&] { return aclrtMemGetAccess(advance(begin, 4_M), &where, &flag); }},
      {"aclrtMemP2PMap", 100000, "devPtr", [] { return aclrtMemP2PMap(nullptr, 1, 0, 0); }},
      {"aclrtMemP2PMap", 100000, "size is 0", [&] { return aclrtMemP2PMap(begin, 0, 0, 0); }},
      {"aclrtMemP2PMap", 100000, "flags is 1", [&] { return aclrtMemP2PMap(begin, 1, 0, 1); }},
      {"aclrtMemP2PMap", 107001, "dstDevId is -1", [&] { return aclrtMemP2PMap(begin, 1, -1, 0); }},
  });
  EXPECT_EQ(aclrtUnmapMem(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtReleaseMemAddress(begin), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(handle), ACL_SUCCESS);
}

}  // namespace
