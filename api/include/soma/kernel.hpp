// Kernels: host functions that the device's engines run, once for each block index.
//
// A kernel is found by name in a shared library or in the register of this process, or made straight from a
// function. Kernel objects are small values: copies refer to the same function and keep its library loaded.
// All calls may be made from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "soma/error.hpp"
#include "soma/export.hpp"

namespace soma {

/// What a kernel looks like. It is called for block = 0 .. blocks - 1 on a thread of the device. Anything but
/// 0 makes the task fail, as does an exception that leaves it or a fatal signal (SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL, SIGTRAP) that it raises; after a signal, what the kernel held (memory, locks) is lost.
using kernel_function = int (*)(const void* arguments, std::size_t argument_bytes, std::uint32_t block,
                                std::uint32_t blocks);

/// A kernel: a function and its name. Copies stand for the same one.
class SOMA_API kernel {
public:
  /// A kernel from a function of this program. `name` is for messages only.
  /// Precondition: function is not null (launching a kernel without a function is invalid_argument).
  static kernel from_function(kernel_function function, std::string name = "unnamed");

  /// Enters a kernel into the process's register under `name`, or finds it there if the same function was
  /// entered before. Errors: invalid_argument (empty name, null function, or name taken by another function).
  static expected<kernel> enter(std::string name, kernel_function function);

  /// The kernel of this name in the process's register. Errors: kernel_not_found.
  static expected<kernel> find(std::string_view name);

  /// What from_function or enter were given.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] kernel_function function() const noexcept { return function_; }

  /// Whatever must stay loaded while the function may run; null if nothing must.
  [[nodiscard]] const std::shared_ptr<void>& library() const noexcept { return library_; }

private:
  friend class kernel_library;
  kernel(std::string name, kernel_function function, std::shared_ptr<void> library);

  std::string name_;
  kernel_function function_;
  std::shared_ptr<void> library_;
};

/// A shared library (.so) with kernels as plain functions (extern "C"). It stays loaded as long as the
/// object, one of its kernels, or a task that was launched with one of them exists.
class SOMA_API kernel_library {
public:
  /// Errors: file_not_readable, with the loader's reason.
  static expected<kernel_library> load(const std::string& path);

  /// Errors: kernel_not_found.
  [[nodiscard]] expected<kernel> find(const std::string& name) const;

private:
  explicit kernel_library(std::shared_ptr<void> library, std::string path);

  std::shared_ptr<void> library_;
  std::string path_;
};

}  // namespace soma
