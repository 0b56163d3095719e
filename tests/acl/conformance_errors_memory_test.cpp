// G3: every row of errors of the pool and memory functions. The code is compared exactly, and the text has to
// name the argument that is wrong.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

constexpr auto most = std::numeric_limits<std::size_t>::max();

class ErrorsOfMemory : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    pool_ = make_pool({.max_bytes = 16_M, .threshold = keep_all});
    block_ = allocate(pool_, s1_, 4_M);
    dead_pool_ = make_pool({});
    ASSERT_EQ(aclrtMemPoolDestroy(dead_pool_), ACL_SUCCESS);
    dead_stream_ = make_stream();
    ASSERT_EQ(aclrtDestroyStream(dead_stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtGetCurrentContext(&home_), ACL_SUCCESS);
    ASSERT_EQ(aclrtMallocHost(&host_, 64), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(used(pool_), 4_M);
    EXPECT_EQ(reserved(pool_), 4_M);
    EXPECT_EQ(aclrtFreeHost(host_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  static std::function<aclError()> create(const std::function<void(aclrtMemPoolProps&)>& change) {
    return [change] {
      auto properties = good_properties();
      change(properties);
      aclrtMemPool pool = nullptr;
      return aclrtMemPoolCreate(&pool, &properties);
    };
  }

  static std::function<aclError()> set(aclrtMemPool pool, int attribute, std::uint64_t value) {
    return [pool, attribute, value]() mutable {
      return aclrtMemPoolSetAttr(pool, static_cast<aclrtMemPoolAttr>(attribute), &value);
    };
  }

  static std::function<aclError()> get(aclrtMemPool pool, int attribute) {
    return [pool, attribute] {
      std::uint64_t value = 0;
      return aclrtMemPoolGetAttr(pool, static_cast<aclrtMemPoolAttr>(attribute), &value);
    };
  }

  static std::function<aclError()> pool_malloc(std::size_t bytes, aclrtMemPool pool, aclrtStream stream) {
    return [bytes, pool, stream] {
      void* block = nullptr;
      return aclrtMemPoolMallocAsync(&block, bytes, pool, stream);
    };
  }

  static std::function<aclError()> pool_free(void* block, aclrtStream stream) {
    return [block, stream] { return aclrtMemPoolFreeAsync(block, stream); };
  }

  static std::function<aclError()> copy(void* to, std::size_t room, const void* from, std::size_t bytes,
                                        int kind) {
    return [=] { return aclrtMemcpy(to, room, from, bytes, static_cast<aclrtMemcpyKind>(kind)); };
  }

  static std::function<aclError()> copy_on(aclrtStream stream, void* to, std::size_t room, const void* from,
                                           std::size_t bytes, int kind) {
    return
        [=] { return aclrtMemcpyAsync(to, room, from, bytes, static_cast<aclrtMemcpyKind>(kind), stream); };
  }

  static std::function<aclError()> fill_on(aclrtStream stream, void* to, std::size_t room,
                                           std::size_t bytes) {
    return [=] { return aclrtMemsetAsync(to, room, 1, bytes, stream); };
  }

  /// Checks the rows with a context that is not the one of the test's streams.
  void check_in_another_context(const std::vector<error_row>& rows) const {
    aclrtContext other = nullptr;
    ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
    check_failures(rows);
    ASSERT_EQ(aclrtSetCurrentContext(home_), ACL_SUCCESS);
    ASSERT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  }

  /// A number that is no handle.
  static void* invented() { return reinterpret_cast<void*>(std::uintptr_t{0x7ffffff0}); }

  aclrtMemPool pool_ = nullptr;
  aclrtMemPool dead_pool_ = nullptr;
  aclrtStream dead_stream_ = nullptr;
  aclrtContext home_ = nullptr;
  void* block_ = nullptr;
  void* host_ = nullptr;
  int own_ = 0;
};

TEST_F(ErrorsOfMemory, G3_PoolCreate) {
  const auto good = good_properties();
  aclrtMemPool pool = nullptr;
  check_failures({
      {"aclrtMemPoolCreate", 100000, "memPool", [&] { return aclrtMemPoolCreate(nullptr, &good); }},
      {"aclrtMemPoolCreate", 100000, "poolProps", [&] { return aclrtMemPoolCreate(&pool, nullptr); }},
      {"aclrtMemPoolCreate", 100000, "allocType",
       create([](auto& p) { p.allocType = static_cast<aclrtMemAllocationType>(1); })},
      {"aclrtMemPoolCreate", 100000, "location.type",
       create([](auto& p) { p.location.type = ACL_MEM_LOCATION_TYPE_HOST; })},
      {"aclrtMemPoolCreate", 100000, "reserved", create([](auto& p) { p.reserved[31] = 1; })},
      {"aclrtMemPoolCreate", 107001, "location.id is 99", create([](auto& p) { p.location.id = 99; })},
      {"aclrtMemPoolCreate", 107001, "location.id is 4294967295",
       create([](auto& p) { p.location.id = 0xFFFFFFFFU; })},
      {"aclrtMemPoolCreate", 107000, "maxSize is " + std::to_string(device_total() + 1),
       create([](auto& p) { p.maxSize = device_total() + 1; })},
      {"aclrtMemPoolCreate", 107000, "maxSize is 18446744073709551615",
       create([](auto& p) { p.maxSize = most; })},
  });
}

TEST_F(ErrorsOfMemory, G3_PoolDestroyAndTrim) {
  check_failures({
      {"aclrtMemPoolDestroy", 100000, "memPool", [] { return aclrtMemPoolDestroy(nullptr); }},
      {"aclrtMemPoolDestroy", 507000, "memPool", [this] { return aclrtMemPoolDestroy(dead_pool_); }},
      {"aclrtMemPoolDestroy", 507000, "memPool", [] { return aclrtMemPoolDestroy(invented()); }},
      {"aclrtMemPoolTrimTo", 100000, "memPool", [] { return aclrtMemPoolTrimTo(nullptr, 0); }},
      {"aclrtMemPoolTrimTo", 507000, "memPool", [this] { return aclrtMemPoolTrimTo(dead_pool_, 0); }},
      {"aclrtMemPoolTrimTo", 507000, "minBytesToKeep is 16777217",
       [this] { return aclrtMemPoolTrimTo(pool_, 16_M + 1); }},
  });
}

TEST_F(ErrorsOfMemory, G3_PoolAttributes) {
  for (int attribute = 1; attribute <= 8; ++attribute) {
    const auto which = static_cast<aclrtMemPoolAttr>(attribute);
    check_failures({
        {"aclrtMemPoolSetAttr", 100000, "memPool", set(nullptr, attribute, 0)},
        {"aclrtMemPoolSetAttr", 107000, "value", [&] { return aclrtMemPoolSetAttr(pool_, which, nullptr); }},
        {"aclrtMemPoolSetAttr", 107000, "memPool", set(dead_pool_, attribute, 0)},
        {"aclrtMemPoolGetAttr", 100000, "memPool", get(nullptr, attribute)},
        {"aclrtMemPoolGetAttr", 107000, "value", [&] { return aclrtMemPoolGetAttr(pool_, which, nullptr); }},
        {"aclrtMemPoolGetAttr", 107000, "memPool", get(dead_pool_, attribute)},
    });
  }
  check_failures({
      {"aclrtMemPoolSetAttr", 107000, "attr is 5", set(pool_, 5, 0)},
      {"aclrtMemPoolSetAttr", 107000, "attr is 7", set(pool_, 7, 0)},
      {"aclrtMemPoolSetAttr", 507000, "value is 1", set(pool_, 6, 1)},
      {"aclrtMemPoolSetAttr", 507000, "value is 1", set(pool_, 8, 1)},
      {"aclrtMemPoolSetAttr", 107000, "attr is 0", set(pool_, 0, 0)},
      {"aclrtMemPoolSetAttr", 107000, "attr is 9", set(pool_, 9, 0)},
      {"aclrtMemPoolGetAttr", 107000, "attr is 0", get(pool_, 0)},
      {"aclrtMemPoolGetAttr", 107000, "attr is 9", get(pool_, 9)},
  });
}

TEST_F(ErrorsOfMemory, G3_PoolMallocAndFree) {
  check_failures({
      {"aclrtMemPoolMallocAsync", 100000, "ptr",
       [this] { return aclrtMemPoolMallocAsync(nullptr, 2_M, pool_, s1_); }},
      {"aclrtMemPoolMallocAsync", 100000, "memPool", pool_malloc(2_M, nullptr, s1_)},
      {"aclrtMemPoolMallocAsync", 100000, "stream", pool_malloc(2_M, pool_, nullptr)},
      {"aclrtMemPoolMallocAsync", 100000, "size is 0", pool_malloc(0, pool_, s1_)},
      {"aclrtMemPoolMallocAsync", 107017, "stream", pool_malloc(2_M, pool_, dead_stream_)},
      {"aclrtMemPoolMallocAsync", 107000, "size is 18446744073709551615", pool_malloc(most, pool_, s1_)},
      {"aclrtMemPoolMallocAsync", 507000, "memPool", pool_malloc(2_M, dead_pool_, s1_)},
      {"aclrtMemPoolMallocAsync", 507000, "wanted", pool_malloc(18_M, pool_, s1_)},
      {"aclrtMemPoolMallocAsync", 507000, "wanted", pool_malloc(14_M, pool_, s1_)},
      {"aclrtMemPoolFreeAsync", 100000, "ptr", pool_free(nullptr, s1_)},
      {"aclrtMemPoolFreeAsync", 107017, "stream", pool_free(block_, dead_stream_)},
      {"aclrtMemPoolFreeAsync", 507000, "stream", pool_free(block_, nullptr)},
      {"aclrtMemPoolFreeAsync", 107000, "ptr 0x", pool_free(advance(block_, 2_M), s1_)},
      {"aclrtMemPoolFreeAsync", 107000, "ptr 0x", pool_free(&own_, s1_)},
  });
  check_in_another_context({
      {"aclrtMemPoolMallocAsync", 107003, "stream", pool_malloc(2_M, pool_, s1_)},
      {"aclrtMemPoolFreeAsync", 107003, "stream", pool_free(block_, s1_)},
  });
}

TEST_F(ErrorsOfMemory, G3_PlainMemory) {
  void* memory = nullptr;
  std::size_t bytes = 0;
  const auto allocate_plain = [&](std::size_t size) {
    return [&memory, size] { return aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST); };
  };
  check_failures({
      {"aclrtMalloc", 100000, "devPtr", [] { return aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST); }},
      {"aclrtMalloc", 100000, "size is 0", allocate_plain(0)},
      {"aclrtMalloc", 100000, "size is 18446744073709551615", allocate_plain(most)},
      {"aclrtMalloc", 207001, "size is " + std::to_string(device_total() + 2_M - 32),
       allocate_plain(device_total() + 2_M - 32)},
      {"aclrtFree", 100000, "devPtr", [] { return aclrtFree(nullptr); }},
      {"aclrtFree", 107000, "devPtr 0x", [this] { return aclrtFree(&own_); }},
      {"aclrtFree", 107000, "devPtr 0x", [this] { return aclrtFree(advance(block_, 2_M)); }},
      {"aclrtMallocHost", 100000, "hostPtr", [] { return aclrtMallocHost(nullptr, 64); }},
      {"aclrtMallocHost", 100000, "size is 0", [&] { return aclrtMallocHost(&memory, 0); }},
      {"aclrtMallocHost", 207001, "size is 18446744073709551615",
       [&] { return aclrtMallocHost(&memory, most); }},
      {"aclrtFreeHost", 100000, "hostPtr", [] { return aclrtFreeHost(nullptr); }},
      {"aclrtFreeHost", 107000, "hostPtr 0x", [this] { return aclrtFreeHost(&own_); }},
      {"aclrtGetMemInfo", 100000, "free", [&] { return aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &bytes); }},
      {"aclrtGetMemInfo", 100000, "total", [&] { return aclrtGetMemInfo(ACL_HBM_MEM, &bytes, nullptr); }},
      {"aclrtGetMemInfo", 107016, "attr is 18",
       [&] { return aclrtGetMemInfo(static_cast<aclrtMemAttr>(18), &bytes, &bytes); }},
  });
}

TEST_F(ErrorsOfMemory, G3_Copies) {
  std::array<char, 64> bytes{};
  check_failures({
      {"aclrtMemcpy", 100000, "dst", copy(nullptr, 8, host_, 8, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpy", 100000, "src", copy(host_, 8, nullptr, 8, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpy", 100000, "kind is 6", copy(bytes.data(), 8, host_, 8, 6)},
      {"aclrtMemcpy", 100000, "kind is 7", copy(bytes.data(), 8, host_, 8, 7)},
      {"aclrtMemcpy", 107000, "destMax", copy(bytes.data(), 0, host_, 8, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpy", 107000, "count is 9", copy(bytes.data(), 8, host_, 9, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpyAsync", 100000, "dst", copy_on(s1_, nullptr, 8, host_, 8, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpyAsync", 100000, "src", copy_on(s1_, block_, 8, nullptr, 8, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpyAsync", 100000, "kind is 6", copy_on(s1_, block_, 8, host_, 8, 6)},
      {"aclrtMemcpyAsync", 107000, "count is 9", copy_on(s1_, block_, 8, host_, 9, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpyAsync", 107017, "stream", copy_on(dead_stream_, block_, 8, host_, 8, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpyAsync", 107000, "kind is 2", copy_on(s1_, block_, 8, host_, 8, ACL_MEMCPY_DEVICE_TO_HOST)},
      {"aclrtMemcpyAsync", 107000, "kind is 0", copy_on(s1_, block_, 8, host_, 8, ACL_MEMCPY_HOST_TO_HOST)},
      {"aclrtMemcpyAsync", 207000, "host", copy_on(s1_, bytes.data(), 8, host_, 8, ACL_MEMCPY_HOST_TO_HOST)},
      {"aclrtMemset", 100000, "devPtr", [] { return aclrtMemset(nullptr, 8, 1, 8); }},
      {"aclrtMemset", 107000, "maxCount", [this] { return aclrtMemset(host_, 8, 1, 9); }},
      {"aclrtMemsetAsync", 100000, "devPtr", fill_on(s1_, nullptr, 8, 8)},
      {"aclrtMemsetAsync", 107000, "maxCount", fill_on(s1_, block_, 8, 9)},
      {"aclrtMemsetAsync", 107017, "stream", fill_on(dead_stream_, block_, 8, 8)},
  });
  check_in_another_context({
      {"aclrtMemcpyAsync", 107003, "stream", copy_on(s1_, block_, 8, host_, 8, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemsetAsync", 107003, "stream", fill_on(s1_, block_, 8, 8)},
  });
  // No bytes are a success before anything else is looked at.
  EXPECT_EQ(copy(nullptr, 0, nullptr, 0, 7)(), ACL_SUCCESS);
  EXPECT_EQ(copy_on(dead_stream_, nullptr, 0, nullptr, 0, 7)(), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(nullptr, 0, 0, 0), ACL_SUCCESS);
  EXPECT_EQ(fill_on(dead_stream_, nullptr, 0, 0)(), ACL_SUCCESS);
}

TEST_F(ErrorsOfMemory, G3_WithoutAContext) {
  std::thread([this] {
    void* memory = nullptr;
    std::size_t bytes = 0;
    check_failures({
        {"aclrtMemPoolCreate", 107002, "context", create([](auto&) {})},
        {"aclrtMemPoolDestroy", 107002, "context", [this] { return aclrtMemPoolDestroy(pool_); }},
        {"aclrtMemPoolTrimTo", 107002, "context", [this] { return aclrtMemPoolTrimTo(pool_, 0); }},
        {"aclrtMemPoolSetAttr", 107002, "context", set(pool_, 4, 0)},
        {"aclrtMemPoolGetAttr", 107002, "context", get(pool_, 4)},
        {"aclrtMemPoolMallocAsync", 107003, "stream", pool_malloc(2_M, pool_, s1_)},
        {"aclrtMemPoolFreeAsync", 107003, "stream", pool_free(block_, s1_)},
        {"aclrtMalloc", 107002, "context",
         [&] { return aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST); }},
        {"aclrtMallocHost", 107002, "context", [&] { return aclrtMallocHost(&memory, 64); }},
        {"aclrtGetMemInfo", 107002, "context", [&] { return aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &bytes); }},
        {"aclrtMemcpy", 107002, "context", copy(block_, 8, host_, 8, ACL_MEMCPY_DEFAULT)},
        {"aclrtMemcpy", 107002, "context", copy(host_, 8, block_, 8, ACL_MEMCPY_DEFAULT)},
        {"aclrtMemcpyAsync", 107002, "context", copy_on(nullptr, block_, 8, host_, 8, ACL_MEMCPY_DEFAULT)},
        {"aclrtMemset", 107002, "context", [this] { return aclrtMemset(block_, 8, 1, 8); }},
        {"aclrtMemsetAsync", 107002, "context", fill_on(nullptr, block_, 8, 8)},
    });
  }).join();
}

}  // namespace
