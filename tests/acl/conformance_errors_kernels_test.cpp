// G3: every row of errors of the functions for kernels, their arguments and their launches. The code is
// compared exactly, and the text has to name the argument that is wrong.

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "acl/soma_kernel.h"
#include "support/acl_fixture.hpp"
#include "support/error_table.hpp"

namespace {

using namespace support;

int does_nothing(const void* /*arguments*/, size_t /*bytes*/, std::uint32_t /*block*/,
                 std::uint32_t /*blocks*/) {
  return 0;
}

int does_nothing_else(const void* arguments, size_t bytes, std::uint32_t block, std::uint32_t blocks) {
  return does_nothing(arguments, bytes, block, blocks);
}

class ErrorsOfKernels : public acl_fixture {
protected:
  void SetUp() override {
    acl_fixture::SetUp();
    ASSERT_EQ(aclrtBinaryLoadFromFile(TEST_KERNELS_PATH, nullptr, &library_), ACL_SUCCESS);
    ASSERT_EQ(aclrtBinaryGetFunction(library_, "count_blocks", &function_), ACL_SUCCESS);
    ASSERT_EQ(aclrtBinaryLoadFromFile(TEST_KERNELS_PATH, nullptr, &dead_library_), ACL_SUCCESS);
    ASSERT_EQ(aclrtBinaryGetFunction(dead_library_, "count_blocks", &dead_function_), ACL_SUCCESS);
    ASSERT_EQ(aclrtBinaryUnLoad(dead_library_), ACL_SUCCESS);
    dead_stream_ = make_stream();
    ASSERT_EQ(aclrtDestroyStream(dead_stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtKernelArgsInit(function_, &list_), ACL_SUCCESS);
    ASSERT_EQ(aclrtKernelArgsAppend(list_, &number_, sizeof(number_), &ordinary_), ACL_SUCCESS);
    ASSERT_EQ(aclrtKernelArgsAppendPlaceHolder(list_, &placeholder_), ACL_SUCCESS);
  }

  void TearDown() override {
    EXPECT_EQ(aclrtBinaryUnLoad(library_), ACL_SUCCESS);
    acl_fixture::TearDown();
  }

  aclError load(aclrtBinaryLoadOption option) {
    aclrtBinaryLoadOptions options{&option, 1};
    aclrtBinHandle library = nullptr;
    return aclrtBinaryLoadFromFile(TEST_KERNELS_PATH, &options, &library);
  }

  aclError launch(aclrtFuncHandle function, std::uint32_t blocks, aclrtStream stream,
                  aclrtLaunchKernelCfg* config = nullptr) {
    return aclrtLaunchKernelV2(function, blocks, &number_, sizeof(number_), config, stream);
  }

  aclError launch_list(aclrtArgsHandle list, std::uint32_t blocks, aclrtStream stream,
                       aclrtLaunchKernelCfg* config = nullptr) {
    return aclrtLaunchKernelWithConfig(function_, blocks, stream, config, list, nullptr);
  }

  /// A number that is no handle.
  static void* invented() { return reinterpret_cast<void*>(std::uintptr_t{0x7ffffff0}); }

  aclrtBinHandle library_ = nullptr;
  aclrtBinHandle dead_library_ = nullptr;
  aclrtFuncHandle function_ = nullptr;
  aclrtFuncHandle dead_function_ = nullptr;
  aclrtStream dead_stream_ = nullptr;
  aclrtArgsHandle list_ = nullptr;
  aclrtParamHandle ordinary_ = nullptr;
  aclrtParamHandle placeholder_ = nullptr;
  std::uint64_t number_ = 0;
};

TEST_F(ErrorsOfKernels, G3_Libraries) {
  aclrtBinHandle library = nullptr;
  const auto load_file = [&](const char* path) {
    return [&library, path] { return aclrtBinaryLoadFromFile(path, nullptr, &library); };
  };
  aclrtBinaryLoadOptions none{nullptr, 1};
  aclrtBinaryLoadOption lazy{};
  lazy.type = ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD;
  lazy.value.isLazyLoad = 2;
  aclrtBinaryLoadOption magic{};
  magic.type = ACL_RT_BINARY_LOAD_OPT_MAGIC;
  magic.value.magic = 1;
  aclrtBinaryLoadOption mode{};
  mode.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE;
  mode.value.cpuKernelMode = 2;
  aclrtBinaryLoadOption unknown{};
  unknown.type = static_cast<aclrtBinaryLoadOptionType>(0);
  check_failures({
      {"aclrtBinaryLoadFromFile", 100000, "binPath", load_file(nullptr)},
      {"aclrtBinaryLoadFromFile", 100000, "binHandle",
       [] { return aclrtBinaryLoadFromFile(TEST_KERNELS_PATH, nullptr, nullptr); }},
      {"aclrtBinaryLoadFromFile", 107000, "no such file", load_file("no such file")},
      {"aclrtBinaryLoadFromFile", 107000, __FILE__, load_file(__FILE__)},
      {"aclrtBinaryLoadFromFile", 107000, "numOpt is 1",
       [&] { return aclrtBinaryLoadFromFile(TEST_KERNELS_PATH, &none, &library); }},
      {"aclrtBinaryLoadFromFile", 107000, "isLazyLoad is 2", [&] { return load(lazy); }},
      {"aclrtBinaryLoadFromFile", 107000, "magic is 1", [&] { return load(magic); }},
      {"aclrtBinaryLoadFromFile", 107000, "cpuKernelMode is 2", [&] { return load(mode); }},
      {"aclrtBinaryLoadFromFile", 107000, "type is 0", [&] { return load(unknown); }},
      {"aclrtBinaryUnLoad", 100000, "binHandle", [] { return aclrtBinaryUnLoad(nullptr); }},
      {"aclrtBinaryUnLoad", 107017, "binHandle", [&] { return aclrtBinaryUnLoad(dead_library_); }},
  });
}

TEST_F(ErrorsOfKernels, G3_Functions) {
  aclrtFuncHandle function = nullptr;
  std::array<char, 12> name{};  // one too few for count_blocks and its end
  const auto get = [&](aclrtBinHandle library, const char* kernel) {
    return [&function, library, kernel] { return aclrtBinaryGetFunction(library, kernel, &function); };
  };
  check_failures({
      {"aclrtBinaryGetFunction", 100000, "binHandle", get(nullptr, "count_blocks")},
      {"aclrtBinaryGetFunction", 100000, "kernelName", get(library_, nullptr)},
      {"aclrtBinaryGetFunction", 100000, "funcHandle",
       [this] { return aclrtBinaryGetFunction(library_, "count_blocks", nullptr); }},
      {"aclrtBinaryGetFunction", 107017, "binHandle", get(dead_library_, "count_blocks")},
      {"aclrtBinaryGetFunction", 107000, "no_such_kernel", get(library_, "no_such_kernel")},
      {"aclrtGetFunctionName", 100000, "funcHandle",
       [&] { return aclrtGetFunctionName(nullptr, name.size(), name.data()); }},
      {"aclrtGetFunctionName", 100000, "name", [&] { return aclrtGetFunctionName(function_, 12, nullptr); }},
      {"aclrtGetFunctionName", 107000, "maxLen is 12",
       [&] { return aclrtGetFunctionName(function_, name.size(), name.data()); }},
      {"aclrtGetFunctionName", 107017, "funcHandle",
       [&] { return aclrtGetFunctionName(dead_function_, name.size(), name.data()); }},
  });
}

TEST_F(ErrorsOfKernels, G3_TheRegister) {
  aclrtFuncHandle function = nullptr;
  ASSERT_EQ(somaKernelRegister("G3_does_nothing", does_nothing, &function), ACL_SUCCESS);
  check_failures({
      {"somaKernelRegister", 100000, "name",
       [&] { return somaKernelRegister(nullptr, does_nothing, &function); }},
      {"somaKernelRegister", 100000, "kernel",
       [&] { return somaKernelRegister("null", nullptr, &function); }},
      {"somaKernelRegister", 100000, "function",
       [] { return somaKernelRegister("null", does_nothing, nullptr); }},
      {"somaKernelRegister", 107000, "G3_does_nothing",
       [&] { return somaKernelRegister("G3_does_nothing", does_nothing_else, &function); }},
      {"somaKernelFind", 100000, "name", [&] { return somaKernelFind(nullptr, &function); }},
      {"somaKernelFind", 100000, "function", [] { return somaKernelFind("G3_does_nothing", nullptr); }},
      {"somaKernelFind", 107000, "no_such_kernel",
       [&] { return somaKernelFind("no_such_kernel", &function); }},
  });
}

TEST_F(ErrorsOfKernels, G3_StartOfLists) {
  aclrtArgsHandle list = nullptr;
  std::size_t bytes = 0;
  const std::size_t most = ~std::size_t{0};
  alignas(std::max_align_t) std::array<std::byte, 64> memory{};
  check_failures({
      {"aclrtKernelArgsInit", 100000, "funcHandle", [&] { return aclrtKernelArgsInit(nullptr, &list); }},
      {"aclrtKernelArgsInit", 100000, "argsHandle", [&] { return aclrtKernelArgsInit(function_, nullptr); }},
      {"aclrtKernelArgsInit", 107017, "funcHandle",
       [&] { return aclrtKernelArgsInit(dead_function_, &list); }},
      {"aclrtKernelArgsInitByUserMem", 100000, "funcHandle",
       [&] { return aclrtKernelArgsInitByUserMem(nullptr, memory.data(), memory.data(), 8); }},
      {"aclrtKernelArgsInitByUserMem", 100000, "argsHandle",
       [&] { return aclrtKernelArgsInitByUserMem(function_, nullptr, memory.data(), 8); }},
      {"aclrtKernelArgsInitByUserMem", 100000, "userHostMem",
       [&] { return aclrtKernelArgsInitByUserMem(function_, memory.data(), nullptr, 8); }},
      {"aclrtKernelArgsInitByUserMem", 100000, "actualArgsSize is 0",
       [&] { return aclrtKernelArgsInitByUserMem(function_, memory.data(), memory.data(), 0); }},
      {"aclrtKernelArgsInitByUserMem", 107017, "funcHandle",
       [&] { return aclrtKernelArgsInitByUserMem(dead_function_, memory.data(), memory.data(), 8); }},
      {"aclrtKernelArgsInitByUserMem", 107000, "argsHandle",
       [&] { return aclrtKernelArgsInitByUserMem(function_, memory.data() + 1, memory.data(), 8); }},
      {"aclrtKernelArgsGetHandleMemSize", 100000, "funcHandle",
       [&] { return aclrtKernelArgsGetHandleMemSize(nullptr, &bytes); }},
      {"aclrtKernelArgsGetHandleMemSize", 100000, "memSize",
       [&] { return aclrtKernelArgsGetHandleMemSize(function_, nullptr); }},
      {"aclrtKernelArgsGetHandleMemSize", 107017, "funcHandle",
       [&] { return aclrtKernelArgsGetHandleMemSize(dead_function_, &bytes); }},
      {"aclrtKernelArgsGetMemSize", 100000, "funcHandle",
       [&] { return aclrtKernelArgsGetMemSize(nullptr, 8, &bytes); }},
      {"aclrtKernelArgsGetMemSize", 100000, "actualArgsSize",
       [&] { return aclrtKernelArgsGetMemSize(function_, 8, nullptr); }},
      {"aclrtKernelArgsGetMemSize", 107017, "funcHandle",
       [&] { return aclrtKernelArgsGetMemSize(dead_function_, 8, &bytes); }},
      {"aclrtKernelArgsGetMemSize", 107000, "userArgsSize is 18446744073709551615",
       [&] { return aclrtKernelArgsGetMemSize(function_, most, &bytes); }},
  });
}

TEST_F(ErrorsOfKernels, G3_NullInLists) {
  aclrtParamHandle parameter = nullptr;
  void* data = nullptr;
  check_failures({
      {"aclrtKernelArgsAppend", 100000, "argsHandle",
       [&] { return aclrtKernelArgsAppend(nullptr, &number_, 8, &parameter); }},
      {"aclrtKernelArgsAppend", 100000, "param",
       [&] { return aclrtKernelArgsAppend(list_, nullptr, 8, &parameter); }},
      {"aclrtKernelArgsAppend", 100000, "paramSize is 0",
       [&] { return aclrtKernelArgsAppend(list_, &number_, 0, &parameter); }},
      {"aclrtKernelArgsAppend", 100000, "paramHandle",
       [&] { return aclrtKernelArgsAppend(list_, &number_, 8, nullptr); }},
      {"aclrtKernelArgsAppendPlaceHolder", 100000, "argsHandle",
       [&] { return aclrtKernelArgsAppendPlaceHolder(nullptr, &parameter); }},
      {"aclrtKernelArgsAppendPlaceHolder", 100000, "paramHandle",
       [&] { return aclrtKernelArgsAppendPlaceHolder(list_, nullptr); }},
      {"aclrtKernelArgsGetPlaceHolderBuffer", 100000, "argsHandle",
       [&] { return aclrtKernelArgsGetPlaceHolderBuffer(nullptr, placeholder_, 8, &data); }},
      {"aclrtKernelArgsGetPlaceHolderBuffer", 100000, "paramHandle",
       [&] { return aclrtKernelArgsGetPlaceHolderBuffer(list_, nullptr, 8, &data); }},
      {"aclrtKernelArgsGetPlaceHolderBuffer", 100000, "dataSize is 0",
       [&] { return aclrtKernelArgsGetPlaceHolderBuffer(list_, placeholder_, 0, &data); }},
      {"aclrtKernelArgsGetPlaceHolderBuffer", 100000, "bufferAddr",
       [&] { return aclrtKernelArgsGetPlaceHolderBuffer(list_, placeholder_, 8, nullptr); }},
      {"aclrtKernelArgsParaUpdate", 100000, "argsHandle",
       [&] { return aclrtKernelArgsParaUpdate(nullptr, ordinary_, &number_, 8); }},
      {"aclrtKernelArgsParaUpdate", 100000, "paramHandle",
       [&] { return aclrtKernelArgsParaUpdate(list_, nullptr, &number_, 8); }},
      {"aclrtKernelArgsParaUpdate", 100000, "param",
       [&] { return aclrtKernelArgsParaUpdate(list_, ordinary_, nullptr, 8); }},
      {"aclrtKernelArgsParaUpdate", 100000, "paramSize is 0",
       [&] { return aclrtKernelArgsParaUpdate(list_, ordinary_, &number_, 0); }},
      {"aclrtKernelArgsFinalize", 100000, "argsHandle", [] { return aclrtKernelArgsFinalize(nullptr); }},
  });
}

TEST_F(ErrorsOfKernels, G3_WrongInLists) {
  aclrtParamHandle parameter = nullptr;
  void* data = nullptr;
  std::vector<std::byte> large(64 * 1024 + 1);
  check_failures({
      {"aclrtKernelArgsAppend", 107017, "argsHandle",
       [&] { return aclrtKernelArgsAppend(invented(), &number_, 8, &parameter); }},
      {"aclrtKernelArgsAppend", 107000, "65537 bytes",
       [&] { return aclrtKernelArgsAppend(list_, large.data(), large.size(), &parameter); }},
      {"aclrtKernelArgsAppendPlaceHolder", 107017, "argsHandle",
       [&] { return aclrtKernelArgsAppendPlaceHolder(invented(), &parameter); }},
      {"aclrtKernelArgsGetPlaceHolderBuffer", 107017, "argsHandle",
       [&] { return aclrtKernelArgsGetPlaceHolderBuffer(invented(), placeholder_, 8, &data); }},
      {"aclrtKernelArgsGetPlaceHolderBuffer", 107017, "paramHandle",
       [&] { return aclrtKernelArgsGetPlaceHolderBuffer(list_, invented(), 8, &data); }},
      {"aclrtKernelArgsGetPlaceHolderBuffer", 107000, "paramHandle",
       [&] { return aclrtKernelArgsGetPlaceHolderBuffer(list_, ordinary_, 8, &data); }},
      {"aclrtKernelArgsGetPlaceHolderBuffer", 107000, "65537 bytes",
       [&] { return aclrtKernelArgsGetPlaceHolderBuffer(list_, placeholder_, large.size(), &data); }},
      {"aclrtKernelArgsParaUpdate", 107017, "argsHandle",
       [&] { return aclrtKernelArgsParaUpdate(invented(), ordinary_, &number_, 8); }},
      {"aclrtKernelArgsParaUpdate", 107017, "paramHandle",
       [&] { return aclrtKernelArgsParaUpdate(list_, invented(), &number_, 8); }},
      {"aclrtKernelArgsParaUpdate", 107000, "paramSize is 4",
       [&] { return aclrtKernelArgsParaUpdate(list_, ordinary_, &number_, 4); }},
      {"aclrtKernelArgsParaUpdate", 107000, "paramHandle",
       [&] { return aclrtKernelArgsParaUpdate(list_, placeholder_, &number_, 8); }},
      {"aclrtKernelArgsFinalize", 107017, "argsHandle", [] { return aclrtKernelArgsFinalize(invented()); }},
  });
  for (int i = 2; i < 128; ++i) {
    ASSERT_EQ(aclrtKernelArgsAppend(list_, &number_, 8, &parameter), ACL_SUCCESS) << i;
  }
  check_failure({"aclrtKernelArgsAppend", 107000, "128",
                 [&] { return aclrtKernelArgsAppend(list_, &number_, 8, &parameter); }});
  ASSERT_EQ(aclrtKernelArgsFinalize(list_), ACL_SUCCESS);
  check_failures({
      {"aclrtKernelArgsAppend", 207000, "aclrtKernelArgsFinalize",
       [&] { return aclrtKernelArgsAppend(list_, &number_, 8, &parameter); }},
      {"aclrtKernelArgsAppendPlaceHolder", 207000, "aclrtKernelArgsFinalize",
       [&] { return aclrtKernelArgsAppendPlaceHolder(list_, &parameter); }},
  });
}

TEST_F(ErrorsOfKernels, G3_Launches) {
  aclrtLaunchKernelCfg empty{nullptr, 1};
  std::array<aclrtLaunchKernelAttr, 2> attributes{};
  attributes[0].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
  attributes[1].id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
  aclrtLaunchKernelCfg both{attributes.data(), 2};
  aclrtLaunchKernelAttr mode{};
  mode.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE;
  mode.value.schemMode = 3;
  aclrtLaunchKernelCfg beyond{&mode, 1};
  check_failures({
      {"aclrtLaunchKernel", 100000, "funcHandle",
       [&] { return aclrtLaunchKernel(nullptr, 1, &number_, 8, s1_); }},
      {"aclrtLaunchKernel", 100000, "argsData",
       [&] { return aclrtLaunchKernel(function_, 1, nullptr, 8, s1_); }},
      {"aclrtLaunchKernel", 107000, "numBlocks is 0",
       [&] { return aclrtLaunchKernel(function_, 0, &number_, 8, s1_); }},
      {"aclrtLaunchKernel", 107017, "funcHandle",
       [&] { return aclrtLaunchKernel(dead_function_, 1, &number_, 8, s1_); }},
      {"aclrtLaunchKernel", 107017, "stream",
       [&] { return aclrtLaunchKernel(function_, 1, &number_, 8, dead_stream_); }},
      {"aclrtLaunchKernelV2", 100000, "funcHandle", [&] { return launch(nullptr, 1, s1_); }},
      {"aclrtLaunchKernelV2", 100000, "argsData",
       [&] { return aclrtLaunchKernelV2(function_, 1, nullptr, 8, nullptr, s1_); }},
      {"aclrtLaunchKernelV2", 107000, "numBlocks is 0", [&] { return launch(function_, 0, s1_); }},
      {"aclrtLaunchKernelV2", 107017, "funcHandle", [&] { return launch(dead_function_, 1, s1_); }},
      {"aclrtLaunchKernelV2", 107017, "stream", [&] { return launch(function_, 1, dead_stream_); }},
      {"aclrtLaunchKernelV2", 107000, "cfg", [&] { return launch(function_, 1, s1_, &empty); }},
      {"aclrtLaunchKernelV2", 107000, "TIMEOUT_US", [&] { return launch(function_, 1, s1_, &both); }},
      {"aclrtLaunchKernelV2", 107000, "schemMode 3", [&] { return launch(function_, 1, s1_, &beyond); }},
  });
}

TEST_F(ErrorsOfKernels, G3_LaunchesWithLists) {
  aclrtLaunchKernelCfg empty{nullptr, 1};
  const auto launch_all = [this](aclrtFuncHandle function, void* reserve) {
    return aclrtLaunchKernelWithConfig(function, 1, s1_, nullptr, list_, reserve);
  };
  check_failure(
      {"aclrtLaunchKernelWithConfig", 107000, "not finalized", [&] { return launch_list(list_, 1, s1_); }});
  ASSERT_EQ(aclrtKernelArgsFinalize(list_), ACL_SUCCESS);
  check_failures({
      {"aclrtLaunchKernelWithConfig", 100000, "funcHandle", [&] { return launch_all(nullptr, nullptr); }},
      {"aclrtLaunchKernelWithConfig", 100000, "argsHandle", [&] { return launch_list(nullptr, 1, s1_); }},
      {"aclrtLaunchKernelWithConfig", 100000, "numBlocks is 0", [&] { return launch_list(list_, 0, s1_); }},
      {"aclrtLaunchKernelWithConfig", 100000, "reserve", [&] { return launch_all(function_, &number_); }},
      {"aclrtLaunchKernelWithConfig", 107017, "funcHandle",
       [&] { return launch_all(dead_function_, nullptr); }},
      {"aclrtLaunchKernelWithConfig", 107017, "argsHandle", [&] { return launch_list(invented(), 1, s1_); }},
      {"aclrtLaunchKernelWithConfig", 107017, "stream", [&] { return launch_list(list_, 1, dead_stream_); }},
      {"aclrtLaunchKernelWithConfig", 107000, "cfg", [&] { return launch_list(list_, 1, s1_, &empty); }},
  });
  ASSERT_EQ(aclrtKernelArgsParaUpdate(list_, ordinary_, &number_, 8), ACL_SUCCESS);
  check_failure(
      {"aclrtLaunchKernelWithConfig", 107000, "not finalized", [&] { return launch_list(list_, 1, s1_); }});
}

TEST_F(ErrorsOfKernels, G3_WithoutOrInAnotherContext) {
  aclrtContext home = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&home), ACL_SUCCESS);
  ASSERT_EQ(aclrtKernelArgsFinalize(list_), ACL_SUCCESS);
  aclrtContext other = nullptr;
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  check_failures({
      {"aclrtLaunchKernel", 107003, "stream",
       [&] { return aclrtLaunchKernel(function_, 1, &number_, 8, s1_); }},
      {"aclrtLaunchKernelV2", 107003, "stream", [&] { return launch(function_, 1, s1_); }},
      {"aclrtLaunchKernelWithConfig", 107003, "stream", [&] { return launch_list(list_, 1, s1_); }},
  });
  ASSERT_EQ(aclrtSetCurrentContext(home), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  std::thread([this] {
    aclrtFuncHandle function = nullptr;
    check_failures({
        {"aclrtBinaryGetFunction", 107002, "context",
         [&] { return aclrtBinaryGetFunction(library_, "count_blocks", &function); }},
        {"aclrtKernelArgsFinalize", 107002, "context", [this] { return aclrtKernelArgsFinalize(list_); }},
        {"aclrtLaunchKernel", 107002, "context",
         [this] { return aclrtLaunchKernel(function_, 1, &number_, 8, nullptr); }},
        {"aclrtLaunchKernelV2", 107002, "context", [this] { return launch(function_, 1, nullptr); }},
        {"aclrtLaunchKernelWithConfig", 107002, "context", [this] { return launch_list(list_, 1, nullptr); }},
    });
  }).join();
}

}  // namespace
