// What can be asked of a device and set for it, and its errors.

#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/bad_enums.h"
#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class DeviceInfo : public acl_fixture {};

std::uint32_t limit(aclrtDevResLimitType type) {
  std::uint32_t value = 0;
  EXPECT_EQ(aclrtGetDeviceResLimit(0, type, &value), ACL_SUCCESS);
  return value;
}

std::uint32_t limit_here(aclrtDevResLimitType type) {
  std::uint32_t value = 0;
  EXPECT_EQ(aclrtGetResInCurrentThread(type, &value), ACL_SUCCESS);
  return value;
}

TEST_F(DeviceInfo, Numbers) {
  std::int64_t value = 0;
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, &value), ACL_SUCCESS);
  EXPECT_EQ(static_cast<std::size_t>(value), device_total());
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_IS_VIRTUAL, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 0);
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  EXPECT_EQ(aclrtQueryDeviceStatus(0, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
  std::int32_t process = 0;
  EXPECT_EQ(aclrtDeviceGetBareTgid(&process), ACL_SUCCESS);
  EXPECT_EQ(process, ::getpid());
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(nullptr, nullptr), ACL_SUCCESS);
}

TEST_F(DeviceInfo, ABusyDeviceSaysSo) {
  aclrtUtilizationInfo load{};
  gate held;
  hold(s1_, held);
  ASSERT_TRUE(held.wait_until_started());
  EXPECT_EQ(aclrtGetDeviceUtilizationRate(0, &load), ACL_SUCCESS);
  EXPECT_GT(load.cubeUtilization, 0);
  EXPECT_EQ(load.memoryUtilization, -1);
}

// A limit of the stream that the thread uses wins over the device's, which wins over the chip.
TEST_F(DeviceInfo, LimitsOfCores) {
  const auto all = limit(ACL_RT_DEV_RES_VECTOR_CORE);
  EXPECT_EQ(limit_here(ACL_RT_DEV_RES_VECTOR_CORE), all);
  EXPECT_EQ(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 8), ACL_SUCCESS);
  EXPECT_EQ(limit_here(ACL_RT_DEV_RES_VECTOR_CORE), 8U);
  EXPECT_EQ(aclrtSetStreamResLimit(s1_, ACL_RT_DEV_RES_VECTOR_CORE, 3), ACL_SUCCESS);
  EXPECT_EQ(limit_here(ACL_RT_DEV_RES_VECTOR_CORE), 8U);
  EXPECT_EQ(aclrtUseStreamResInCurrentThread(s1_), ACL_SUCCESS);
  EXPECT_EQ(limit_here(ACL_RT_DEV_RES_VECTOR_CORE), 3U);
  std::uint32_t of_stream = 0;
  EXPECT_EQ(aclrtGetStreamResLimit(s2_, ACL_RT_DEV_RES_VECTOR_CORE, &of_stream), ACL_SUCCESS);
  EXPECT_EQ(of_stream, 8U);
  EXPECT_EQ(aclrtResetStreamResLimit(s1_), ACL_SUCCESS);
  EXPECT_EQ(limit_here(ACL_RT_DEV_RES_VECTOR_CORE), 8U);
  EXPECT_EQ(aclrtUnuseStreamResInCurrentThread(s1_), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceResLimit(0), ACL_SUCCESS);
  EXPECT_EQ(limit_here(ACL_RT_DEV_RES_VECTOR_CORE), all);
}

TEST_F(DeviceInfo, ModesAndOptions) {
  aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
  EXPECT_EQ(aclrtGetDeviceSatMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
  std::uint32_t flag = 7;
  EXPECT_EQ(aclrtGetStreamOverflowSwitch(s1_, &flag), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetStreamOverflowSwitch(s1_, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetStreamOverflowSwitch(s1_, &flag), ACL_SUCCESS);
  EXPECT_EQ(flag, 1U);
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), ACL_SUCCESS);
  std::int64_t option = 0;
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &option), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &option), ACL_SUCCESS);
  EXPECT_EQ(option, 1);
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, 5), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &option), ACL_SUCCESS);
  EXPECT_EQ(option, 5);
  std::size_t bytes = 0;
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 4096), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &bytes), ACL_SUCCESS);
  EXPECT_EQ(bytes, 4096U);
}

std::vector<int> states;

void note_state(std::int32_t /*device*/, aclrtDeviceState state, void* /*argument*/) {
  states.push_back(state);
}

TEST_F(DeviceInfo, CallsWhenADeviceIsSetAndReset) {
  states.clear();
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  std::int32_t active = 7;
  EXPECT_EQ(aclrtGetPrimaryCtxState(0, nullptr, &active), ACL_SUCCESS);
  EXPECT_EQ(active, 0);
  EXPECT_EQ(aclrtRegDeviceStateCallback("test", note_state, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtRegDeviceStateCallback("test", note_state, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(states, (std::vector<int>{0, 1}));
  EXPECT_EQ(aclrtGetPrimaryCtxState(0, nullptr, &active), ACL_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  EXPECT_EQ(states, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(aclrtRegDeviceStateCallback("test", nullptr, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(states.size(), 4U);
}

std::int32_t count_stage(std::int32_t /*device*/, aclrtDeviceTaskAbortStage stage, std::uint32_t /*timeout*/,
                         void* argument) {
  static_cast<std::vector<int>*>(argument)->push_back(stage);
  return 0;
}

// Who waits is told; what is queued is dropped; the stream can be used again.
TEST_F(DeviceInfo, AbortOfAllTasks) {
  std::vector<int> stages;
  gate held;
  hold(s1_, held);
  ASSERT_TRUE(held.wait_until_started());
  const witness queued;
  call(s1_, queued);
  aclError of_waiter = ACL_SUCCESS;
  std::thread waiter([&] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    of_waiter = aclrtSynchronizeStream(s1_);
  });
  EXPECT_EQ(aclrtSetDeviceTaskAbortCallback("test", count_stage, &stages), ACL_SUCCESS);
  EXPECT_EQ(aclrtDeviceTaskAbort(0, short_wait_ms), ACL_ERROR_RT_TASK_TIMEOUT);  // the task does not look
  held.open();
  EXPECT_EQ(aclrtDeviceTaskAbort(0, 0), ACL_SUCCESS);
  EXPECT_EQ(stages, (std::vector<int>{0, 0, 1}));
  waiter.join();
  EXPECT_TRUE(of_waiter == ACL_ERROR_RT_DEVICE_TASK_ABORT || of_waiter == ACL_SUCCESS) << of_waiter;
  EXPECT_FALSE(queued.ran());
  EXPECT_EQ(aclrtSetDeviceTaskAbortCallback("test", nullptr, nullptr), ACL_SUCCESS);
  const witness later;
  call(s1_, later);
  EXPECT_EQ(settle(s1_), ACL_SUCCESS);
  EXPECT_TRUE(later.ran());
}

TEST_F(DeviceInfo, Errors) {
  aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_END;
  std::int64_t number = 0;
  std::int32_t flag = 0;
  std::uint32_t value = 0;
  std::size_t bytes = 0;
  aclrtUtilizationInfo load{};
  aclrtUtilizationInfo extended{};
  extended.utilizationExtend = reinterpret_cast<aclrtUtilizationExtendInfo*>(&load);
  check_failures({
      {"aclrtQueryDeviceStatus", 100000, "deviceStatus", [] { return aclrtQueryDeviceStatus(0, nullptr); }},
      {"aclrtQueryDeviceStatus", 107001, "deviceId is 9", [&] { return aclrtQueryDeviceStatus(9, &status); }},
      {"aclrtGetDeviceInfo", 100000, "value",
       [] { return aclrtGetDeviceInfo(0, ACL_DEV_ATTR_SMP_ID, nullptr); }},
      {"aclrtGetDeviceInfo", 107001, "deviceId is 9",
       [&] { return aclrtGetDeviceInfo(9, ACL_DEV_ATTR_SMP_ID, &number); }},
      {"aclrtGetDeviceInfo", 107000, "attr is 3",
       [&] { return aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(3), &number); }},
      {"aclrtGetDeviceCapability", 100000, "value",
       [] { return aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, nullptr); }},
      {"aclrtGetDeviceCapability", 100000, "devFeatureType is 2",
       [&] { return aclrtGetDeviceCapability(0, static_cast<aclrtDevFeatureType>(2), &flag); }},
      {"aclrtGetDeviceCapability", 107001, "deviceId is -1",
       [&] { return aclrtGetDeviceCapability(-1, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &flag); }},
      {"aclrtGetDeviceUtilizationRate", 100000, "utilizationInfo",
       [] { return aclrtGetDeviceUtilizationRate(0, nullptr); }},
      {"aclrtGetDeviceUtilizationRate", 100000, "utilizationExtend",
       [&] { return aclrtGetDeviceUtilizationRate(0, &extended); }},
      {"aclrtGetDeviceUtilizationRate", 107001, "deviceId is 9",
       [&] { return aclrtGetDeviceUtilizationRate(9, &load); }},
      {"aclrtGetPrimaryCtxState", 107001, "deviceId is 9",
       [&] { return aclrtGetPrimaryCtxState(9, &value, &flag); }},
      {"aclrtDeviceGetBareTgid", 100000, "pid", [] { return aclrtDeviceGetBareTgid(nullptr); }},
      {"aclrtSetDeviceSatMode", 100000, "mode is 2",
       [] { return aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF); }},
      {"aclrtGetDeviceSatMode", 100000, "mode", [] { return aclrtGetDeviceSatMode(nullptr); }},
      {"aclrtDeviceSetLimit", 100000, "limit is 5",
       [] { return aclrtDeviceSetLimit(static_cast<aclrtDeviceLimit>(5), 1); }},
      {"aclrtDeviceSetLimit", 107000, "value is 0",
       [] { return aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 0); }},
      {"aclrtDeviceGetLimit", 100000, "value",
       [] { return aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, nullptr); }},
      {"aclrtDeviceGetLimit", 100000, "limit is 5",
       [&] { return aclrtDeviceGetLimit(static_cast<aclrtDeviceLimit>(5), &bytes); }},
      {"aclrtSetSysParamOpt", 100000, "opt is 4", [] { return set_option_of(4); }},
      {"aclrtGetSysParamOpt", 107021, "opt is 3",
       [&] { return aclrtGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &number); }},
      {"aclrtGetSysParamOpt", 100000, "value",
       [] { return aclrtGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, nullptr); }},
      {"aclrtSetDeviceResLimit", 100000, "type is 2", [] { return set_device_limit_of(2); }},
      {"aclrtSetDeviceResLimit", 107000, "value is 0",
       [] { return aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 0); }},
      {"aclrtSetDeviceResLimit", 107000, "value is 25",
       [] { return aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 25); }},
      {"aclrtSetDeviceResLimit", 107001, "deviceId is 9",
       [] { return aclrtSetDeviceResLimit(9, ACL_RT_DEV_RES_CUBE_CORE, 1); }},
      {"aclrtGetDeviceResLimit", 100000, "value",
       [] { return aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, nullptr); }},
      {"aclrtResetDeviceResLimit", 107001, "deviceId is 9", [] { return aclrtResetDeviceResLimit(9); }},
      {"aclrtGetResInCurrentThread", 100000, "type is 2", [] { return get_limit_here_of(2); }},
      {"aclrtRegDeviceStateCallback", 100000, "regName",
       [] { return aclrtRegDeviceStateCallback(nullptr, note_state, nullptr); }},
      {"aclrtSetDeviceTaskAbortCallback", 100000, "regName",
       [] { return aclrtSetDeviceTaskAbortCallback(nullptr, count_stage, nullptr); }},
      {"aclrtDeviceTaskAbort", 107001, "deviceId is 9", [] { return aclrtDeviceTaskAbort(9, 1); }},
  });
}

TEST_F(DeviceInfo, ErrorsOfPeers) {
  std::int32_t can = 0;
  check_failures({
      {"aclrtDeviceCanAccessPeer", 100000, "canAccessPeer",
       [] { return aclrtDeviceCanAccessPeer(nullptr, 0, 1); }},
      {"aclrtDeviceCanAccessPeer", 100000, "both 0", [&] { return aclrtDeviceCanAccessPeer(&can, 0, 0); }},
      {"aclrtDeviceCanAccessPeer", 107001, "peerDeviceId is 1",
       [&] { return aclrtDeviceCanAccessPeer(&can, 0, 1); }},
      {"aclrtDeviceEnablePeerAccess", 200006, "flags is 1", [] { return aclrtDeviceEnablePeerAccess(1, 1); }},
      {"aclrtDeviceEnablePeerAccess", 107000, "peerDeviceId is 0",
       [] { return aclrtDeviceEnablePeerAccess(0, 0); }},
      {"aclrtDeviceEnablePeerAccess", 107001, "peerDeviceId is 1",
       [] { return aclrtDeviceEnablePeerAccess(1, 0); }},
      {"aclrtDeviceDisablePeerAccess", 107001, "peerDeviceId is 1",
       [] { return aclrtDeviceDisablePeerAccess(1); }},
      {"aclrtDevicePeerAccessStatus", 100000, "status",
       [] { return aclrtDevicePeerAccessStatus(0, 1, nullptr); }},
      {"aclrtDevicePeerAccessStatus", 107001, "peerDeviceId is 1",
       [&] { return aclrtDevicePeerAccessStatus(0, 1, &can); }},
  });
}

}  // namespace
