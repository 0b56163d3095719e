// The calls that have to do with kernels, host functions and the library as a whole.

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "c_session.hpp"

namespace fuzz {

namespace {

constexpr std::array kernel_names{"fuzz_ok", "fuzz_fails", "fuzz_throws", "fuzz_raises", "fuzz_reads", ""};

int run_ok(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
           std::uint32_t /*blocks*/) {
  return 0;
}

int fail(const void* /*arguments*/, std::size_t bytes, std::uint32_t block, std::uint32_t /*blocks*/) {
  return static_cast<int>(bytes + block) + 1;
}

int raise_signal(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
                 std::uint32_t /*blocks*/) {
  return std::raise(SIGFPE);
}

[[noreturn]] int throw_something(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
                                 std::uint32_t /*blocks*/) {
  throw std::runtime_error("thrown by a kernel");
}

/// Reads all of its arguments.
int read_all(const void* arguments, std::size_t bytes, std::uint32_t /*block*/, std::uint32_t /*blocks*/) {
  const auto* first = static_cast<const unsigned char*>(arguments);
  unsigned sum = 0;
  for (std::size_t at = 0; at < bytes; ++at) {
    sum += first[at];
  }
  return sum == ~0U ? 1 : 0;
}

constexpr std::array<somaKernel, 5> kernels{run_ok, fail, throw_something, raise_signal, read_all};

/// Calls that the library has to refuse on a thread of the device.
void call_back(void* /*arguments*/) {
  void* block = nullptr;
  static_cast<void>(aclrtMalloc(&block, 1, ACL_MEM_MALLOC_HUGE_FIRST));
  static_cast<void>(aclrtSynchronizeDevice());
  static_cast<void>(aclFinalize());
}

void do_nothing(void* /*arguments*/) {}

void throw_nothing_useful(void* /*arguments*/) { throw 1; }

std::array<std::byte, std::size_t{64} << 10> argument_bytes;
alignas(64) std::array<std::byte, std::size_t{16} << 10> list_memory;
std::array<std::byte, std::size_t{4} << 10> list_buffer;

}  // namespace

void session::call_host_function() {
  constexpr std::array functions{aclrtHostFunc{nullptr}, aclrtHostFunc{do_nothing}, aclrtHostFunc{call_back},
                                 aclrtHostFunc{throw_nothing_useful}};
  const auto function = functions.at(input_.below(functions.size()));
  checked(aclrtLaunchHostFunc(handle(kind::stream), function, nullptr));
}

void session::call_kernel() {
  void* function = handle(kind::function);
  const auto blocks = static_cast<std::uint32_t>(input_.below(5));
  aclrtLaunchKernelAttr attribute{};
  attribute.id = static_cast<aclrtLaunchKernelAttrId>(input_.below(8));
  attribute.value.schemMode = input_.byte();
  aclrtLaunchKernelCfg config{input_.below(8) == 0 ? nullptr : &attribute, 1};
  aclrtLaunchKernelCfg* optional = input_.below(2) == 0 ? nullptr : &config;
  const std::size_t bytes = input_.take<std::uint16_t>();
  const void* data = input_.below(8) == 0 ? nullptr : argument_bytes.data();
  switch (input_.below(3)) {
  case 0:
    checked(aclrtLaunchKernel(function, blocks, data, bytes, handle(kind::stream)));
    break;
  case 1:
    checked(aclrtLaunchKernelV2(function, blocks, data, bytes, optional, handle(kind::stream)));
    break;
  default:
    checked(aclrtLaunchKernelWithConfig(function, blocks, handle(kind::stream), optional, handle(kind::list),
                                        input_.below(16) == 0 ? argument_bytes.data() : nullptr));
  }
}

void session::call_arguments() {
  const std::size_t bytes = input_.below(8) == 0 ? input_.size() : input_.below(64);
  std::size_t needed = 0;
  void* made = nullptr;
  switch (input_.below(9)) {
  case 0:
    if (checked(aclrtKernelArgsInit(handle(kind::function), &made)) == ACL_SUCCESS) {
      slot(kind::list) = made;
    }
    break;
  case 1:
    if (checked(aclrtKernelArgsInitByUserMem(handle(kind::function), list_memory.data(), list_buffer.data(),
                                             std::min(bytes, list_buffer.size()))) == ACL_SUCCESS) {
      slot(kind::list) = list_memory.data();
    }
    break;
  case 2:
    checked(aclrtKernelArgsGetHandleMemSize(handle(kind::function), &needed));
    break;
  case 3:
    checked(aclrtKernelArgsGetMemSize(handle(kind::function), bytes, &needed));
    break;
  case 4:
  case 5:
    if (checked(aclrtKernelArgsAppend(handle(kind::list), argument_bytes.data(), bytes, &made)) ==
        ACL_SUCCESS) {
      slot(kind::parameter) = made;
    }
    break;
  case 6:
    if (checked(aclrtKernelArgsAppendPlaceHolder(handle(kind::list), &made)) == ACL_SUCCESS) {
      slot(kind::parameter) = made;
    }
    break;
  case 7:
    if (checked(aclrtKernelArgsGetPlaceHolderBuffer(handle(kind::list), handle(kind::parameter), bytes,
                                                    &made)) == ACL_SUCCESS) {
      std::memset(made, 1, bytes);
    }
    break;
  default:
    if (input_.below(2) == 0) {
      checked(aclrtKernelArgsFinalize(handle(kind::list)));
    } else {
      checked(aclrtKernelArgsParaUpdate(handle(kind::list), handle(kind::parameter), argument_bytes.data(),
                                        bytes));
    }
  }
}

void session::call_library() {
  void* made = nullptr;
  std::array<char, 64> name{};
  const auto which = input_.below(kernel_names.size());
  switch (input_.below(6)) {
  case 0:
    if (checked(somaKernelRegister(kernel_names.at(which),
                                   which < kernels.size() ? kernels.at(which) : nullptr, &made)) ==
        ACL_SUCCESS) {
      slot(kind::function) = made;
    }
    break;
  case 1:
    if (checked(somaKernelFind(kernel_names.at(which), &made)) == ACL_SUCCESS) {
      slot(kind::function) = made;
    }
    break;
  case 2:
    checked(aclrtGetFunctionName(handle(kind::function),
                                 static_cast<std::uint32_t>(input_.below(name.size() + 1)), name.data()));
    break;
  case 3:
    if (binaries_.size() < 4 && checked(aclrtBinaryLoadFromFile(which == 0 ? "/nowhere" : TEST_KERNELS_PATH,
                                                                nullptr, &made)) == ACL_SUCCESS) {
      binaries_.push_back(made);
      slot(kind::binary) = made;
    }
    break;
  case 4:
    checked(aclrtBinaryUnLoad(handle(kind::binary)));
    break;
  default:
    // Kernels of the library that do not follow pointers in their arguments.
    constexpr std::array names{"fail_with_code", "throw_exception", "no_such_kernel"};
    if (checked(aclrtBinaryGetFunction(handle(kind::binary), names.at(input_.below(names.size())), &made)) ==
        ACL_SUCCESS) {
      slot(kind::function) = made;
    }
  }
}

void session::call_errors() {
  std::uint64_t users = 0;
  std::int32_t version[3] = {};
  switch (input_.below(8)) {
  case 0:
    checked(aclInit(nullptr));
    break;
  case 1:
    checked(aclFinalizeReference(&users));
    break;
  case 2:
    checked(aclFinalize());
    break;
  case 3:
    static_cast<void>(aclrtGetLastError(static_cast<aclrtLastErrLevel>(input_.below(2))));
    break;
  case 4:
    static_cast<void>(aclrtPeekAtLastError(static_cast<aclrtLastErrLevel>(input_.below(2))));
    break;
  case 5:
    checked(aclrtGetVersion(&version[0], &version[1], &version[2]));
    break;
  default:
    static_cast<void>(aclGetRecentErrMsg());
  }
}

}  // namespace fuzz
