// G3: every row of errors of the functions for starting, devices, contexts, streams and host functions. The
// code is compared exactly, and the text has to name the argument that is wrong.

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

class ErrorsOfTheLibrary : public testing::Test {};

class ErrorsOfOrder : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtGetCurrentContext(&home_), ACL_SUCCESS);
    dead_stream_ = make_stream();
    ASSERT_EQ(aclrtDestroyStream(dead_stream_), ACL_SUCCESS);
  }

  /// Checks the rows with a context that is not the one of the test's streams.
  void check_in_another_context(const std::vector<error_row>& rows) const {
    aclrtContext other = nullptr;
    ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
    check_failures(rows);
    ASSERT_EQ(aclrtSetCurrentContext(home_), ACL_SUCCESS);
    ASSERT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  }

  aclrtContext home_ = nullptr;
  aclrtStream dead_stream_ = nullptr;
};

/// A file that is gone at the end of the test.
class text_file {
public:
  text_file(const std::string& name, const std::string& text) : path_(testing::TempDir() + "soma_" + name) {
    std::ofstream(path_) << text;
  }

  ~text_file() { std::remove(path_.c_str()); }

  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  text_file(text_file&&) = delete;
  text_file& operator=(text_file&&) = delete;

  [[nodiscard]] const char* path() const { return path_.c_str(); }

private:
  std::string path_;
};

void nothing(void* /*arguments*/) {}

TEST_F(ErrorsOfTheLibrary, G3_StartAndEnd) {
  const text_file broken("broken.json", "{\"err_msg_mode\": ");
  const text_file differs("differs.json", R"({"unknown": 1})");
  check_failures({
      {"aclFinalize", 100037, "aclInit", [] { return aclFinalize(); }},
      {"aclFinalizeReference", 100037, "aclInit", [] { return aclFinalizeReference(nullptr); }},
      {"aclInit", 100003, "configPath is \"no such file\"", [] { return aclInit("no such file"); }},
      {"aclInit", 100006, "JSON", [&] { return aclInit(broken.path()); }},
  });
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  check_failure({"aclInit", 100002, "2 users", [] { return aclInit(nullptr); }});
  ASSERT_EQ(aclFinalize(), ACL_SUCCESS);
  check_failure({"aclInit", 100000, "configuration differs", [&] { return aclInit(differs.path()); }});
}

TEST_F(ErrorsOfTheLibrary, G3_Queries) {
  std::int32_t part = 0;
  const auto no_level = static_cast<aclrtLastErrLevel>(1);
  check_failures({
      {"aclrtGetVersion", 100000, "majorVersion", [&] { return aclrtGetVersion(nullptr, &part, &part); }},
      {"aclrtGetVersion", 100000, "minorVersion", [&] { return aclrtGetVersion(&part, nullptr, &part); }},
      {"aclrtGetVersion", 100000, "patchVersion", [&] { return aclrtGetVersion(&part, &part, nullptr); }},
      {"aclrtGetRunMode", 100000, "runMode", [] { return aclrtGetRunMode(nullptr); }},
      {"aclrtGetDeviceCount", 100000, "count", [] { return aclrtGetDeviceCount(nullptr); }},
      {"aclrtGetLastError", 100000, "level", [&] { return aclrtGetLastError(no_level); }},
      {"aclrtPeekAtLastError", 100000, "level", [&] { return aclrtPeekAtLastError(no_level); }},
  });
}

TEST_F(ErrorsOfOrder, G3_Devices) {
  for (const std::int32_t device : {-1, 1}) {
    const auto named = "deviceId is " + std::to_string(device);
    check_failures({
        {"aclrtSetDevice", 107001, named, [=] { return aclrtSetDevice(device); }},
        {"aclrtResetDevice", 107001, named, [=] { return aclrtResetDevice(device); }},
        {"aclrtResetDeviceForce", 107001, named, [=] { return aclrtResetDeviceForce(device); }},
    });
  }
  check_failures({
      {"aclrtGetDevice", 100000, "deviceId", [] { return aclrtGetDevice(nullptr); }},
      {"aclrtSynchronizeDeviceWithTimeout", 107000, "timeout is 0",
       [] { return aclrtSynchronizeDeviceWithTimeout(0); }},
      {"aclrtSynchronizeDeviceWithTimeout", 107000, "timeout is -2",
       [] { return aclrtSynchronizeDeviceWithTimeout(-2); }},
  });
  gate held;
  hold(s1_, held);
  check_failure({"aclrtSynchronizeDeviceWithTimeout", 507046, "time",
                 [] { return aclrtSynchronizeDeviceWithTimeout(short_wait_ms); }});
  held.open();
  ASSERT_EQ(settle_device(), ACL_SUCCESS);
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  check_failure({"aclrtResetDevice", 507007, "aclrtSetDevice", [] { return aclrtResetDevice(0); }});
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
}

TEST_F(ErrorsOfOrder, G3_Contexts) {
  aclrtContext made = nullptr;
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetCurrentContext(home_), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
  check_failures({
      {"aclrtCreateContext", 100000, "context", [] { return aclrtCreateContext(nullptr, 0); }},
      {"aclrtCreateContext", 107001, "deviceId is 7", [&] { return aclrtCreateContext(&made, 7); }},
      {"aclrtDestroyContext", 100000, "context", [] { return aclrtDestroyContext(nullptr); }},
      {"aclrtDestroyContext", 107002, "context", [&] { return aclrtDestroyContext(made); }},
      {"aclrtDestroyContext", 107002, "primary", [this] { return aclrtDestroyContext(home_); }},
      {"aclrtSetCurrentContext", 100000, "context", [] { return aclrtSetCurrentContext(nullptr); }},
      {"aclrtSetCurrentContext", 107000, "context", [&] { return aclrtSetCurrentContext(made); }},
      {"aclrtGetCurrentContext", 100000, "context", [] { return aclrtGetCurrentContext(nullptr); }},
      {"aclrtCtxGetCurrentDefaultStream", 100000, "stream",
       [] { return aclrtCtxGetCurrentDefaultStream(nullptr); }},
  });
}

TEST_F(ErrorsOfOrder, G3_Streams) {
  aclrtStream by_default = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&by_default), ACL_SUCCESS);
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  std::int32_t id = 0;
  check_failures({
      {"aclrtCreateStream", 100000, "stream", [] { return aclrtCreateStream(nullptr); }},
      {"aclrtCreateStreamWithConfig", 100000, "stream",
       [] { return aclrtCreateStreamWithConfig(nullptr, 0, 0); }},
      {"aclrtDestroyStream", 100000, "stream", [] { return aclrtDestroyStream(nullptr); }},
      {"aclrtDestroyStream", 107017, "stream", [this] { return aclrtDestroyStream(dead_stream_); }},
      {"aclrtDestroyStream", 107000, "default stream", [=] { return aclrtDestroyStream(by_default); }},
      {"aclrtDestroyStreamForce", 100000, "stream", [] { return aclrtDestroyStreamForce(nullptr); }},
      {"aclrtDestroyStreamForce", 107017, "stream", [this] { return aclrtDestroyStreamForce(dead_stream_); }},
      {"aclrtSynchronizeStream", 107017, "stream", [this] { return aclrtSynchronizeStream(dead_stream_); }},
      {"aclrtSynchronizeStreamWithTimeout", 107017, "stream",
       [this] { return aclrtSynchronizeStreamWithTimeout(dead_stream_, 1); }},
      {"aclrtSynchronizeStreamWithTimeout", 107000, "timeout is 0",
       [this] { return aclrtSynchronizeStreamWithTimeout(s1_, 0); }},
      {"aclrtSynchronizeStreamWithTimeout", 107000, "timeout is -2",
       [this] { return aclrtSynchronizeStreamWithTimeout(s1_, -2); }},
      {"aclrtStreamQuery", 100000, "status", [this] { return aclrtStreamQuery(s1_, nullptr); }},
      {"aclrtStreamQuery", 107017, "stream", [&] { return aclrtStreamQuery(dead_stream_, &status); }},
      {"aclrtStreamGetId", 100000, "streamId", [this] { return aclrtStreamGetId(s1_, nullptr); }},
      {"aclrtStreamGetId", 107017, "stream", [&] { return aclrtStreamGetId(dead_stream_, &id); }},
      {"aclrtSetStreamFailureMode", 107017, "stream",
       [this] { return aclrtSetStreamFailureMode(dead_stream_, ACL_STOP_ON_FAILURE); }},
      {"aclrtLaunchHostFunc", 107000, "fn", [this] { return aclrtLaunchHostFunc(s1_, nullptr, nullptr); }},
      {"aclrtLaunchHostFunc", 107017, "stream",
       [this] { return aclrtLaunchHostFunc(dead_stream_, nothing, nullptr); }},
  });
  gate held;
  hold(s1_, held);
  check_failure({"aclrtSynchronizeStreamWithTimeout", 507046, "time",
                 [this] { return aclrtSynchronizeStreamWithTimeout(s1_, short_wait_ms); }});
}

TEST_F(ErrorsOfOrder, G3_StreamsOfAnotherContext) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  std::int32_t id = 0;
  check_in_another_context({
      {"aclrtDestroyStream", 107003, "stream", [this] { return aclrtDestroyStream(s1_); }},
      {"aclrtDestroyStreamForce", 107003, "stream", [this] { return aclrtDestroyStreamForce(s1_); }},
      {"aclrtStreamQuery", 107003, "stream", [&] { return aclrtStreamQuery(s1_, &status); }},
      {"aclrtStreamGetId", 107003, "stream", [&] { return aclrtStreamGetId(s1_, &id); }},
      {"aclrtSetStreamFailureMode", 107003, "stream",
       [this] { return aclrtSetStreamFailureMode(s1_, ACL_STOP_ON_FAILURE); }},
      {"aclrtLaunchHostFunc", 107003, "stream",
       [this] { return aclrtLaunchHostFunc(s1_, nothing, nullptr); }},
  });
}

TEST_F(ErrorsOfOrder, G3_FailureModes) {
  aclrtContext other = nullptr;
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  aclrtStream stopping = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stopping), ACL_SUCCESS);
  aclrtStream of_device = nullptr;
  ASSERT_EQ(aclrtCreateStreamWithConfig(&of_device, 0, ACL_STREAM_DEVICE_USE_ONLY), ACL_SUCCESS);
  check_failure({"aclrtSetStreamFailureMode", 207000, "ACL_STREAM_DEVICE_USE_ONLY",
                 [=] { return aclrtSetStreamFailureMode(of_device, ACL_STOP_ON_FAILURE); }});
  ASSERT_EQ(aclrtSetStreamFailureMode(stopping, ACL_STOP_ON_FAILURE), ACL_SUCCESS);
  check_failure({"aclrtSetStreamFailureMode", 207000, "mode is 0",
                 [=] { return aclrtSetStreamFailureMode(stopping, ACL_CONTINUE_ON_FAILURE); }});
  ASSERT_EQ(aclrtSetCurrentContext(home_), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
}

TEST_F(ErrorsOfOrder, G3_WithoutAContext) {
  std::thread([] {
    std::int32_t number = 0;
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    check_failures({
        {"aclrtGetDevice", 107002, "context", [&] { return aclrtGetDevice(&number); }},
        {"aclrtGetCurrentContext", 107002, "context", [&] { return aclrtGetCurrentContext(&context); }},
        {"aclrtCtxGetCurrentDefaultStream", 107002, "context",
         [&] { return aclrtCtxGetCurrentDefaultStream(&stream); }},
        {"aclrtSynchronizeDevice", 107002, "context", [] { return aclrtSynchronizeDevice(); }},
        {"aclrtSynchronizeDeviceWithTimeout", 107002, "context",
         [] { return aclrtSynchronizeDeviceWithTimeout(1); }},
        {"aclrtCreateStream", 107002, "context", [&] { return aclrtCreateStream(&stream); }},
        {"aclrtCreateStreamWithConfig", 107002, "context",
         [&] { return aclrtCreateStreamWithConfig(&stream, 0, 0); }},
        {"aclrtSynchronizeStream", 107002, "context", [] { return aclrtSynchronizeStream(nullptr); }},
        {"aclrtSynchronizeStreamWithTimeout", 107002, "context",
         [] { return aclrtSynchronizeStreamWithTimeout(nullptr, 1); }},
        {"aclrtStreamQuery", 107002, "context", [&] { return aclrtStreamQuery(nullptr, &status); }},
        {"aclrtStreamGetId", 107002, "context", [&] { return aclrtStreamGetId(nullptr, &number); }},
        {"aclrtSetStreamFailureMode", 107002, "context",
         [] { return aclrtSetStreamFailureMode(nullptr, ACL_CONTINUE_ON_FAILURE); }},
        {"aclrtLaunchHostFunc", 107002, "context",
         [] { return aclrtLaunchHostFunc(nullptr, nothing, nullptr); }},
    });
  }).join();
}

}  // namespace
