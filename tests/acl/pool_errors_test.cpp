// Every error row of the seven pool functions: the code is compared exactly, and nothing may change.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/acl_fixture.hpp"

namespace {

using namespace support;

struct error_case {
  std::string what;
  std::function<aclError()> make_call;
  aclError expected;
};

class PoolErrors : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    pool_ = make_pool({.max_bytes = 16_M, .threshold = keep_all});
    block_ = allocate(pool_, s1_, 4_M);
    dead_pool_ = make_pool({});
    ASSERT_EQ(aclrtMemPoolDestroy(dead_pool_), ACL_SUCCESS);
    dead_stream_ = make_stream();
    ASSERT_EQ(aclrtDestroyStream(dead_stream_), ACL_SUCCESS);
  }

  /// Makes each call, compares its code, and sees that the pool did not change.
  void check(const std::vector<error_case>& cases) const {
    for (const auto& row : cases) {
      EXPECT_EQ(row.make_call(), row.expected) << row.what;
      EXPECT_EQ(used(pool_), 4_M) << row.what;
      EXPECT_EQ(reserved(pool_), 4_M) << row.what;
    }
  }

  static aclError create(const std::function<void(aclrtMemPoolProps&)>& change) {
    auto properties = good_properties();
    change(properties);
    aclrtMemPool pool = nullptr;
    const auto code = aclrtMemPoolCreate(&pool, &properties);
    if (code == ACL_SUCCESS) {
      EXPECT_EQ(aclrtMemPoolDestroy(pool), ACL_SUCCESS);
    } else {
      EXPECT_EQ(pool, nullptr) << "written although the call failed";
    }
    return code;
  }

  aclError malloc_code(std::size_t bytes, aclrtMemPool pool, aclrtStream stream) const {
    void* block = block_;
    const auto code = aclrtMemPoolMallocAsync(&block, bytes, pool, stream);
    EXPECT_EQ(block, nullptr);
    return code;
  }

  static aclError set(aclrtMemPool pool, int attr, std::uint64_t value) {
    return aclrtMemPoolSetAttr(pool, static_cast<aclrtMemPoolAttr>(attr), &value);
  }

  static aclError get(aclrtMemPool pool, int attr) {
    std::uint64_t value = 0;
    return aclrtMemPoolGetAttr(pool, static_cast<aclrtMemPoolAttr>(attr), &value);
  }

  /// A number that is no handle.
  static void* invented() { return reinterpret_cast<void*>(std::uintptr_t{0x7ffffff0}); }

  aclrtMemPool pool_ = nullptr;
  aclrtMemPool dead_pool_ = nullptr;
  aclrtStream dead_stream_ = nullptr;
  void* block_ = nullptr;
};

TEST_F(PoolErrors, S27_Create) {
  const auto good = good_properties();
  aclrtMemPool pool = nullptr;
  std::uint32_t devices = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&devices), ACL_SUCCESS);
  const auto wrong_type = static_cast<aclrtMemAllocationType>(1);
  check({
      {"null pool", [&] { return aclrtMemPoolCreate(nullptr, &good); }, 100000},
      {"null properties", [&] { return aclrtMemPoolCreate(&pool, nullptr); }, 100000},
      {"allocation type", [&] { return create([&](auto& p) { p.allocType = wrong_type; }); }, 100000},
      {"host", [] { return create([](auto& p) { p.location.type = ACL_MEM_LOCATION_TYPE_HOST; }); }, 100000},
      {"managed", [] { return create([](auto& p) { p.location.type = ACL_MEM_LOCATION_TYPE_MANAGED; }); },
       100000},
      {"first reserved", [] { return create([](auto& p) { p.reserved[0] = 1; }); }, 100000},
      {"last reserved", [] { return create([](auto& p) { p.reserved[31] = 1; }); }, 100000},
      {"no such device", [&] { return create([&](auto& p) { p.location.id = devices; }); }, 107001},
      {"no such device", [] { return create([](auto& p) { p.location.id = 0xFFFFFFFFU; }); }, 107001},
      {"too large", [] { return create([](auto& p) { p.maxSize = device_total() + 1; }); }, 107000},
      {"wraps", [] { return create([](auto& p) { p.maxSize = std::numeric_limits<std::size_t>::max(); }); },
       107000},
      {"handle type", [] { return create([](auto& p) { p.handleType = ACL_MEM_HANDLE_TYPE_POSIX; }); }, 0},
      {"whole device", [] { return create([](auto& p) { p.maxSize = device_total(); }); }, 0},
      {"one byte", [] { return create([](auto& p) { p.maxSize = 1; }); }, 0},
  });
  EXPECT_EQ(pool, nullptr);
}

TEST_F(PoolErrors, CreateChecksInOrder) {
  // The checks for 100000 come first.
  EXPECT_EQ(create([](auto& p) {
              p.location.id = 99;
              p.reserved[5] = 1;
            }),
            100000);
  EXPECT_EQ(create([](auto& p) {
              p.location.id = 99;
              p.maxSize = std::numeric_limits<std::size_t>::max();
            }),
            107001);
}

TEST_F(PoolErrors, S62_Destroy) {
  check({
      {"null", [] { return aclrtMemPoolDestroy(nullptr); }, 100000},
      {"destroyed before", [this] { return aclrtMemPoolDestroy(dead_pool_); }, 507000},
      {"never created", [] { return aclrtMemPoolDestroy(invented()); }, 507000},
      {"a stream", [this] { return aclrtMemPoolDestroy(s1_); }, 507000},
  });
}

TEST_F(PoolErrors, SetAttr) {
  std::vector<error_case> cases;
  for (int attr = 1; attr <= 8; ++attr) {
    const auto which = std::to_string(attr);
    cases.push_back({"null pool " + which, [attr] { return set(nullptr, attr, 0); }, 100000});
    cases.push_back({"dead pool " + which, [this, attr] { return set(dead_pool_, attr, 0); }, 107000});
    cases.push_back({"no pool " + which, [attr] { return set(invented(), attr, 0); }, 107000});
    cases.push_back(
        {"null value " + which,
         [this, attr] { return aclrtMemPoolSetAttr(pool_, static_cast<aclrtMemPoolAttr>(attr), nullptr); },
         107000});
  }
  for (const int attr : {0, 9, -1, 1000}) {
    cases.push_back(
        {"unknown " + std::to_string(attr), [this, attr] { return set(pool_, attr, 0); }, 107000});
  }
  cases.push_back({"reserved", [this] { return set(pool_, 5, 0); }, 107000});
  cases.push_back({"used", [this] { return set(pool_, 7, 0); }, 107000});
  cases.push_back({"reserved high", [this] { return set(pool_, 6, 1); }, 507000});
  cases.push_back({"used high", [this] { return set(pool_, 8, 1); }, 507000});
  // D8: CANN's source refuses a threshold above the pool's size; here any value is accepted.
  cases.push_back({"threshold above the pool", [this] { return set(pool_, 4, 17_M); }, 0});
  check(cases);
  EXPECT_EQ(used_high(pool_), 4_M);
  EXPECT_EQ(reserved_high(pool_), 4_M);
}

TEST_F(PoolErrors, GetAttr) {
  std::vector<error_case> cases;
  for (int attr = 1; attr <= 8; ++attr) {
    const auto which = std::to_string(attr);
    cases.push_back({"good " + which, [this, attr] { return get(pool_, attr); }, 0});
    cases.push_back({"null pool " + which, [attr] { return get(nullptr, attr); }, 100000});
    cases.push_back({"dead pool " + which, [this, attr] { return get(dead_pool_, attr); }, 107000});
    cases.push_back({"no pool " + which, [attr] { return get(invented(), attr); }, 107000});
    cases.push_back(
        {"null value " + which,
         [this, attr] { return aclrtMemPoolGetAttr(pool_, static_cast<aclrtMemPoolAttr>(attr), nullptr); },
         107000});
  }
  for (const int attr : {0, 9, -1, 1000}) {
    cases.push_back({"unknown " + std::to_string(attr), [this, attr] { return get(pool_, attr); }, 107000});
  }
  check(cases);
}

TEST_F(PoolErrors, D19_Malloc) {
  constexpr auto largest = std::numeric_limits<std::size_t>::max();
  check({
      {"null pointer", [this] { return aclrtMemPoolMallocAsync(nullptr, 2_M, pool_, s1_); }, 100000},
      {"null pool", [this] { return malloc_code(2_M, nullptr, s1_); }, 100000},
      {"null stream", [this] { return malloc_code(2_M, pool_, nullptr); }, 100000},
      {"no bytes", [this] { return malloc_code(0, pool_, s1_); }, 100000},
      {"wraps", [this] { return malloc_code(largest, pool_, s1_); }, 107000},
      {"dead stream", [this] { return malloc_code(2_M, pool_, dead_stream_); }, 107017},
      {"no stream", [this] { return malloc_code(2_M, pool_, invented()); }, 107017},
      {"a pool as stream", [this] { return malloc_code(2_M, pool_, pool_); }, 107017},
      {"dead pool", [this] { return malloc_code(2_M, dead_pool_, s1_); }, 507000},
      {"no pool", [this] { return malloc_code(2_M, invented(), s1_); }, 507000},
      {"too large", [this] { return malloc_code(18_M, pool_, s1_); }, 507000},
      {"exhausted", [this] { return malloc_code(14_M, pool_, s1_); }, 507000},
  });
  EXPECT_EQ(used_high(pool_), 4_M);
}

TEST_F(PoolErrors, MallocChecksInOrder) {
  constexpr auto largest = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(malloc_code(largest, dead_pool_, dead_stream_), 107017);
  EXPECT_EQ(malloc_code(largest, dead_pool_, s1_), 107000);
  EXPECT_EQ(malloc_code(0, dead_pool_, dead_stream_), 100000);
}

TEST_F(PoolErrors, D19_Free) {
  void* freed = allocate(pool_, s1_, 2_M);
  release(freed, s1_);
  set_threshold(pool_, 0);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  int own = 0;
  check({
      {"null pointer", [this] { return aclrtMemPoolFreeAsync(nullptr, s1_); }, 100000},
      {"null stream", [this] { return aclrtMemPoolFreeAsync(block_, nullptr); }, 507000},
      {"dead stream", [this] { return aclrtMemPoolFreeAsync(block_, dead_stream_); }, 107017},
      {"no stream", [this] { return aclrtMemPoolFreeAsync(block_, invented()); }, 107017},
      {"freed before", [this, freed] { return aclrtMemPoolFreeAsync(freed, s1_); }, 107000},
      {"inside", [this] { return aclrtMemPoolFreeAsync(advance(block_, 1), s1_); }, 107000},
      {"inside, a granule on", [this] { return aclrtMemPoolFreeAsync(advance(block_, 2_M), s1_); }, 107000},
      {"behind", [this] { return aclrtMemPoolFreeAsync(advance(block_, 4_M), s1_); }, 107000},
      // D17: CANN's source accepts a pointer that nobody gave out; here it is 107000.
      {"the program's own", [this, &own] { return aclrtMemPoolFreeAsync(&own, s1_); }, 107000},
  });
}

TEST_F(PoolErrors, StreamOfAnotherContext) {
  aclrtContext home = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&home), ACL_SUCCESS);
  aclrtContext other = nullptr;
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  check({
      {"malloc", [this] { return malloc_code(2_M, pool_, s1_); }, 107003},
      {"free", [this] { return aclrtMemPoolFreeAsync(block_, s1_); }, 107003},
  });
  ASSERT_EQ(aclrtSetCurrentContext(home), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
}

TEST_F(PoolErrors, TrimTo) {
  check({
      {"null", [] { return aclrtMemPoolTrimTo(nullptr, 0); }, 100000},
      {"dead pool", [this] { return aclrtMemPoolTrimTo(dead_pool_, 0); }, 507000},
      {"no pool", [] { return aclrtMemPoolTrimTo(invented(), 0); }, 507000},
      {"above the pool", [this] { return aclrtMemPoolTrimTo(pool_, 18_M); }, 507000},
      {"far above", [this] { return aclrtMemPoolTrimTo(pool_, std::numeric_limits<std::size_t>::max()); },
       507000},
      {"the pool's size", [this] { return aclrtMemPoolTrimTo(pool_, 16_M); }, 0},
      // D5: below used is no error.
      {"nothing", [this] { return aclrtMemPoolTrimTo(pool_, 0); }, 0},
      {"below used", [this] { return aclrtMemPoolTrimTo(pool_, 2_M); }, 0},
  });
}

}  // namespace
