// The variants of aclrtMalloc: how sizes are rounded, which pages they get, and what is told of them.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

constexpr auto most = std::numeric_limits<std::size_t>::max();
constexpr std::size_t giant = std::size_t{1} << 30;

using allocate_function = aclError (*)(void**, std::size_t, aclrtMemMallocPolicy);

aclError with_config(void** block, std::size_t bytes, aclrtMemMallocPolicy policy) {
  return aclrtMallocWithCfg(block, bytes, policy, nullptr);
}

aclError for_scheduler(void** block, std::size_t bytes, aclrtMemMallocPolicy policy) {
  return aclrtMallocForTaskScheduler(block, bytes, policy, nullptr);
}

struct expected_rounding {
  allocate_function allocate;
  std::size_t asked;
  int policy;
  std::size_t bytes;
  std::uint32_t page_bytes;
};

class MemoryMalloc : public acl_fixture {
protected:
  static void check(const expected_rounding& row) {
    SCOPED_TRACE(std::to_string(row.asked) + " bytes, policy " + std::to_string(row.policy));
    void* block = nullptr;
    ASSERT_EQ(row.allocate(&block, row.asked, static_cast<aclrtMemMallocPolicy>(row.policy)), ACL_SUCCESS);
    void* base = nullptr;
    std::size_t bytes = 0;
    ASSERT_EQ(aclrtMemGetAddressRange(advance(block, row.asked / 2), &base, &bytes), ACL_SUCCESS);
    EXPECT_EQ(base, block);
    EXPECT_EQ(bytes, row.bytes);
    EXPECT_EQ(number(block) % 4096, 0U);
    aclrtPtrAttributes attributes{};
    ASSERT_EQ(aclrtPointerGetAttributes(block, &attributes), ACL_SUCCESS);
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(attributes.location.id, 0U);
    EXPECT_EQ(attributes.pageSize, row.page_bytes);
    EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  }
};

TEST_F(MemoryMalloc, RoundsAndChoosesPages) {
  const expected_rounding rows[] = {
      {aclrtMalloc, 1, ACL_MEM_MALLOC_HUGE_FIRST, 4096, 4096},
      {aclrtMalloc, 4096 - 32, ACL_MEM_MALLOC_HUGE_FIRST, 4096, 4096},
      {aclrtMalloc, 4096 - 31, ACL_MEM_MALLOC_HUGE_FIRST, 8192, 4096},
      {aclrtMalloc, 1_M - 32, ACL_MEM_MALLOC_HUGE_FIRST, 1_M, 4096},
      {aclrtMalloc, 1_M, ACL_MEM_MALLOC_HUGE_FIRST, 2_M, 2_M},
      {aclrtMalloc, 2_M, ACL_MEM_MALLOC_HUGE_FIRST, 4_M, 2_M},
      {aclrtMalloc, 1, ACL_MEM_MALLOC_HUGE_ONLY, 2_M, 2_M},
      {aclrtMalloc, 1, ACL_MEM_MALLOC_HUGE_ONLY_P2P, 2_M, 2_M},
      {aclrtMalloc, 2_M, ACL_MEM_MALLOC_NORMAL_ONLY, 2_M + 4096, 4096},
      {aclrtMalloc, 2_M, ACL_MEM_MALLOC_NORMAL_ONLY_P2P, 2_M + 4096, 4096},
      {aclrtMalloc, giant, ACL_MEM_MALLOC_HUGE1G_ONLY, giant, giant},
      {aclrtMalloc, 1, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P, giant, giant},
      {aclrtMalloc, 1, ACL_MEM_MALLOC_HUGE_ONLY | ACL_MEM_TYPE_HIGH_BAND_WIDTH, 2_M, 2_M},
      {aclrtMalloc, 1, ACL_MEM_MALLOC_HUGE_ONLY | ACL_MEM_ACCESS_USER_SPACE_READONLY, 2_M, 2_M},
      {aclrtMalloc, 1_M, 77, 1_M + 4096, 4096},
      {aclrtMalloc, 2_M, 77, 4_M, 2_M},
      {aclrtMallocAlign32, 2_M, ACL_MEM_MALLOC_HUGE_FIRST, 2_M, 2_M},
      {aclrtMallocAlign32, 4096, ACL_MEM_MALLOC_NORMAL_ONLY, 4096, 4096},
      {aclrtMallocCached, 4096, ACL_MEM_MALLOC_NORMAL_ONLY, 8192, 4096},
      {aclrtMallocCached, 1, ACL_MEM_MALLOC_HUGE_ONLY, 2_M, 2_M},
      {aclrtMallocCached, 1, ACL_MEM_MALLOC_HUGE_ONLY_P2P, 4096, 4096},
      {with_config, 2_M, ACL_MEM_MALLOC_HUGE_FIRST, 2_M, 2_M},
      {for_scheduler, 2_M, ACL_MEM_MALLOC_HUGE_FIRST, 2_M, 2_M},
  };
  for (const auto& row : rows) {
    check(row);
  }
}

TEST_F(MemoryMalloc, TakesSmallerPagesOnlyIfItMay) {
  void* all_but_one = nullptr;
  ASSERT_EQ(aclrtMallocAlign32(&all_but_one, device_total() - 2_M, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  void* small = nullptr;
  ASSERT_EQ(aclrtMallocAlign32(&small, 4096, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
  void* block = nullptr;
  EXPECT_EQ(aclrtMallocAlign32(&block, 1_M + 4096, ACL_MEM_MALLOC_HUGE_ONLY), ACL_ERROR_RT_MEMORY_ALLOCATION);
  EXPECT_EQ(block, nullptr);
  ASSERT_EQ(aclrtMallocAlign32(&block, 1_M + 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(block, &attributes), ACL_SUCCESS);
  EXPECT_EQ(attributes.pageSize, 4096U);
  for (void* one : {all_but_one, small, block}) {
    EXPECT_EQ(aclrtFree(one), ACL_SUCCESS);
  }
}

TEST_F(MemoryMalloc, FreesBehindTheWorkOfTheDevice) {
  void* block = nullptr;
  void* host = nullptr;
  ASSERT_EQ(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocHostWithCfg(&host, 64, nullptr), ACL_SUCCESS);
  fill(s1_, block, 64, 7);
  EXPECT_EQ(aclrtMemcpyAsync(host, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeWithDevSync(block), ACL_SUCCESS);
  EXPECT_TRUE(all_bytes_are(host, 64, 7));
  EXPECT_TRUE(is_complete(s1_));
  EXPECT_EQ(aclrtFreeHostWithDevSync(host), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreeHost(host), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryMalloc, ErrorsOfTheVariants) {
  void* block = nullptr;
  int own = 0;
  aclrtMallocConfig no_array{nullptr, 1};
  check_failures({
      {"aclrtMallocAlign32", 100000, "devPtr",
       [] { return aclrtMallocAlign32(nullptr, 1, ACL_MEM_MALLOC_HUGE_FIRST); }},
      {"aclrtMallocAlign32", 100000, "size is 0",
       [&] { return aclrtMallocAlign32(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST); }},
      {"aclrtMallocAlign32", 100000, "size is 18446744073709551615",
       [&] { return aclrtMallocAlign32(&block, most, ACL_MEM_MALLOC_HUGE_FIRST); }},
      {"aclrtMalloc", 100000, "size is " + std::to_string(most - 4096),
       [&] { return aclrtMalloc(&block, most - 4096, ACL_MEM_MALLOC_HUGE1G_ONLY); }},
      {"aclrtMallocCached", 100000, "devPtr",
       [] { return aclrtMallocCached(nullptr, 1, ACL_MEM_MALLOC_HUGE_FIRST); }},
      {"aclrtMallocCached", 100000, "size is 0",
       [&] { return aclrtMallocCached(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST); }},
      {"aclrtMallocCached", 207001, "wanted",
       [&] { return aclrtMallocCached(&block, device_total(), ACL_MEM_MALLOC_HUGE_FIRST); }},
      {"aclrtMallocWithCfg", 100000, "devPtr",
       [] { return aclrtMallocWithCfg(nullptr, 1, ACL_MEM_MALLOC_HUGE_FIRST, nullptr); }},
      {"aclrtMallocWithCfg", 100000, "size is 0",
       [&] { return aclrtMallocWithCfg(&block, 0, ACL_MEM_MALLOC_HUGE_FIRST, nullptr); }},
      {"aclrtMallocWithCfg", 100000, "cfg->numAttrs is 1",
       [&] { return aclrtMallocWithCfg(&block, 1, ACL_MEM_MALLOC_HUGE_FIRST, &no_array); }},
      {"aclrtMallocForTaskScheduler", 100000, "devPtr",
       [] { return aclrtMallocForTaskScheduler(nullptr, 1, ACL_MEM_MALLOC_HUGE_FIRST, nullptr); }},
      {"aclrtMallocForTaskScheduler", 100000, "cfg->numAttrs is 1",
       [&] { return aclrtMallocForTaskScheduler(&block, 1, ACL_MEM_MALLOC_HUGE_FIRST, &no_array); }},
      {"aclrtMallocHostWithCfg", 100000, "ptr", [] { return aclrtMallocHostWithCfg(nullptr, 1, nullptr); }},
      {"aclrtMallocHostWithCfg", 100000, "size is 0",
       [&] { return aclrtMallocHostWithCfg(&block, 0, nullptr); }},
      {"aclrtMallocHostWithCfg", 100000, "cfg->numAttrs is 1",
       [&] { return aclrtMallocHostWithCfg(&block, 1, &no_array); }},
      {"aclrtFreeWithDevSync", 100000, "devPtr", [] { return aclrtFreeWithDevSync(nullptr); }},
      {"aclrtFreeWithDevSync", 107000, "devPtr 0x", [&] { return aclrtFreeWithDevSync(&own); }},
      {"aclrtFreeHostWithDevSync", 100000, "hostPtr", [] { return aclrtFreeHostWithDevSync(nullptr); }},
      {"aclrtFreeHostWithDevSync", 107000, "hostPtr 0x", [&] { return aclrtFreeHostWithDevSync(&own); }},
      {"aclrtMemFlush", 100000, "devPtr", [] { return aclrtMemFlush(nullptr, 1); }},
      {"aclrtMemFlush", 100000, "size is 0", [&] { return aclrtMemFlush(&own, 0); }},
      {"aclrtMemInvalidate", 100000, "devPtr", [] { return aclrtMemInvalidate(nullptr, 1); }},
      {"aclrtMemInvalidate", 100000, "size is 0", [&] { return aclrtMemInvalidate(&own, 0); }},
  });
  EXPECT_EQ(block, nullptr);
}

TEST_F(MemoryMalloc, PointersTellWhatTheyAre) {
  const auto check_pointer = [](const void* pointer, aclrtMemLocationType type, std::uint32_t page_bytes) {
    aclrtPtrAttributes attributes{};
    EXPECT_EQ(aclrtPointerGetAttributes(pointer, &attributes), ACL_SUCCESS);
    EXPECT_EQ(attributes.location.type, type);
    EXPECT_EQ(attributes.pageSize, page_bytes);
  };
  void* block = nullptr;
  int own = 0;
  ASSERT_EQ(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  const host_buffer host(64);
  const auto pool = make_pool({});
  void* of_pool = allocate(pool, s1_, 2_M);
  check_pointer(block, ACL_MEM_LOCATION_TYPE_DEVICE, 4096);
  check_pointer(of_pool, ACL_MEM_LOCATION_TYPE_DEVICE, 2_M);
  check_pointer(host.data(), ACL_MEM_LOCATION_TYPE_HOST, 4096);
  check_pointer(&own, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
  check_pointer(block, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);

  void* base = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(aclrtMemGetAddressRange(advance(of_pool, 100), &base, nullptr), ACL_SUCCESS);
  EXPECT_EQ(base, of_pool);
  EXPECT_EQ(aclrtMemGetAddressRange(of_pool, nullptr, &bytes), ACL_SUCCESS);
  EXPECT_EQ(bytes, 2_M);
  release(of_pool, s1_);

  std::uint32_t result = 7;
  void* mixed[] = {host.data()};
  EXPECT_EQ(aclrtCheckMemType(mixed, 1, ACL_RT_MEM_TYPE_DEV, &result, 0), ACL_SUCCESS);
  EXPECT_EQ(result, 0U);
}

TEST_F(MemoryMalloc, ErrorsOfTheQuestions) {
  int own = 0;
  void* list[] = {&own};
  std::uint32_t result = 0;
  std::size_t count = 0;
  aclrtMemUsageInfo usage{};
  aclrtPtrAttributes attributes{};
  check_failures({
      {"aclrtPointerGetAttributes", 100000, "ptr",
       [&] { return aclrtPointerGetAttributes(nullptr, &attributes); }},
      {"aclrtPointerGetAttributes", 100000, "attributes",
       [&] { return aclrtPointerGetAttributes(&own, nullptr); }},
      {"aclrtCheckMemType", 100000, "addrList", [&] { return aclrtCheckMemType(nullptr, 1, 2, &result, 0); }},
      {"aclrtCheckMemType", 100000, "checkResult", [&] { return aclrtCheckMemType(list, 1, 2, nullptr, 0); }},
      {"aclrtCheckMemType", 100000, "size is 0", [&] { return aclrtCheckMemType(list, 0, 2, &result, 0); }},
      {"aclrtCheckMemType", 100000, "memType is 1",
       [&] { return aclrtCheckMemType(list, 1, 1, &result, 0); }},
      {"aclrtCheckMemType", 100000, "memType is 0",
       [&] { return aclrtCheckMemType(list, 1, 0, &result, 0); }},
      {"aclrtCheckMemType", 100000, "reserve is 1",
       [&] { return aclrtCheckMemType(list, 1, 2, &result, 1); }},
      {"aclrtMemGetAddressRange", 100000, "ptr",
       [&] { return aclrtMemGetAddressRange(nullptr, nullptr, &count); }},
      {"aclrtMemGetAddressRange", 107000, "pbase and psize",
       [&] { return aclrtMemGetAddressRange(&own, nullptr, nullptr); }},
      {"aclrtMemGetAddressRange", 107000, "ptr 0x",
       [&] { return aclrtMemGetAddressRange(&own, nullptr, &count); }},
      {"aclrtGetMemUsageInfo", 100000, "memUsageInfo",
       [&] { return aclrtGetMemUsageInfo(0, nullptr, 1, &count); }},
      {"aclrtGetMemUsageInfo", 100000, "outputNum",
       [&] { return aclrtGetMemUsageInfo(0, &usage, 1, nullptr); }},
      {"aclrtGetMemUsageInfo", 100000, "inputNum is 0",
       [&] { return aclrtGetMemUsageInfo(0, &usage, 0, &count); }},
      {"aclrtGetMemUsageInfo", 107001, "deviceId is 99",
       [&] { return aclrtGetMemUsageInfo(99, &usage, 1, &count); }},
      {"aclrtGetMemUsageInfo", 207000, "modules", [&] { return aclrtGetMemUsageInfo(0, &usage, 1, &count); }},
  });
}

}  // namespace
