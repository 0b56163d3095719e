// Copies of rectangles, batches of copies, copies by addresses in device memory, and fills with words.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

constexpr std::size_t pitch = 64;
constexpr std::size_t width = 24;
constexpr std::size_t height = 5;

class MemoryCopy : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtMalloc(&device_, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMalloc(&other_, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMallocHost(&host_, 4096), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(device_, 4096, 0, 4096), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemset(other_, 4096, 0, 4096), ACL_SUCCESS);
    std::iota(own_.begin(), own_.end(), std::uint8_t{1});
  }

  void TearDown() override {
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(device_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(other_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(host_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  /// Whether the rows of own_ lie at a pitch in device memory, and nothing between them was written.
  [[nodiscard]] bool device_has_rows() const {
    std::vector<std::uint8_t> found(pitch * height);
    EXPECT_EQ(aclrtMemcpy(found.data(), found.size(), device_, found.size(), ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_SUCCESS);
    for (std::size_t at = 0; at != found.size(); ++at) {
      const bool in_row = at % pitch < width;
      if (found[at] != (in_row ? own_.at(at / pitch * width + at % pitch) : 0)) {
        return false;
      }
    }
    return true;
  }

  void* device_ = nullptr;
  void* other_ = nullptr;
  void* host_ = nullptr;
  std::array<std::uint8_t, width * height> own_{};
};

// -- rectangles ---------------------------------------------------------------------------------------------

TEST_F(MemoryCopy, RectanglesGoThereAndBack) {
  EXPECT_EQ(aclrtMemcpy2d(device_, pitch, own_.data(), width, width, height, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_SUCCESS);
  EXPECT_TRUE(device_has_rows());
  std::array<std::uint8_t, width * height> back{};
  EXPECT_EQ(aclrtMemcpy2d(back.data(), width, device_, pitch, width, height, ACL_MEMCPY_DEFAULT),
            ACL_SUCCESS);
  EXPECT_EQ(back, own_);
}

TEST_F(MemoryCopy, RectanglesInAStreamAreOrdered) {
  ASSERT_EQ(aclrtMemcpy(host_, 4096, own_.data(), own_.size(), ACL_MEMCPY_HOST_TO_HOST), ACL_SUCCESS);
  const gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtMemcpy2dAsync(device_, pitch, host_, width, width, height, ACL_MEMCPY_HOST_TO_DEVICE, s1_),
            ACL_SUCCESS);
  EXPECT_TRUE(holds(device_, pitch, 0)) << "copied before its turn";
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(device_has_rows());
}

TEST_F(MemoryCopy, ARectangleOfOrdinaryMemoryIsCopiedAtTheReturn) {
  fill(s1_, device_, pitch, 0);
  EXPECT_EQ(aclrtMemcpy2dAsync(device_, pitch, own_.data(), width, width, height, ACL_MEMCPY_DEFAULT, s1_),
            ACL_SUCCESS);
  EXPECT_TRUE(device_has_rows());
}

TEST_F(MemoryCopy, ErrorsOfRectangles) {
  const auto copy = [this](std::size_t w, std::size_t h, std::size_t to, std::size_t from, int kind) {
    return [=, this] {
      return aclrtMemcpy2d(device_, to, own_.data(), from, w, h, static_cast<aclrtMemcpyKind>(kind));
    };
  };
  const auto queue = [this](std::size_t w, std::size_t h, int kind, aclrtStream stream) {
    return [=, this] {
      return aclrtMemcpy2dAsync(device_, w, host_, w, w, h, static_cast<aclrtMemcpyKind>(kind), stream);
    };
  };
  check_failures({
      {"aclrtMemcpy2d", 100000, "dst",
       [this] { return aclrtMemcpy2d(nullptr, 8, host_, 8, 8, 1, ACL_MEMCPY_DEFAULT); }},
      {"aclrtMemcpy2d", 100000, "src",
       [this] { return aclrtMemcpy2d(device_, 8, nullptr, 8, 8, 1, ACL_MEMCPY_DEFAULT); }},
      {"aclrtMemcpy2d", 100000, "width is 9", copy(9, 1, 8, 9, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpy2d", 100000, "width is 9", copy(9, 1, 9, 8, ACL_MEMCPY_DEFAULT)},
      {"aclrtMemcpy2d", 100000, "kind is 0", copy(8, 1, 8, 8, ACL_MEMCPY_HOST_TO_HOST)},
      {"aclrtMemcpy2d", 100000, "kind is 5", copy(8, 1, 8, 8, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)},
      {"aclrtMemcpy2dAsync", 100000, "dst",
       [this] { return aclrtMemcpy2dAsync(nullptr, 8, host_, 8, 8, 1, ACL_MEMCPY_DEFAULT, s1_); }},
      {"aclrtMemcpy2dAsync", 100000, "kind is 5", queue(8, 1, 5, s1_)},
      {"aclrtMemcpy2dAsync", 107000, "width is 5000001", queue(5000001, 1, ACL_MEMCPY_DEFAULT, s1_)},
      {"aclrtMemcpy2dAsync", 107000, "height 5242881", queue(1, 5242881, ACL_MEMCPY_DEFAULT, s1_)},
      {"aclrtMemcpy2dAsync", 107000, "kind is 2", queue(8, 1, ACL_MEMCPY_DEVICE_TO_HOST, s1_)},
      {"aclrtMemcpy2dAsync", 207000, "host",
       [this] { return aclrtMemcpy2dAsync(host_, 8, own_.data(), 8, 8, 1, ACL_MEMCPY_DEFAULT, s1_); }},
  });
  EXPECT_EQ(copy(0, 1, 0, 0, 99)(), ACL_SUCCESS);
  EXPECT_EQ(queue(1, 0, 99, nullptr)(), ACL_SUCCESS);
}

// -- batches ------------------------------------------------------------------------------------------------

/// Three copies from host to device.
struct batch {
  batch(void* device, void* host)
      : dsts{device, advance(device, 100), advance(device, 200)}, srcs{host, advance(host, 100),
                                                                       advance(host, 200)} {
    attribute.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    attribute.srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST};
  }

  aclError copy() {
    return aclrtMemcpyBatch(dsts.data(), rooms.data(), srcs.data(), sizes.data(), count, &attribute,
                            first.data(), attributes, &failed);
  }

  aclError queue(aclrtStream stream) {
    return aclrtMemcpyBatchAsync(dsts.data(), rooms.data(), srcs.data(), sizes.data(), count, &attribute,
                                 first.data(), attributes, &failed, stream);
  }

  std::array<void*, 3> dsts;
  std::array<void*, 3> srcs;
  std::array<std::size_t, 3> rooms{10, 10, 10};
  std::array<std::size_t, 3> sizes{10, 0, 5};
  std::size_t count = 3;
  aclrtMemcpyBatchAttr attribute{};
  std::array<std::size_t, 3> first{0, 0, 0};
  std::size_t attributes = 1;
  std::size_t failed = 77;
};

constexpr auto no_index = std::numeric_limits<std::size_t>::max();

TEST_F(MemoryCopy, ABatchCopiesAllOfItsParts) {
  ASSERT_EQ(aclrtMemset(host_, 4096, 9, 4096), ACL_SUCCESS);
  batch all(device_, host_);
  EXPECT_EQ(all.copy(), ACL_SUCCESS);
  EXPECT_EQ(all.failed, no_index);
  EXPECT_TRUE(holds(device_, 10, 9));
  EXPECT_TRUE(holds(advance(device_, 100), 10, 0)) << "a part of no bytes";
  EXPECT_TRUE(holds(advance(device_, 200), 5, 9));
  EXPECT_TRUE(holds(advance(device_, 205), 5, 0));
}

TEST_F(MemoryCopy, ABatchInAStreamIsOneTask) {
  ASSERT_EQ(aclrtMemset(host_, 4096, 9, 4096), ACL_SUCCESS);
  const gate held;
  hold(s1_, held);
  batch all(device_, host_);
  EXPECT_EQ(all.queue(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(device_, 10, 0)) << "copied before its turn";
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(device_, 10, 9));
  EXPECT_EQ(aclrtMemcpyBatchAsyncV2(all.dsts.data(), all.rooms.data(), all.srcs.data(), all.sizes.data(), 3,
                                    &all.attribute, all.first.data(), 1, nullptr),
            ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyBatchV2(all.dsts.data(), all.rooms.data(), all.srcs.data(), all.sizes.data(), 3,
                               &all.attribute, all.first.data(), 1),
            ACL_SUCCESS);
}

TEST_F(MemoryCopy, ABatchOfNothingIsASuccess) {
  batch all(device_, host_);
  all.sizes = {0, 0, 0};
  all.dsts = {};
  EXPECT_EQ(all.copy(), ACL_SUCCESS);
  EXPECT_EQ(all.failed, no_index);
}

TEST_F(MemoryCopy, ErrorsOfBatches) {
  struct row {
    aclError code;
    const char* names;
    std::size_t failed;
    std::function<void(batch&)> change;
  };
  const row rows[] = {
      {100000, "numBatches is 0", no_index, [](batch& all) { all.count = 0; }},
      {100000, "numAttrs is 0", no_index, [](batch& all) { all.attributes = 0; }},
      {100000, "numAttrs is 4", no_index, [](batch& all) { all.attributes = 4; }},
      {100000, "attrsIndexes[0] is 1", no_index, [](batch& all) { all.first[0] = 1; }},
      {100000, "attrs[0].rsv", no_index, [](batch& all) { all.attribute.rsv[15] = 1; }},
      {100000, "location of type 5", no_index,
       [](batch& all) { all.attribute.dstLoc.type = static_cast<aclrtMemLocationType>(5); }},
      {100000, "sizes[2] is 11", 2, [](batch& all) { all.sizes[2] = 11; }},
      {100000, "dsts[0]", 0, [](batch& all) { all.dsts[0] = nullptr; }},
      {107000, "srcs[2]", 2, [](batch& all) { all.srcs[2] = all.dsts[2]; }},
      {107000, "dsts[0]", 0, [](batch& all) { all.attribute.dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST; }},
  };
  ASSERT_EQ(aclrtMemset(host_, 4096, 9, 4096), ACL_SUCCESS);
  for (const auto& one : rows) {
    batch all(device_, host_);
    one.change(all);
    check_failure({"aclrtMemcpyBatch", one.code, one.names, [&] { return all.copy(); }});
    EXPECT_EQ(all.failed, one.failed) << one.names;
    check_failure({"aclrtMemcpyBatchAsync", one.code, one.names, [&] { return all.queue(s1_); }});
    EXPECT_EQ(all.failed, one.failed) << one.names;
  }
  batch ordinary(device_, host_);
  ordinary.srcs[0] = own_.data();
  check_failure({"aclrtMemcpyBatchAsync", 107000, "srcs[0]", [&] { return ordinary.queue(s1_); }});
  EXPECT_EQ(ordinary.failed, 0U);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(device_, 300, 0)) << "a batch that fails copies nothing";
  EXPECT_EQ(ordinary.copy(), ACL_SUCCESS) << "the call itself can copy ordinary memory";
}

// -- addresses in device memory -----------------------------------------------------------------------------

TEST_F(MemoryCopy, ADescribedCopyReadsItsDescriptionWhenItRuns) {
  std::size_t bytes = 0;
  ASSERT_EQ(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &bytes), ACL_SUCCESS);
  void* description = nullptr;
  ASSERT_EQ(aclrtMalloc(&description, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemset(description, bytes, 0, bytes), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemset(other_, 4096, 3, 4096), ACL_SUCCESS);
  const gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtMemcpyAsyncWithDesc(description, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetMemcpyDesc(description, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, other_, device_, 100, nullptr),
            ACL_SUCCESS);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(device_, 100, 3));
  EXPECT_TRUE(holds(advance(device_, 100), 100, 0));

  ASSERT_EQ(aclrtMemset(description, bytes, 0, bytes), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsyncWithDesc(description, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION) << "there is no description";
  EXPECT_THAT(aclGetRecentErrMsg(), testing::HasSubstr("copy by a description"));
  EXPECT_EQ(aclrtFree(description), ACL_SUCCESS);
}

TEST_F(MemoryCopy, ACopyWithOffsetsReadsItsAddressesWhenItRuns) {
  void* addresses = nullptr;
  ASSERT_EQ(aclrtMalloc(&addresses, 2 * sizeof(void*), ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  auto** const both = static_cast<void**>(addresses);
  ASSERT_EQ(aclrtMemset(other_, 4096, 5, 4096), ACL_SUCCESS);
  const gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtMemcpyAsyncWithOffset(both, 64, 8, both + 1, 16, 4, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s1_),
            ACL_SUCCESS);
  void* const wanted[] = {device_, other_};
  EXPECT_EQ(aclrtMemcpy(addresses, sizeof wanted, wanted, sizeof wanted, ACL_MEMCPY_HOST_TO_DEVICE),
            ACL_SUCCESS);
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(holds(device_, 8, 0));
  EXPECT_TRUE(holds(advance(device_, 8), 16, 5));
  EXPECT_TRUE(holds(advance(device_, 24), 8, 0));
  EXPECT_EQ(aclrtFree(addresses), ACL_SUCCESS);
}

TEST_F(MemoryCopy, ErrorsOfCopiesByAddressesInMemory) {
  constexpr auto inner = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
  std::size_t bytes = 0;
  auto** const list = static_cast<void**>(device_);
  check_failures({
      {"aclrtGetMemcpyDescSize", 100000, "descSize", [] { return aclrtGetMemcpyDescSize(inner, nullptr); }},
      {"aclrtGetMemcpyDescSize", 100000, "kind is 3",
       [&] { return aclrtGetMemcpyDescSize(ACL_MEMCPY_DEVICE_TO_DEVICE, &bytes); }},
      {"aclrtSetMemcpyDesc", 100000, "desc",
       [&] { return aclrtSetMemcpyDesc(nullptr, inner, other_, device_, 8, nullptr); }},
      {"aclrtSetMemcpyDesc", 100000, "srcAddr",
       [&] { return aclrtSetMemcpyDesc(device_, inner, nullptr, device_, 8, nullptr); }},
      {"aclrtSetMemcpyDesc", 100000, "dstAddr",
       [&] { return aclrtSetMemcpyDesc(device_, inner, other_, nullptr, 8, nullptr); }},
      {"aclrtSetMemcpyDesc", 100000, "config",
       [&] { return aclrtSetMemcpyDesc(device_, inner, other_, other_, 8, host_); }},
      {"aclrtSetMemcpyDesc", 100000, "kind is 4",
       [&] { return aclrtSetMemcpyDesc(device_, ACL_MEMCPY_DEFAULT, other_, other_, 8, nullptr); }},
      {"aclrtSetMemcpyDesc", 107000, "desc 0x",
       [&] { return aclrtSetMemcpyDesc(host_, inner, other_, other_, 8, nullptr); }},
      {"aclrtSetMemcpyDesc", 107000, "desc 0x",
       [&] { return aclrtSetMemcpyDesc(advance(device_, 8), inner, other_, other_, 8, nullptr); }},
      {"aclrtSetMemcpyDesc", 107000, "count is 0",
       [&] { return aclrtSetMemcpyDesc(device_, inner, other_, other_, 0, nullptr); }},
      {"aclrtMemcpyAsyncWithDesc", 100000, "desc",
       [&] { return aclrtMemcpyAsyncWithDesc(nullptr, inner, s1_); }},
      {"aclrtMemcpyAsyncWithDesc", 100000, "kind is 1",
       [&] { return aclrtMemcpyAsyncWithDesc(device_, ACL_MEMCPY_HOST_TO_DEVICE, s1_); }},
      {"aclrtMemcpyAsyncWithDesc", 107000, "desc 0x",
       [&] { return aclrtMemcpyAsyncWithDesc(host_, inner, s1_); }},
      {"aclrtMemcpyAsyncWithOffset", 100000, "dst",
       [&] { return aclrtMemcpyAsyncWithOffset(nullptr, 8, 0, list, 8, 0, inner, s1_); }},
      {"aclrtMemcpyAsyncWithOffset", 100000, "src",
       [&] { return aclrtMemcpyAsyncWithOffset(list, 8, 0, nullptr, 8, 0, inner, s1_); }},
      {"aclrtMemcpyAsyncWithOffset", 100000, "kind is 3",
       [&] { return aclrtMemcpyAsyncWithOffset(list, 8, 0, list, 8, 0, ACL_MEMCPY_DEVICE_TO_DEVICE, s1_); }},
      {"aclrtMemcpyAsyncWithOffset", 107000, "dstDataOffset 1",
       [&] { return aclrtMemcpyAsyncWithOffset(list, 8, 1, list, 8, 0, inner, s1_); }},
      {"aclrtMemcpyAsyncWithOffset", 107000, "dst 0x",
       [&] { return aclrtMemcpyAsyncWithOffset(static_cast<void**>(host_), 8, 0, list, 8, 0, inner, s1_); }},
      {"aclrtMemcpyAsyncWithCondition", 100000, "dst",
       [&] { return aclrtMemcpyAsyncWithCondition(nullptr, 8, host_, 8, ACL_MEMCPY_DEFAULT, s1_); }},
      {"aclrtMemcpyAsyncWithCondition", 107000, "src 0x",
       [&] { return aclrtMemcpyAsyncWithCondition(device_, 8, own_.data(), 8, ACL_MEMCPY_DEFAULT, s1_); }},
  });
  EXPECT_EQ(aclrtMemcpyAsyncWithCondition(device_, 8, host_, 8, ACL_MEMCPY_DEFAULT, s1_), ACL_SUCCESS);
}

// -- words --------------------------------------------------------------------------------------------------

TEST_F(MemoryCopy, WordsAreSetNowAndInStreams) {
  std::array<std::uint32_t, 4> found{};
  EXPECT_EQ(aclrtMemsetD32(device_, 4096, 0x01020304, 3), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(found.data(), sizeof found, device_, sizeof found, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  EXPECT_EQ(found, (std::array<std::uint32_t, 4>{0x01020304, 0x01020304, 0x01020304, 0}));
  const gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtMemsetD32Async(device_, 4096, 7, 2, s1_), ACL_SUCCESS);
  EXPECT_FALSE(holds(device_, 1, 7)) << "set before its turn";
  held.open();
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(found.data(), sizeof found, device_, sizeof found, ACL_MEMCPY_DEVICE_TO_HOST),
            ACL_SUCCESS);
  EXPECT_EQ(found, (std::array<std::uint32_t, 4>{7, 7, 0x01020304, 0}));
}

TEST_F(MemoryCopy, ErrorsOfWords) {
  for (const bool queued : {false, true}) {
    const std::string function = queued ? "aclrtMemsetD32Async" : "aclrtMemsetD32";
    const auto set = [&](void* to, std::size_t room, std::size_t words) -> std::function<aclError()> {
      return [=, this] {
        return queued ? aclrtMemsetD32Async(to, room, 1, words, s1_) : aclrtMemsetD32(to, room, 1, words);
      };
    };
    check_failures({
        {function, 100000, "ptr", set(nullptr, 8, 1)},
        {function, 100000, "multiple of 4", set(advance(device_, 2), 8, 1)},
        {function, 100000, "N is 3", set(device_, 11, 3)},
        {function, 100000, "ptr 0x", set(own_.data() + number(own_.data()) % 4, 8, 1)},
    });
    EXPECT_EQ(set(nullptr, 0, 0)(), ACL_SUCCESS);
    EXPECT_EQ(set(host_, 8, 2)(), ACL_SUCCESS);
  }
}

}  // namespace
