// The errors of functions that have a sister with the same rules, and of small ones that have few.

#include <pthread.h>

#include <array>
#include <cstdint>

#include "acl/bad_enums.h"
#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class ErrorsOfVariants : public acl_fixture {
protected:
  static std::uint64_t here() { return static_cast<std::uint64_t>(pthread_self()); }

  aclrtStream dead_stream() {
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    return stream;
  }
};

TEST_F(ErrorsOfVariants, ThreadsForHostFunctions) {
  const aclrtStream dead = dead_stream();
  check_failures({
      {"aclrtUnSubscribeHostFunc", 107011, "stream", [&] { return aclrtUnSubscribeHostFunc(here(), s1_); }},
      {"aclrtSubscribeHostFunc", 107017, "stream", [&] { return aclrtSubscribeHostFunc(here(), dead); }},
      {"aclrtUnSubscribeHostFunc", 107017, "stream", [&] { return aclrtUnSubscribeHostFunc(here(), dead); }},
  });
  ASSERT_EQ(aclrtSubscribeHostFunc(here(), s1_), ACL_SUCCESS);
  check_failures({
      {"aclrtSubscribeHostFunc", 107011, "stream", [&] { return aclrtSubscribeHostFunc(here() + 1, s1_); }},
      {"aclrtUnSubscribeHostFunc", 107012, "thread",
       [&] { return aclrtUnSubscribeHostFunc(here() + 1, s1_); }},
  });
  EXPECT_EQ(aclrtUnSubscribeHostFunc(here(), s1_), ACL_SUCCESS);
}

TEST_F(ErrorsOfVariants, LimitsAndOptions) {
  const aclrtStream dead = dead_stream();
  std::int64_t option = 0;
  check_failures({
      {"aclrtResetStreamResLimit", 107017, "stream", [&] { return aclrtResetStreamResLimit(dead); }},
      {"aclrtUnuseStreamResInCurrentThread", 107017, "stream",
       [&] { return aclrtUnuseStreamResInCurrentThread(dead); }},
      {"aclrtCtxGetSysParamOpt", 100000, "value",
       [] { return aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr); }},
      {"aclrtCtxGetSysParamOpt", 107021, "opt is 2, which was never set",
       [&] { return aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &option); }},
      {"aclrtCtxSetSysParamOpt", 100000, "opt is 4", [] { return set_context_option_of(4); }},
  });
}

TEST_F(ErrorsOfVariants, AttributesOfManagedMemory) {
  void* block = nullptr;
  ASSERT_EQ(aclrtMemAllocManaged(&block, 2_M, ACL_RT_MEM_ATTACH_GLOBAL), ACL_SUCCESS);
  std::int32_t found = 0;
  std::array<aclrtMemManagedRangeAttribute, 1> which{ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
  std::array<void*, 1> data{&found};
  std::array<std::size_t, 1> sizes{sizeof found};
  const auto get = [&](aclrtMemManagedRangeAttribute* attributes, std::size_t count, const void* at,
                       void** to, std::size_t* room) {
    return aclrtMemManagedGetAttrs(attributes, count, at, 2_M, to, room);
  };
  check_failures({
      {"aclrtMemManagedGetAttrs", 100000, "attributes",
       [&] { return get(nullptr, 1, block, data.data(), sizes.data()); }},
      {"aclrtMemManagedGetAttrs", 100000, "numAttributes",
       [&] { return get(which.data(), 0, block, data.data(), sizes.data()); }},
      {"aclrtMemManagedGetAttrs", 100000, "ptr",
       [&] { return get(which.data(), 1, nullptr, data.data(), sizes.data()); }},
      {"aclrtMemManagedGetAttrs", 100000, "data",
       [&] { return get(which.data(), 1, block, nullptr, sizes.data()); }},
      {"aclrtMemManagedGetAttrs", 100000, "dataSizes",
       [&] { return get(which.data(), 1, block, data.data(), nullptr); }},
      {"aclrtMemManagedGetAttrs", 107000, "ptr",
       [&] { return get(which.data(), 1, &found, data.data(), sizes.data()); }},
  });
  EXPECT_EQ(aclrtFree(block), ACL_SUCCESS);
}

TEST_F(ErrorsOfVariants, SmallOnes) {
  check_failures({
      {"aclDestroyDataBuffer", 100000, "dataBuffer", [] { return aclDestroyDataBuffer(nullptr); }},
      {"aclUpdateDataBuffer", 100000, "dataBuffer", [] { return aclUpdateDataBuffer(nullptr, nullptr, 0); }},
  });
  EXPECT_EQ(aclGetDataBufferAddr(nullptr), nullptr);
  EXPECT_EQ(aclGetDataBufferSizeV2(nullptr), 0U);
}

}  // namespace
