// Words in memory, notifies, labels, and what is newer about events.

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class Values : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    void* memory = nullptr;
    ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    word_ = static_cast<std::uint64_t*>(memory);
    dead_stream_ = make_stream();
    ASSERT_EQ(aclrtDestroyStream(dead_stream_), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(word_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  void set(std::uint64_t value) { __atomic_store_n(word_, value, __ATOMIC_RELEASE); }

  std::uint64_t* word_ = nullptr;
  aclrtStream dead_stream_ = nullptr;
};

TEST_F(Values, OneStreamWaitsForAnother) {
  set(0);
  gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtValueWrite(word_, 5, 0, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtValueWait(word_, 5, ACL_STREAM_WAIT_VALUE_EQ, s2_), ACL_SUCCESS);
  const witness behind(held);
  call(s2_, behind);
  EXPECT_FALSE(is_complete(s2_));
  held.open();
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(behind.ran_behind_the_gate());
  EXPECT_EQ(*word_, 5U);
}

struct wait_row {
  std::uint32_t test;
  std::uint64_t value;
  std::uint64_t fails;
  std::uint64_t passes;
};

TEST_F(Values, AllTests) {
  constexpr auto all = ~std::uint64_t{0};
  for (const auto& row : {wait_row{ACL_STREAM_WAIT_VALUE_GEQ, 5, 4, 6},
                          {ACL_STREAM_WAIT_VALUE_GEQ, all, all - 1, 0},  // cyclic: 0 comes after it
                          {ACL_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
                          {ACL_STREAM_WAIT_VALUE_AND, 6, 9, 2},
                          {ACL_STREAM_WAIT_VALUE_NOR, 1, all - 1, 2}}) {
    set(row.fails);
    EXPECT_EQ(aclrtValueWait(word_, row.value, row.test, s1_), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s1_, short_wait_ms), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    set(row.passes);
    EXPECT_EQ(settle(s1_), ACL_SUCCESS) << row.test;
  }
}

TEST_F(Values, Errors) {
  auto* const odd = reinterpret_cast<std::byte*>(word_) + 4;
  check_failures({
      {"aclrtValueWrite", 100000, "devAddr", [&] { return aclrtValueWrite(nullptr, 1, 0, s1_); }},
      {"aclrtValueWrite", 107000, "devAddr", [&] { return aclrtValueWrite(odd, 1, 0, s1_); }},
      {"aclrtValueWrite", 107000, "flag is 1", [&] { return aclrtValueWrite(word_, 1, 1, s1_); }},
      {"aclrtValueWrite", 107017, "stream", [&] { return aclrtValueWrite(word_, 1, 0, dead_stream_); }},
      {"aclrtValueWait", 100000, "devAddr", [&] { return aclrtValueWait(nullptr, 1, 0, s1_); }},
      {"aclrtValueWait", 107000, "devAddr", [&] { return aclrtValueWait(odd, 1, 0, s1_); }},
      {"aclrtValueWait", 107000, "flag is 4", [&] { return aclrtValueWait(word_, 1, 4, s1_); }},
      {"aclrtValueWait", 107017, "stream", [&] { return aclrtValueWait(word_, 1, 0, dead_stream_); }},
  });
}

class Notifies : public Values {
protected:
  void SetUp() override {
    Values::SetUp();
    ASSERT_EQ(aclrtCreateNotify(&notify_, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(settle_device(), ACL_SUCCESS);
    static_cast<void>(aclrtDestroyNotify(notify_));  // the test may have destroyed it
    Values::TearDown();
  }

  aclrtNotify notify_ = nullptr;
};

TEST_F(Notifies, AWaitUsesTheFlagUp) {
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, s2_, 0), ACL_SUCCESS);
  const witness first;
  call(s2_, first);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, s2_, UINT32_MAX), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(notify_, s1_), ACL_SUCCESS);
  EXPECT_TRUE(first.wait_until_ran());
  EXPECT_FALSE(is_complete(s2_));
  EXPECT_EQ(aclrtRecordNotify(notify_, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
}

TEST_F(Notifies, SetTwiceIsSetOnce) {
  EXPECT_EQ(aclrtRecordNotify(notify_, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(notify_, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, s1_, 0), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, s1_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s1_, short_wait_ms), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtRecordNotify(notify_, s2_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
}

TEST_F(Notifies, AWaitThatRunsOutOfTimeFails) {
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, s1_, 1), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_ERROR_RT_TASK_TIMEOUT);
}

TEST_F(Notifies, ResetAtOnce) {
  EXPECT_EQ(aclrtRecordNotify(notify_, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtNotifyBatchReset(&notify_, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, s1_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s1_, short_wait_ms), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(aclrtRecordNotify(notify_, s2_), ACL_SUCCESS);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
}

TEST_F(Notifies, OneThatIsDestroyedServesItsTasks) {
  gate held;
  hold(s1_, held);
  EXPECT_EQ(aclrtRecordNotify(notify_, s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(notify_, s2_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(notify_), ACL_SUCCESS);
  held.open();
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
}

// In one process, as between two: the imported one is the same flag.
TEST_F(Notifies, ExportAndImport) {
  std::array<char, 65> key{};
  aclrtNotify imported = nullptr;
  ASSERT_EQ(aclrtNotifyGetExportKey(notify_, key.data(), key.size(), 0), ACL_SUCCESS);
  check_failures({{"aclrtNotifyImportByKey", 207006, "process",
                   [&] { return aclrtNotifyImportByKey(&imported, key.data(), 0); }}});
  std::int32_t own = 0;
  ASSERT_EQ(aclrtDeviceGetBareTgid(&own), ACL_SUCCESS);
  EXPECT_EQ(aclrtNotifySetImportPid(notify_, &own, 1), ACL_SUCCESS);
  ASSERT_EQ(aclrtNotifyImportByKey(&imported, key.data(), 2), ACL_SUCCESS);
  EXPECT_EQ(aclrtWaitAndResetNotify(imported, s2_, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtRecordNotify(notify_, s1_), ACL_SUCCESS);
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(imported), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyNotify(notify_), ACL_SUCCESS);
  check_failures({{"aclrtNotifyImportByKey", 107000, "key",
                   [&] { return aclrtNotifyImportByKey(&imported, key.data(), 0); }}});
}

TEST_F(Notifies, Errors) {
  aclrtNotify dead = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&dead, ACL_NOTIFY_DEVICE_USE_ONLY), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyNotify(dead), ACL_SUCCESS);
  std::array<char, 65> key{};
  std::uint32_t id = 0;
  std::int32_t process = 1;
  aclrtNotify made = nullptr;
  for (aclrtNotify bad : {aclrtNotify{nullptr}, dead}) {
    const aclError code = bad == nullptr ? 100000 : 107017;
    check_failures({
        {"aclrtDestroyNotify", code, "notify", [=] { return aclrtDestroyNotify(bad); }},
        {"aclrtRecordNotify", code, "notify", [&] { return aclrtRecordNotify(bad, s1_); }},
        {"aclrtWaitAndResetNotify", code, "notify", [&] { return aclrtWaitAndResetNotify(bad, s1_, 0); }},
        {"aclrtGetNotifyId", code, "notify", [&] { return aclrtGetNotifyId(bad, &id); }},
        {"aclrtNotifyGetExportKey", code, "notify",
         [&] { return aclrtNotifyGetExportKey(bad, key.data(), key.size(), 0); }},
        {"aclrtNotifySetImportPid", code, "notify",
         [&] { return aclrtNotifySetImportPid(bad, &process, 1); }},
        {"aclrtNotifyBatchReset", code, "notify", [=]() mutable { return aclrtNotifyBatchReset(&bad, 1); }},
    });
  }
  check_failures({
      {"aclrtCreateNotify", 100000, "notify", [] { return aclrtCreateNotify(nullptr, 0); }},
      {"aclrtCreateNotify", 107000, "flag is 2", [&] { return aclrtCreateNotify(&made, 2); }},
      {"aclrtRecordNotify", 107017, "stream", [&] { return aclrtRecordNotify(notify_, dead_stream_); }},
      {"aclrtWaitAndResetNotify", 107017, "stream",
       [&] { return aclrtWaitAndResetNotify(notify_, dead_stream_, 0); }},
      {"aclrtGetNotifyId", 100000, "notifyId", [&] { return aclrtGetNotifyId(notify_, nullptr); }},
      {"aclrtNotifyBatchReset", 100000, "notifies", [] { return aclrtNotifyBatchReset(nullptr, 1); }},
      {"aclrtNotifyBatchReset", 100000, "num is 0", [&] { return aclrtNotifyBatchReset(&notify_, 0); }},
      {"aclrtNotifyGetExportKey", 100000, "key",
       [&] { return aclrtNotifyGetExportKey(notify_, nullptr, 65, 0); }},
      {"aclrtNotifyGetExportKey", 107000, "len is 64",
       [&] { return aclrtNotifyGetExportKey(notify_, key.data(), 64, 0); }},
      {"aclrtNotifyGetExportKey", 107000, "flags is 1",
       [&] { return aclrtNotifyGetExportKey(notify_, key.data(), 65, 1); }},
      {"aclrtNotifySetImportPid", 100000, "pid",
       [&] { return aclrtNotifySetImportPid(notify_, nullptr, 1); }},
      {"aclrtNotifySetImportPid", 100000, "num is 0",
       [&] { return aclrtNotifySetImportPid(notify_, &process, 0); }},
      {"aclrtNotifyImportByKey", 100000, "key", [&] { return aclrtNotifyImportByKey(&made, nullptr, 0); }},
      {"aclrtNotifyImportByKey", 107000, "flags is 1",
       [&] { return aclrtNotifyImportByKey(&made, "soma", 1); }},
      {"aclrtNotifyImportByKey", 107000, "\"soma\"",
       [&] { return aclrtNotifyImportByKey(&made, "soma", 0); }},
      {"aclrtCntNotifyCreate", 207000, "counts", [&] { return aclrtCntNotifyCreate(&made, 0); }},
      {"aclrtCntNotifyDestroy", 207000, "counts", [&] { return aclrtCntNotifyDestroy(made); }},
      {"aclrtCntNotifyRecord", 207000, "counts", [&] { return aclrtCntNotifyRecord(made, s1_, nullptr); }},
      {"aclrtCntNotifyWaitWithTimeout", 207000, "counts",
       [&] { return aclrtCntNotifyWaitWithTimeout(made, s1_, nullptr); }},
      {"aclrtCntNotifyReset", 207000, "counts", [&] { return aclrtCntNotifyReset(made, s1_); }},
      {"aclrtCntNotifyGetId", 207000, "counts", [&] { return aclrtCntNotifyGetId(made, &id); }},
  });
}

class MoreEvents : public Values {};

TEST_F(MoreEvents, ExternalRecordsAndWaits) {
  gate held;
  hold(s1_, held);
  aclrtEvent event = make_event();
  EXPECT_EQ(aclrtRecordEventWithFlag(event, s1_, ACL_EVENT_RECORD_EXTERNAL), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEventWithFlag(s2_, event, 0, ACL_EVENT_WAIT_EXTERNAL), ACL_SUCCESS);
  const witness behind(held);
  call(s2_, behind);
  held.open();
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_TRUE(behind.ran_behind_the_gate());
  check_failures({
      {"aclrtRecordEvent", 107000, "flag is 0", [&] { return aclrtRecordEvent(event, s1_); }},
      {"aclrtRecordEventWithFlag", 107000, "flag is 2",
       [&] { return aclrtRecordEventWithFlag(event, s1_, 2); }},
      {"aclrtRecordEventWithFlag", 100000, "event",
       [&] { return aclrtRecordEventWithFlag(nullptr, s1_, 0); }},
      {"aclrtRecordEventWithFlag", 107017, "stream",
       [&] { return aclrtRecordEventWithFlag(event, dead_stream_, 1); }},
  });
}

TEST_F(MoreEvents, NumbersOfEvents) {
  std::uint32_t one = 0;
  std::uint32_t other = 0;
  EXPECT_EQ(aclrtGetEventId(make_event(), &one), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetEventId(make_old_event(), &other), ACL_SUCCESS);
  EXPECT_NE(one, other);
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  EXPECT_EQ(aclrtGetEventAvailNum(&before), ACL_SUCCESS);
  make_event();
  EXPECT_EQ(aclrtGetEventAvailNum(&after), ACL_SUCCESS);
  EXPECT_EQ(after, before - 1);
  check_failures({
      {"aclrtGetEventId", 100000, "event", [&] { return aclrtGetEventId(nullptr, &one); }},
      {"aclrtGetEventId", 100000, "eventId", [&] { return aclrtGetEventId(make_event(), nullptr); }},
      {"aclrtGetEventAvailNum", 100000, "eventCount", [] { return aclrtGetEventAvailNum(nullptr); }},
  });
}

TEST_F(MoreEvents, AGeneralLimitOfWaits) {
  gate held;
  hold(s1_, held);
  aclrtEvent event = make_event();
  record(event, s1_);
  EXPECT_EQ(aclrtSetOpWaitTimeout(1), ACL_SUCCESS);
  wait(s2_, event);
  EXPECT_EQ(aclrtSetOpWaitTimeout(0), ACL_SUCCESS);
  wait(s3_, event);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(s2_, 1100), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  held.open();
  EXPECT_EQ(settle(s2_), ACL_ERROR_RT_TASK_TIMEOUT);
  EXPECT_EQ(settle(s3_), ACL_SUCCESS);
}

// In one process, as between two (tests/acl_programs/ipc_event.c).
TEST_F(MoreEvents, SharedEvents) {
  aclrtEvent event = nullptr;
  aclrtEvent opened = nullptr;
  aclrtIpcEventHandle handle{};
  ASSERT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC), ACL_SUCCESS);
  ASSERT_EQ(aclrtIpcGetEventHandle(event, &handle), ACL_SUCCESS);
  ASSERT_EQ(aclrtIpcOpenEventHandle(handle, &opened), ACL_SUCCESS);
  EXPECT_TRUE(is_reached(opened));
  EXPECT_EQ(aclrtSynchronizeEvent(opened), ACL_SUCCESS);
  gate held;
  hold(s1_, held);
  record(event, s1_);
  EXPECT_FALSE(is_reached(event));
  EXPECT_FALSE(is_reached(opened));
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(opened, short_wait_ms), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  wait(s2_, opened);
  wait(s3_, event);
  const witness behind(held);
  call(s2_, behind);
  held.open();
  EXPECT_EQ(settle(s2_), ACL_SUCCESS);
  EXPECT_EQ(settle(s3_), ACL_SUCCESS);
  EXPECT_TRUE(behind.ran_behind_the_gate());
  EXPECT_TRUE(is_reached(opened));
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(opened), ACL_SUCCESS);
  check_failures({
      {"aclrtIpcOpenEventHandle", 107000, "key", [&] { return aclrtIpcOpenEventHandle(handle, &opened); }},
      {"aclrtIpcOpenEventHandle", 100000, "event", [&] { return aclrtIpcOpenEventHandle(handle, nullptr); }},
      {"aclrtIpcGetEventHandle", 107000, "event",
       [&] { return aclrtIpcGetEventHandle(make_event(), &handle); }},
      {"aclrtIpcGetEventHandle", 100000, "handle",
       [&] { return aclrtIpcGetEventHandle(make_event(), nullptr); }},
      {"aclrtIpcGetEventHandle", 107017, "event", [&] { return aclrtIpcGetEventHandle(event, &handle); }},
  });
}

TEST_F(MoreEvents, Labels) {
  std::array<aclrtLabel, 2> labels{};
  aclrtLabelList list = nullptr;
  ASSERT_EQ(aclrtCreateLabel(&labels[0]), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateLabel(&labels[1]), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateLabelList(labels.data(), 2, &list), ACL_SUCCESS);
  aclrtContext other = nullptr;
  aclrtContext own = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&own), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  check_failures({{"aclrtSetLabel", 507031, "label", [&] { return aclrtSetLabel(labels[0], nullptr); }}});
  ASSERT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetCurrentContext(own), ACL_SUCCESS);
  check_failures({
      {"aclrtCreateLabel", 100000, "label", [] { return aclrtCreateLabel(nullptr); }},
      {"aclrtDestroyLabel", 100000, "label", [] { return aclrtDestroyLabel(nullptr); }},
      {"aclrtSetLabel", 100000, "label", [&] { return aclrtSetLabel(nullptr, s1_); }},
      {"aclrtSetLabel", 107005, "no model", [&] { return aclrtSetLabel(labels[0], s1_); }},
      {"aclrtSetLabel", 107017, "stream", [&] { return aclrtSetLabel(labels[0], dead_stream_); }},
      {"aclrtCreateLabelList", 100000, "labels", [&] { return aclrtCreateLabelList(nullptr, 1, &list); }},
      {"aclrtCreateLabelList", 100000, "num is 0",
       [&] { return aclrtCreateLabelList(labels.data(), 0, &list); }},
      {"aclrtCreateLabelList", 100000, "num is 65536",
       [&] { return aclrtCreateLabelList(labels.data(), 65536, &list); }},
      {"aclrtCreateLabelList", 100000, "labelList",
       [&] { return aclrtCreateLabelList(labels.data(), 1, nullptr); }},
      {"aclrtSwitchLabelByIndex", 100000, "ptr",
       [&] { return aclrtSwitchLabelByIndex(nullptr, 2, list, s1_); }},
      {"aclrtSwitchLabelByIndex", 107000, "maxValue is 3",
       [&] { return aclrtSwitchLabelByIndex(word_, 3, list, s1_); }},
      {"aclrtSwitchLabelByIndex", 107005, "no model",
       [&] { return aclrtSwitchLabelByIndex(word_, 2, list, s1_); }},
      {"aclrtDestroyLabelList", 100000, "labelList", [] { return aclrtDestroyLabelList(nullptr); }},
  });
  EXPECT_EQ(aclrtDestroyLabelList(list), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyLabel(labels[0]), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyLabel(labels[1]), ACL_SUCCESS);
  check_failures({
      {"aclrtDestroyLabelList", 107017, "labelList", [&] { return aclrtDestroyLabelList(list); }},
      {"aclrtDestroyLabel", 107017, "label", [&] { return aclrtDestroyLabel(labels[0]); }},
      {"aclrtCreateLabelList", 107017, "label",
       [&] { return aclrtCreateLabelList(labels.data(), 1, &list); }},
  });
}

}  // namespace
