// Pools that other processes use: what one process can see of it. Two processes are in
// tests/acl_programs/pool_sharing.c; S88 runs that program.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "acl/soma_pool_sharing.h"
#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class PoolSharing : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    auto properties = good_properties(16_M);
    properties.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    ASSERT_EQ(aclrtMemPoolCreate(&pool_, &properties), ACL_SUCCESS);
    block_ = allocate(pool_, s1_, 2_M);
  }

  void TearDown() override {
    release(block_, s1_);
    EXPECT_EQ(settle(s1_), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemPoolDestroy(pool_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  aclrtMemPool pool_ = nullptr;
  void* block_ = nullptr;
  std::array<char, SOMA_POOL_KEY_SIZE> key_{};
  somaMemPoolPointer told_{};
};

TEST_F(PoolSharing, S87_OnlyWithTheHandleTypePosix) {
  const auto plain = make_pool({});
  check_failure({"somaMemPoolExport", 107000, "POSIX",
                 [&] { return somaMemPoolExport(plain, key_.data(), key_.size()); }});
  EXPECT_EQ(somaMemPoolExport(pool_, key_.data(), key_.size()), ACL_SUCCESS);
  EXPECT_LT(std::string(key_.data()).size(), key_.size());
}

TEST_F(PoolSharing, S88_AnotherProcessSeesTheBlocksAndAllocatesNone) {
  EXPECT_EQ(std::system(POOL_SHARING_PATH), 0);
  ASSERT_EQ(somaMemPoolExport(pool_, key_.data(), key_.size()), ACL_SUCCESS);
  aclrtMemPool own = nullptr;
  check_failure({"somaMemPoolImport", 107000, "this very process",
                 [&] { return somaMemPoolImport(&own, key_.data()); }});
}

TEST_F(PoolSharing, S89_NullsAndOthersAreRefused) {
  ASSERT_EQ(somaMemPoolExportPointer(pool_, block_, &told_), ACL_SUCCESS);
  EXPECT_EQ(told_.size, 2_M);
  aclrtMemPool imported = nullptr;
  void* result = nullptr;
  check_failures({
      {"somaMemPoolExport", 100000, "memPool",
       [this] { return somaMemPoolExport(nullptr, key_.data(), key_.size()); }},
      {"somaMemPoolExport", 100000, "key", [this] { return somaMemPoolExport(pool_, nullptr, key_.size()); }},
      {"somaMemPoolExport", 107000, "len is 64",
       [this] { return somaMemPoolExport(pool_, key_.data(), 64); }},
      {"somaMemPoolExport", 107000, "memPool 0x",
       [this] { return somaMemPoolExport(&told_, key_.data(), key_.size()); }},
      {"somaMemPoolImport", 100000, "memPool", [this] { return somaMemPoolImport(nullptr, key_.data()); }},
      {"somaMemPoolImport", 100000, "key", [&] { return somaMemPoolImport(&imported, nullptr); }},
      {"somaMemPoolImport", 107000, "no key", [&] { return somaMemPoolImport(&imported, "nonsense"); }},
      {"somaMemPoolExportPointer", 100000, "memPool",
       [this] { return somaMemPoolExportPointer(nullptr, block_, &told_); }},
      {"somaMemPoolExportPointer", 100000, "ptr",
       [this] { return somaMemPoolExportPointer(pool_, nullptr, &told_); }},
      {"somaMemPoolExportPointer", 100000, "data",
       [this] { return somaMemPoolExportPointer(pool_, block_, nullptr); }},
      {"somaMemPoolExportPointer", 107000, "ptr 0x",
       [this] { return somaMemPoolExportPointer(pool_, advance(block_, 64), &told_); }},
      {"somaMemPoolImportPointer", 100000, "memPool",
       [&] { return somaMemPoolImportPointer(nullptr, &told_, &result); }},
      {"somaMemPoolImportPointer", 100000, "data",
       [&] { return somaMemPoolImportPointer(pool_, nullptr, &result); }},
      {"somaMemPoolImportPointer", 100000, "ptr",
       [&] { return somaMemPoolImportPointer(pool_, &told_, nullptr); }},
      {"somaMemPoolImportPointer", 107000, "memPool 0x",
       [&] { return somaMemPoolImportPointer(pool_, &told_, &result); }},
  });
}

TEST_F(PoolSharing, B83_TheOldWayNamesTheNewOne) {
  check_failure({"aclrtIpcMemGetExportKey", 107000, "somaMemPoolExport",
                 [this] { return aclrtIpcMemGetExportKey(block_, 2_M, key_.data(), key_.size(), 1); }});
}

// What the importing side does is in tests/acl_programs/ipc_memory.c.
TEST_F(PoolSharing, B85_OneKeyForOneBlock) {
  void* block = nullptr;
  ASSERT_EQ(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  std::array<char, 65> first{};
  std::array<char, 65> second{};
  for (int round = 0; round != 1000; ++round) {
    ASSERT_EQ(aclrtIpcMemGetExportKey(block, 4096, first.data(), first.size(), 1), ACL_SUCCESS);
    ASSERT_EQ(aclrtIpcMemGetExportKey(block, 4096, second.data(), second.size(), 1), ACL_SUCCESS);
    ASSERT_STREQ(first.data(), second.data());
    ASSERT_EQ(aclrtIpcMemClose(first.data()), ACL_SUCCESS);
    ASSERT_EQ(aclrtIpcMemClose(first.data()), ACL_SUCCESS);
    ASSERT_EQ(aclrtIpcMemClose(first.data()), ACL_ERROR_RT_PARAM_INVALID);
  }
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
}

}  // namespace
