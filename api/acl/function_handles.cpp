#include "api/acl/function_handles.hpp"

#include <mutex>
#include <unordered_map>

#include "api/acl/objects.hpp"

namespace soma::acl {
namespace {

struct known_handles {
  std::mutex lock;
  std::unordered_map<soma::kernel_function, void*> of;
};

known_handles& known() {
  static auto& only = *new known_handles;
  return only;
}

}  // namespace

void remember_function(soma::kernel_function function, void* handle) {
  const std::lock_guard guard{known().lock};
  known().of[function] = handle;
}

void* handle_of_function(soma::kernel_function function) {
  void* handle = nullptr;
  {
    const std::lock_guard guard{known().lock};
    const auto found = known().of.find(function);
    handle = found == known().of.end() ? nullptr : found->second;
  }
  return functions().find(handle) ? handle : nullptr;
}

}  // namespace soma::acl
