// Where kernels come from: files that are loaded, and functions that the program registers.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "acl/soma_kernel.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/function_handles.hpp"
#include "api/acl/kernel_arguments.hpp"

namespace soma::acl {
namespace {

[[noreturn]] void refuse_option(const char* name, std::int64_t value, const char* rule) {
  refuse(ACL_ERROR_RT_PARAM_INVALID,
         std::string("options: ") + name + " is " + std::to_string(value) + ": " + rule);
}

void check_option(const aclrtBinaryLoadOption& option) {
  switch (number_of(option.type)) {
  case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
    if (option.value.isLazyLoad > 1)
      refuse_option("isLazyLoad", option.value.isLazyLoad, "it must be 0 or 1");
    return;
  case ACL_RT_BINARY_LOAD_OPT_MAGIC:
    if (option.value.magic != ACL_RT_BINARY_MAGIC_ELF_AICORE &&
        option.value.magic != ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE &&
        option.value.magic != ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE)
      refuse_option("magic", option.value.magic, "it must be one of the ACL_RT_BINARY_MAGIC values");
    return;
  case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
    if (option.value.cpuKernelMode != 0 && option.value.cpuKernelMode != 1)
      refuse_option("cpuKernelMode", option.value.cpuKernelMode, "it must be 0 or 1 for a file");
    return;
  default:
    refuse_option("type", number_of(option.type), "it must be from 1 to 3");
  }
}

void check_options(const aclrtBinaryLoadOptions* options) {
  if (options == nullptr)
    return;
  if (options->options == nullptr && options->numOpt != 0)
    refuse_option("numOpt", static_cast<std::int64_t>(options->numOpt), "but the array of options is NULL");
  std::for_each(options->options, options->options + options->numOpt, check_option);
}

[[noreturn]] void refuse_binary(const void* handle) {
  refuse(ACL_ERROR_RT_INVALID_HANDLE,
         "binHandle " + to_text(handle) +
             " is not a loaded file: it was unloaded or never was one; pass a handle "
             "from aclrtBinaryLoadFromFile");
}

void* known_or_new(void*& known, const soma::kernel& kernel) {
  if (known == nullptr) {
    known = functions().insert(std::make_shared<function>(function{kernel}));
    remember_function(kernel.function(), known);
  }
  return known;
}

/// The handle of a file's function; the same name gives the same handle.
void* function_of(binary& from, const void* handle, const std::string& name) {
  const soma::kernel found = value_of(from.library.find(name));
  const std::lock_guard guard{from.lock};
  if (from.unloaded)
    refuse_binary(handle);
  return known_or_new(from.functions[name], found);
}

/// The handles of registered kernels, by name. They last as long as the process.
struct registered_functions {
  std::mutex lock;
  std::map<std::string, void*> by_name;
};

void* handle_of_registered(const soma::kernel& kernel) {
  static auto& all = *new registered_functions;
  const std::lock_guard guard{all.lock};
  return known_or_new(all.by_name[kernel.name()], kernel);
}

}  // namespace

function_table::pinned function_argument(const void* handle) {
  auto found = functions().find(handle);
  if (!found)
    refuse(ACL_ERROR_RT_INVALID_HANDLE,
           "funcHandle " + to_text(handle) +
               " is not a live function: its file was unloaded or it never was one; get "
               "it from aclrtBinaryGetFunction or somaKernelRegister");
  return found;
}

}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions* options,
                                 aclrtBinHandle* binHandle) {
  return call("aclrtBinaryLoadFromFile", [&] {
    require_not_null(binPath, "binPath");
    require_not_null(binHandle, "binHandle");
    check_options(options);
    auto library = value_of(soma::kernel_library::load(binPath));
    *binHandle = binaries().insert(std::make_shared<binary>(std::move(library)));
  });
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  return call("aclrtBinaryUnLoad", [&] {
    require_not_null(binHandle, "binHandle");
    const auto unloaded = binaries().take(binHandle);
    if (unloaded == nullptr)
      refuse_binary(binHandle);
    std::map<std::string, void*> its_functions;
    {
      const std::lock_guard guard{unloaded->lock};
      unloaded->unloaded = true;
      its_functions.swap(unloaded->functions);
    }
    for (const auto& [name, handle] : its_functions)
      functions().take(handle);
  });
}

aclError aclrtBinaryGetFunction(aclrtBinHandle binHandle, const char* kernelName,
                                aclrtFuncHandle* funcHandle) {
  if (funcHandle != nullptr)
    *funcHandle = nullptr;
  return call("aclrtBinaryGetFunction", [&] {
    require_not_null(binHandle, "binHandle");
    require_not_null(kernelName, "kernelName");
    require_not_null(funcHandle, "funcHandle");
    const auto from = binaries().find(binHandle);
    if (!from)
      refuse_binary(binHandle);
    current_context();  // refuses if there is none
    *funcHandle = function_of(*from, binHandle, kernelName);
  });
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char* name) {
  return call("aclrtGetFunctionName", [&] {
    require_not_null(funcHandle, "funcHandle");
    require_not_null(name, "name");
    const auto found = function_argument(funcHandle);
    const std::string& text = found->kernel.name();
    if (maxLen < text.size() + 1)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "maxLen is " + std::to_string(maxLen) +
                                             ", but the name with its end needs " +
                                             std::to_string(text.size() + 1) + " bytes");
    std::memcpy(name, text.c_str(), text.size() + 1);
  });
}

aclError somaKernelRegister(const char* name, somaKernel kernel, aclrtFuncHandle* function) {
  if (function != nullptr)
    *function = nullptr;
  return call("somaKernelRegister", [&] {
    require_not_null(name, "name");
    if (kernel == nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "kernel is NULL: pass a function");
    require_not_null(function, "function");
    *function = handle_of_registered(value_of(soma::kernel::enter(name, kernel)));
  });
}

aclError somaKernelFind(const char* name, aclrtFuncHandle* function) {
  if (function != nullptr)
    *function = nullptr;
  return call("somaKernelFind", [&] {
    require_not_null(name, "name");
    require_not_null(function, "function");
    *function = handle_of_registered(value_of(soma::kernel::find(name)));
  });
}
