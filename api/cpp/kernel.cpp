#include "soma/kernel.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <utility>

#include "api/cpp/translate.hpp"

namespace soma {

namespace {

// The kernels that this process has entered by name. Never destroyed: a program's static objects may still
// launch kernels while it ends.
struct kernel_register {
  std::mutex mutex;
  std::map<std::string, kernel_function, std::less<>> functions;
};

kernel_register& process_register() {
  static auto* all = new kernel_register;
  return *all;
}

}  // namespace

kernel::kernel(std::string name, kernel_function entry, std::shared_ptr<void> library)
    : name_(std::move(name)), function_(entry), library_(std::move(library)) {}

kernel kernel::from_function(kernel_function function, std::string name) {
  return {std::move(name), function, nullptr};
}

expected<kernel> kernel::enter(std::string name, kernel_function function) {
  constexpr auto call = "kernel::enter";
  if (name.empty() || function == nullptr) {
    return detail::fail(call, errc::invalid_argument, "the name is empty or the function is null");
  }
  auto& all = process_register();
  const std::lock_guard lock(all.mutex);
  const auto [entry, is_new] = all.functions.emplace(name, function);
  if (!is_new && entry->second != function) {
    return detail::fail(call, errc::invalid_argument,
                        "the name '" + name + "' stands for another function already");
  }
  return kernel(std::move(name), function, nullptr);
}

expected<kernel> kernel::find(std::string_view name) {
  auto& all = process_register();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.functions.find(name);
  if (entry == all.functions.end()) {
    return detail::fail("kernel::find", errc::kernel_not_found,
                        "no kernel was entered under the name '" + std::string(name) + "'");
  }
  return kernel(entry->first, entry->second, nullptr);
}

kernel_library::kernel_library(std::shared_ptr<void> library, std::string path)
    : library_(std::move(library)), path_(std::move(path)) {}

expected<kernel_library> kernel_library::load(const std::string& path) {
  // With a slash, so that the loader takes the path as it is and does not search for it.
  const auto exact = path.find('/') == std::string::npos ? "./" + path : path;
  void* loaded = ::dlopen(exact.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    const char* reason = ::dlerror();
    return detail::fail("kernel_library::load", errc::file_not_readable,
                        "'" + path +
                            "' cannot be loaded: " + (reason != nullptr ? reason : "unknown reason"));
  }
  return kernel_library(std::shared_ptr<void>(loaded, [](void* library) { ::dlclose(library); }), path);
}

expected<kernel> kernel_library::find(const std::string& name) const {
  ::dlerror();
  void* symbol = ::dlsym(library_.get(), name.c_str());
  if (symbol == nullptr) {
    return detail::fail("kernel_library::find", errc::kernel_not_found,
                        "'" + path_ + "' has no function '" + name + "'");
  }
  return kernel(name, reinterpret_cast<kernel_function>(symbol), library_);
}

}  // namespace soma
