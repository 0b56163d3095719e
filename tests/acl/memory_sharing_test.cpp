// The errors of sharing memory with other processes, as far as one process can see them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

constexpr const char* nobodys_key = "soma-003fffff-00000007-0000000000000003";

class MemorySharing : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtMalloc(&block_, 8192, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    aclrtPhysicalMemProp wanted{};
    wanted.memAttr = ACL_HBM_MEM_HUGE;
    wanted.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    ASSERT_EQ(aclrtMallocPhysical(&handle_, 2_M, &wanted, 0), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(aclrtFree(block_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreePhysical(handle_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  void* block_ = nullptr;
  aclrtDrvMemHandle handle_ = nullptr;
  std::array<char, 65> key_{};
  int own_ = 0;
};

TEST_F(MemorySharing, ErrorsOfKeys) {
  void* result = nullptr;
  std::int32_t process = 1;
  const auto get = [this](void* from, std::size_t bytes, std::size_t room,
                          std::uint64_t flags) -> std::function<aclError()> {
    return [=, this] { return aclrtIpcMemGetExportKey(from, bytes, key_.data(), room, flags); };
  };
  check_failures({
      {"aclrtIpcMemGetExportKey", 100000, "devPtr", get(nullptr, 1, 65, 0)},
      {"aclrtIpcMemGetExportKey", 100000, "size is 0", get(block_, 0, 65, 0)},
      {"aclrtIpcMemGetExportKey", 100000, "key",
       [this] { return aclrtIpcMemGetExportKey(block_, 1, nullptr, 65, 0); }},
      {"aclrtIpcMemGetExportKey", 107000, "len is 64", get(block_, 1, 64, 0)},
      {"aclrtIpcMemGetExportKey", 107000, "flags is 2", get(block_, 1, 65, 2)},
      {"aclrtIpcMemGetExportKey", 107000, "multiple of 4096", get(advance(block_, 64), 1, 65, 0)},
      {"aclrtIpcMemGetExportKey", 107000, "goes beyond its block", get(advance(block_, 4096), 1_M, 65, 0)},
      {"aclrtIpcMemImportByKey", 100000, "devPtr",
       [] { return aclrtIpcMemImportByKey(nullptr, nobodys_key, 0); }},
      {"aclrtIpcMemImportByKey", 100000, "key", [&] { return aclrtIpcMemImportByKey(&result, nullptr, 0); }},
      {"aclrtIpcMemImportByKey", 107000, "flags is 2",
       [&] { return aclrtIpcMemImportByKey(&result, nobodys_key, 2); }},
      {"aclrtIpcMemImportByKey", 107000, "is no key",
       [&] { return aclrtIpcMemImportByKey(&result, "key", 0); }},
      {"aclrtIpcMemImportByKey", 107000, "process 4194303",
       [&] { return aclrtIpcMemImportByKey(&result, nobodys_key, 0); }},
      {"aclrtIpcMemClose", 100000, "key", [] { return aclrtIpcMemClose(nullptr); }},
      {"aclrtIpcMemClose", 107000, nobodys_key, [] { return aclrtIpcMemClose(nobodys_key); }},
      {"aclrtIpcMemSetImportPid", 100000, "key",
       [&] { return aclrtIpcMemSetImportPid(nullptr, &process, 1); }},
      {"aclrtIpcMemSetImportPid", 100000, "pid",
       [] { return aclrtIpcMemSetImportPid(nobodys_key, nullptr, 1); }},
      {"aclrtIpcMemSetImportPid", 100000, "num is 0",
       [&] { return aclrtIpcMemSetImportPid(nobodys_key, &process, 0); }},
      {"aclrtIpcMemSetImportPid", 107000, nobodys_key,
       [&] { return aclrtIpcMemSetImportPid(nobodys_key, &process, 1); }},
      {"aclrtIpcMemSetAttr", 100000, "key",
       [] { return aclrtIpcMemSetAttr(nullptr, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0); }},
      {"aclrtIpcMemSetAttr", 107000, "type is 1",
       [] { return aclrtIpcMemSetAttr(nobodys_key, static_cast<aclrtIpcMemAttrType>(1), 0); }},
      {"aclrtIpcMemSetAttr", 107000, "attr is 4",
       [] { return aclrtIpcMemSetAttr(nobodys_key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 4); }},
      {"aclrtIpcMemSetAttr", 107000, "is no key",
       [] { return aclrtIpcMemSetAttr("key", ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0); }},
  });
  EXPECT_EQ(result, nullptr);
}

TEST_F(MemorySharing, ErrorsOfHandles) {
  std::uint64_t shareable = 0;
  aclrtMemFabricHandle fabric{};
  aclrtDrvMemHandle result = nullptr;
  std::int32_t process = 1;
  aclrtServerPid processes{0, &process, 1};
  aclrtServerPid none{0, &process, 0};
  constexpr auto no_type = static_cast<aclrtMemSharedHandleType>(3);
  constexpr auto by_number = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT;
  check_failures({
      {"aclrtMemExportToShareableHandle", 100000, "handle",
       [&] { return aclrtMemExportToShareableHandle(nullptr, ACL_MEM_HANDLE_TYPE_NONE, 0, &shareable); }},
      {"aclrtMemExportToShareableHandle", 100000, "shareableHandle",
       [&] { return aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_NONE, 0, nullptr); }},
      {"aclrtMemExportToShareableHandle", 100000, "handleType is 2",
       [&] { return aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_POSIX, 0, &shareable); }},
      {"aclrtMemExportToShareableHandle", 107000, "flags is 2",
       [&] { return aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_NONE, 2, &shareable); }},
      {"aclrtMemExportToShareableHandle", 107017, "handle 0x",
       [&] { return aclrtMemExportToShareableHandle(&own_, ACL_MEM_HANDLE_TYPE_NONE, 0, &shareable); }},
      {"aclrtMemExportToShareableHandleV2", 100000, "shareType is 3",
       [&] { return aclrtMemExportToShareableHandleV2(handle_, 0, no_type, &fabric); }},
      {"aclrtMemImportFromShareableHandle", 100000, "handle",
       [] { return aclrtMemImportFromShareableHandle(1, 0, nullptr); }},
      {"aclrtMemImportFromShareableHandle", 107001, "deviceId is 99",
       [&] { return aclrtMemImportFromShareableHandle(1, 99, &result); }},
      {"aclrtMemImportFromShareableHandle", 107000, "shareableHandle is 1",
       [&] { return aclrtMemImportFromShareableHandle(1, 0, &result); }},
      {"aclrtMemImportFromShareableHandleV2", 100000, "shareableHandle",
       [&] { return aclrtMemImportFromShareableHandleV2(nullptr, by_number, 0, &result); }},
      {"aclrtMemImportFromShareableHandleV2", 100000, "shareType is 3",
       [&] { return aclrtMemImportFromShareableHandleV2(&fabric, no_type, 0, &result); }},
      {"aclrtMemImportFromShareableHandleV2", 100000, "flags is 1",
       [&] { return aclrtMemImportFromShareableHandleV2(&fabric, by_number, 1, &result); }},
      {"aclrtMemImportFromShareableHandleV2", 107000, "no key",
       [&] {
         return aclrtMemImportFromShareableHandleV2(&fabric, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &result);
       }},
      {"aclrtMemSetPidToShareableHandle", 100000, "pid",
       [] { return aclrtMemSetPidToShareableHandle(1, nullptr, 1); }},
      {"aclrtMemSetPidToShareableHandle", 100000, "pidNum is 0",
       [&] { return aclrtMemSetPidToShareableHandle(1, &process, 0); }},
      {"aclrtMemSetPidToShareableHandle", 107000, "shareableHandle is 1",
       [&] { return aclrtMemSetPidToShareableHandle(1, &process, 1); }},
      {"aclrtMemSetPidToShareableHandleV2", 100000, "serverPids",
       [&] { return aclrtMemSetPidToShareableHandleV2(&fabric, by_number, nullptr, 1); }},
      {"aclrtMemSetPidToShareableHandleV2", 100000, "serverPidNum is 0",
       [&] { return aclrtMemSetPidToShareableHandleV2(&fabric, by_number, &processes, 0); }},
      {"aclrtMemSetPidToShareableHandleV2", 100000, "num is 0",
       [&] { return aclrtMemSetPidToShareableHandleV2(&fabric, by_number, &none, 1); }},
  });
  std::vector<std::int32_t> many(600, 1);
  ASSERT_EQ(aclrtMemExportToShareableHandle(handle_, ACL_MEM_HANDLE_TYPE_NONE, 0, &shareable), ACL_SUCCESS);
  check_failure({"aclrtMemSetPidToShareableHandle", 207001, "512 processes",
                 [&] { return aclrtMemSetPidToShareableHandle(shareable, many.data(), many.size()); }});
  EXPECT_EQ(aclrtMemSetPidToShareableHandleV2(&shareable, by_number, &processes, 1), ACL_SUCCESS);
}

}  // namespace
