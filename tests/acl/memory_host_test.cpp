// Registered memory of the program, and managed memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class MemoryHost : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtMalloc(&device_, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(device_, 4096, 0, 4096), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(aclrtFree(device_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  static aclrtMemLocationType type_of(const void* pointer) {
    aclrtPtrAttributes attributes{};
    EXPECT_EQ(aclrtPointerGetAttributes(pointer, &attributes), ACL_SUCCESS);
    return attributes.location.type;
  }

  void* device_ = nullptr;
  alignas(4096) std::array<std::uint8_t, 8192> own_{};
};

// -- registration -------------------------------------------------------------------------------------------

TEST_F(MemoryHost, CopiesInStreamsDoNotWaitForRegisteredMemory) {
  void* pointer = nullptr;
  EXPECT_EQ(type_of(own_.data()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  ASSERT_EQ(aclrtHostRegister(own_.data(), own_.size(), ACL_HOST_REGISTER_MAPPED, &pointer), ACL_SUCCESS);
  EXPECT_EQ(pointer, own_.data());
  EXPECT_EQ(type_of(&own_[100]), ACL_MEM_LOCATION_TYPE_HOST);
  const gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtMemcpyAsync(device_, 4096, own_.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE, s1_), ACL_SUCCESS)
      << "it did not return although the stream is held";
  own_.fill(4);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(device_, 4096, 4)) << "the task read it when it ran";
  EXPECT_EQ(aclrtHostUnregister(own_.data()), ACL_SUCCESS);
  EXPECT_EQ(type_of(own_.data()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
}

TEST_F(MemoryHost, RegistrationsTellTheirAddressForTasks) {
  ASSERT_EQ(aclrtHostRegisterV2(own_.data(), 4096, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED), ACL_SUCCESS);
  void* pointer = nullptr;
  EXPECT_EQ(aclrtHostGetDevicePointer(&own_[10], &pointer, 0), ACL_SUCCESS);
  EXPECT_EQ(pointer, &own_[10]);
  check_failures({
      {"aclrtHostRegisterV2", 507910, "ptr is 0x",
       [this] { return aclrtHostRegisterV2(own_.data(), 1, ACL_HOST_REG_MAPPED); }},
      {"aclrtHostRegisterV2", 507910, "ptr is 0x",
       [this] { return aclrtHostRegisterV2(&own_[4095], 4096, ACL_HOST_REG_MAPPED); }},
      {"aclrtHostGetDevicePointer", 507911, "pHost is 0x",
       [&] { return aclrtHostGetDevicePointer(&own_[4096], &pointer, 0); }},
      {"aclrtHostUnregister", 507911, "ptr is 0x", [this] { return aclrtHostUnregister(&own_[1]); }},
  });
  EXPECT_EQ(aclrtHostRegisterV2(&own_[4096], 4096, ACL_HOST_REG_READONLY), ACL_SUCCESS) << "a neighbour";
  EXPECT_EQ(aclrtHostUnregister(own_.data()), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(&own_[4096]), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(own_.data()), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(MemoryHost, MemoryOfTheLibraryMayBeRegistered) {
  const host_buffer buffer(64);
  EXPECT_EQ(aclrtHostRegisterV2(buffer.data(), 64, ACL_HOST_REG_MAPPED), ACL_SUCCESS);
  void* pointer = nullptr;
  EXPECT_EQ(aclrtHostGetDevicePointer(buffer.data(), &pointer, 0), ACL_SUCCESS);
  EXPECT_EQ(pointer, buffer.data());
  EXPECT_EQ(aclrtHostUnregister(buffer.data()), ACL_SUCCESS);
}

TEST_F(MemoryHost, ErrorsOfRegistration) {
  void* pointer = nullptr;
  aclrtHostMemMapCapability can = ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
  const auto with_type = [&](int type) {
    return [this, &pointer, type] {
      return aclrtHostRegister(own_.data(), 1, static_cast<aclrtHostRegisterType>(type), &pointer);
    };
  };
  check_failures({
      {"aclrtHostRegister", 100000, "ptr",
       [&] { return aclrtHostRegister(nullptr, 1, ACL_HOST_REGISTER_MAPPED, &pointer); }},
      {"aclrtHostRegister", 100000, "size is 0",
       [&] { return aclrtHostRegister(own_.data(), 0, ACL_HOST_REGISTER_MAPPED, &pointer); }},
      {"aclrtHostRegister", 100000, "devPtr",
       [&] { return aclrtHostRegister(own_.data(), 1, ACL_HOST_REGISTER_MAPPED, nullptr); }},
      {"aclrtHostRegister", 207000, "type is 2", with_type(2)},
      {"aclrtHostRegister", 207000, "type is 13", with_type(13)},
      {"aclrtHostRegisterV2", 100000, "ptr",
       [] { return aclrtHostRegisterV2(nullptr, 1, ACL_HOST_REG_MAPPED); }},
      {"aclrtHostRegisterV2", 100000, "size is 0",
       [this] { return aclrtHostRegisterV2(own_.data(), 0, ACL_HOST_REG_MAPPED); }},
      {"aclrtHostRegisterV2", 107000, "flag is 1", [this] { return aclrtHostRegisterV2(own_.data(), 1, 1); }},
      {"aclrtHostRegisterV2", 107000, "flag is 0", [this] { return aclrtHostRegisterV2(own_.data(), 1, 0); }},
      {"aclrtHostGetDevicePointer", 100000, "pHost",
       [&] { return aclrtHostGetDevicePointer(nullptr, &pointer, 0); }},
      {"aclrtHostGetDevicePointer", 100000, "pDevice",
       [&] { return aclrtHostGetDevicePointer(own_.data(), nullptr, 0); }},
      {"aclrtHostGetDevicePointer", 107000, "flag is 1",
       [&] { return aclrtHostGetDevicePointer(own_.data(), &pointer, 1); }},
      {"aclrtHostUnregister", 100000, "ptr", [] { return aclrtHostUnregister(nullptr); }},
      {"aclrtHostMemMapCapabilities", 100000, "capabilities",
       [] { return aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIC, nullptr); }},
      {"aclrtHostMemMapCapabilities", 100000, "hacType is 10",
       [&] { return aclrtHostMemMapCapabilities(0, static_cast<aclrtHacType>(10), &can); }},
      {"aclrtHostMemMapCapabilities", 107001, "deviceId is 99",
       [&] { return aclrtHostMemMapCapabilities(99, ACL_RT_HAC_TYPE_AIC, &can); }},
  });
  EXPECT_EQ(with_type(ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY)(), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostUnregister(own_.data()), ACL_SUCCESS);
  EXPECT_EQ(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIC, &can), ACL_SUCCESS);
  EXPECT_EQ(can, ACL_RT_HOST_MEM_MAP_SUPPORTED);
  EXPECT_EQ(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_RDMA, &can), ACL_SUCCESS);
  EXPECT_EQ(can, ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED);
}

// -- managed memory -----------------------------------------------------------------------------------------

TEST_F(MemoryHost, ManagedMemoryIsForHostAndDevice) {
  const auto free_before = device_free();
  void* block = nullptr;
  ASSERT_EQ(aclrtMemAllocManaged(&block, 100, ACL_RT_MEM_ATTACH_GLOBAL), ACL_SUCCESS);
  EXPECT_EQ(device_free(), free_before) << "it is not the device's";
  EXPECT_EQ(type_of(block), ACL_MEM_LOCATION_TYPE_MANAGED);
  std::size_t bytes = 0;
  EXPECT_EQ(aclrtMemGetAddressRange(block, nullptr, &bytes), ACL_SUCCESS);
  EXPECT_EQ(bytes, 2_M);
  fill(s1_, block, 100, 6);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(all_bytes_are(block, 100, 6)) << "the host reads it by the same address";
  for (const auto kind : {ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEFAULT}) {
    EXPECT_EQ(aclrtMemcpyAsync(device_, 4096, block, 100, kind, s1_), ACL_SUCCESS) << kind;
  }
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(device_, 100, 6));
  EXPECT_EQ(aclrtFree(advance(block, 8)), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryHost, HintsAboutManagedMemoryAreRead) {
  void* block = nullptr;
  ASSERT_EQ(aclrtMemAllocManaged(&block, 2_M, ACL_RT_MEM_ATTACH_GLOBAL), ACL_SUCCESS);
  const auto read = [&](aclrtMemManagedRangeAttribute which) {
    std::int32_t value = 77;
    EXPECT_EQ(aclrtMemManagedGetAttr(which, block, 2_M, &value, sizeof value), ACL_SUCCESS);
    return value;
  };
  constexpr aclrtMemManagedLocation on_device{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
  constexpr aclrtMemManagedLocation on_host{ACL_MEM_LOCATIONTYPE_HOST, 0};
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 0);
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -2);
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY), -2);

  EXPECT_EQ(aclrtMemManagedAdvise(block, 2_M, ACL_MEM_ADVISE_SET_READ_MOSTLY, on_device), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedAdvise(block, 2_M, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, on_host), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedAdvise(block, 2_M, ACL_MEM_ADVISE_SET_ACCESSED_BY, on_device), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedPrefetchAsync(block, 2_M, on_device, 0, s1_), ACL_SUCCESS);
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY), 1);
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION), -1);
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE), ACL_MEM_LOCATIONTYPE_HOST);
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY), 0);
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION), 0);
  EXPECT_EQ(read(ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE), ACL_MEM_LOCATIONTYPE_DEVICE);

  EXPECT_EQ(aclrtMemManagedAdvise(block, 2_M, ACL_MEM_ADVISE_UNSET_READ_MOSTLY, on_device), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedAdvise(block, 2_M, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, on_device),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtMemManagedAdvise(block, 2_M, ACL_MEM_ADVISE_UNSET_ACCESSED_BY, on_device), ACL_SUCCESS);
  std::array<std::int32_t, 2> places{};
  std::int32_t mostly = 7;
  void* data[] = {places.data(), &mostly};
  std::size_t sizes[] = {sizeof places, sizeof mostly};
  aclrtMemManagedRangeAttribute which[] = {ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                                           ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
  EXPECT_EQ(aclrtMemManagedGetAttrs(which, 2, block, 2_M, data, sizes), ACL_SUCCESS);
  EXPECT_EQ(places, (std::array<std::int32_t, 2>{-2, -2}));
  EXPECT_EQ(mostly, 0);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
}

TEST_F(MemoryHost, ErrorsOfManagedMemory) {
  void* block = nullptr;
  ASSERT_EQ(aclrtMemAllocManaged(&block, 2_M, ACL_RT_MEM_ATTACH_GLOBAL), ACL_SUCCESS);
  void* result = nullptr;
  std::int32_t value = 0;
  const void* blocks[] = {block};
  std::size_t sizes[] = {2_M};
  std::size_t first[] = {0};
  std::size_t bad_first[] = {1};
  aclrtMemManagedLocation on_device{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
  aclrtMemManagedLocation nowhere{ACL_MEM_LOCATIONTYPE_INVALID, 0};
  aclrtMemManagedLocation far{ACL_MEM_LOCATIONTYPE_DEVICE, 99};
  constexpr auto mostly = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
  check_failures({
      {"aclrtMemAllocManaged", 100000, "ptr", [] { return aclrtMemAllocManaged(nullptr, 1, 1); }},
      {"aclrtMemAllocManaged", 100000, "size is 0", [&] { return aclrtMemAllocManaged(&result, 0, 1); }},
      {"aclrtMemAllocManaged", 107000, "flag is 2", [&] { return aclrtMemAllocManaged(&result, 1, 2); }},
      {"aclrtMemAllocManaged", 107000, "3 TiB",
       [&] { return aclrtMemAllocManaged(&result, (std::uint64_t{3} << 40) + 1, 1); }},
      {"aclrtMemManagedAdvise", 100000, "ptr",
       [&] { return aclrtMemManagedAdvise(nullptr, 1, ACL_MEM_ADVISE_SET_READ_MOSTLY, on_device); }},
      {"aclrtMemManagedAdvise", 100000, "advise is 6",
       [&] { return aclrtMemManagedAdvise(block, 1, static_cast<aclrtMemManagedAdviseType>(6), on_device); }},
      {"aclrtMemManagedAdvise", 107000, "ptr 0x",
       [&] { return aclrtMemManagedAdvise(device_, 1, ACL_MEM_ADVISE_SET_READ_MOSTLY, on_device); }},
      {"aclrtMemManagedAdvise", 107000, "ptr 0x",
       [&] { return aclrtMemManagedAdvise(block, 2_M + 1, ACL_MEM_ADVISE_SET_READ_MOSTLY, on_device); }},
      {"aclrtMemManagedAdvise", 107000, "location.type is 0",
       [&] { return aclrtMemManagedAdvise(block, 1, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, nowhere); }},
      {"aclrtMemManagedAdvise", 107001, "location.id is 99",
       [&] { return aclrtMemManagedAdvise(block, 1, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, far); }},
      {"aclrtMemManagedPrefetchAsync", 107000, "flags is 1",
       [&] { return aclrtMemManagedPrefetchAsync(block, 1, on_device, 1, s1_); }},
      {"aclrtMemManagedPrefetchAsync", 107000, "ptr 0x",
       [&] { return aclrtMemManagedPrefetchAsync(device_, 1, on_device, 0, s1_); }},
      {"aclrtMemManagedPrefetchBatchAsync", 100000, "ptrs",
       [&] { return aclrtMemManagedPrefetchBatchAsync(nullptr, sizes, 1, &on_device, first, 1, 0, s1_); }},
      {"aclrtMemManagedPrefetchBatchAsync", 100000, "count is 0",
       [&] { return aclrtMemManagedPrefetchBatchAsync(blocks, sizes, 0, &on_device, first, 1, 0, s1_); }},
      {"aclrtMemManagedPrefetchBatchAsync", 100000, "locIndexs[0] is 1",
       [&] { return aclrtMemManagedPrefetchBatchAsync(blocks, sizes, 1, &on_device, bad_first, 1, 0, s1_); }},
      {"aclrtMemManagedGetAttr", 100000, "attribute is 0",
       [&] {
         return aclrtMemManagedGetAttr(static_cast<aclrtMemManagedRangeAttribute>(0), block, 1, &value, 4);
       }},
      {"aclrtMemManagedGetAttr", 100000, "dataSize is 3",
       [&] { return aclrtMemManagedGetAttr(mostly, block, 1, &value, 3); }},
      {"aclrtMemManagedGetAttr", 100000, "data",
       [&] { return aclrtMemManagedGetAttr(mostly, block, 1, nullptr, 4); }},
      {"aclrtMemManagedGetAttr", 107000, "ptr 0x",
       [&] { return aclrtMemManagedGetAttr(mostly, device_, 1, &value, 4); }},
  });
  EXPECT_EQ(aclrtMemManagedPrefetchBatchAsync(blocks, sizes, 1, &on_device, first, 1, 0, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
}

}  // namespace
