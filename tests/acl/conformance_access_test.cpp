// Who may use memory. Pools have no access lists; mapped memory, which has, stands in for them.

#include <array>
#include <cstdint>
#include <cstring>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

constexpr aclrtMemLocation device_0{0, ACL_MEM_LOCATION_TYPE_DEVICE};
constexpr aclrtMemLocation host{0, ACL_MEM_LOCATION_TYPE_HOST};

class Access : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    aclrtPhysicalMemProp wanted{};
    wanted.memAttr = ACL_HBM_MEM_HUGE;
    wanted.location = device_0;
    ASSERT_EQ(aclrtMallocPhysical(&memory_, bytes, &wanted, 0), ACL_SUCCESS);
    ASSERT_EQ(aclrtReserveMemAddress(&begin_, bytes, 0, nullptr, 0), ACL_SUCCESS);
    ASSERT_EQ(aclrtMapMem(begin_, bytes, 0, memory_, 0), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(aclrtUnmapMem(begin_), ACL_SUCCESS);
    EXPECT_EQ(aclrtReleaseMemAddress(begin_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreePhysical(memory_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  [[nodiscard]] std::uint64_t of(aclrtMemLocation place) const {
    std::uint64_t flags = 77;
    EXPECT_EQ(aclrtMemGetAccess(begin_, &place, &flags), ACL_SUCCESS);
    return flags;
  }

  static constexpr std::size_t bytes = 2_M;
  aclrtDrvMemHandle memory_ = nullptr;
  void* begin_ = nullptr;
};

TEST_F(Access, S83_TheOwnDeviceMayReadAndWrite) {
  EXPECT_EQ(of(device_0), ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
}

TEST_F(Access, S84_BadDescriptionsAreRefused) {
  std::uint32_t devices = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&devices), ACL_SUCCESS);
  aclrtMemAccessDesc wanted{ACL_RT_MEM_ACCESS_FLAGS_READ, device_0, {}};
  const auto set = [&](void* at, std::size_t count) { return aclrtMemSetAccess(at, bytes, &wanted, count); };
  EXPECT_EQ(set(nullptr, 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(set(begin_, 0), ACL_ERROR_RT_PARAM_INVALID);
  for (const std::uint32_t none : {devices, ~std::uint32_t{0}}) {
    wanted.location.id = none;
    EXPECT_EQ(set(begin_, 1), ACL_ERROR_RT_INVALID_DEVICEID);
  }
  wanted.location = {0, ACL_MEM_LOCATION_TYPE_UNREGISTERED};
  EXPECT_EQ(set(begin_, 1), ACL_ERROR_RT_PARAM_INVALID);
  wanted.location = device_0;
  const int unknown = 0xFFFF;
  static_assert(sizeof wanted.flags == sizeof unknown);
  std::memcpy(&wanted.flags, &unknown, sizeof unknown);
  EXPECT_EQ(set(begin_, 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(of(device_0), ACL_RT_MEM_ACCESS_FLAGS_READWRITE) << "nothing has changed";
}

TEST_F(Access, S85_ListsAreAllOrNothing) {
  const auto before = of(host);
  std::array<aclrtMemAccessDesc, 3> wanted{};
  wanted[0] = {ACL_RT_MEM_ACCESS_FLAGS_NONE, device_0, {}};
  wanted[1] = {ACL_RT_MEM_ACCESS_FLAGS_READ, host, {}};
  wanted[2] = {ACL_RT_MEM_ACCESS_FLAGS_READ, {99, ACL_MEM_LOCATION_TYPE_DEVICE}, {}};
  EXPECT_EQ(aclrtMemSetAccess(begin_, bytes, wanted.data(), 3), ACL_ERROR_RT_INVALID_DEVICEID);
  EXPECT_EQ(of(device_0), ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
  EXPECT_EQ(of(host), before);
  EXPECT_EQ(aclrtMemSetAccess(begin_, bytes, wanted.data(), 2), ACL_SUCCESS);
  EXPECT_EQ(of(device_0), ACL_RT_MEM_ACCESS_FLAGS_NONE);
  EXPECT_EQ(of(host), ACL_RT_MEM_ACCESS_FLAGS_READ);
}

}  // namespace
