// The list of arguments that a program puts together for a launch.
//
// A list's handle is its address: the thread's own list, or memory of the program. Lists that were started
// are entered in a register, and an address is used only if it is found there.
//
// The buffer has the arguments first, each at a multiple of 8, then the data behind placeholders. A
// placeholder's slot is filled in at the launch, with the address of its data in the task's own copy of the
// buffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/acl/objects.hpp"
#include "soma/stream.hpp"

namespace soma::acl {

class argument_list {
public:
  static constexpr std::size_t parameter_limit = 128;
  static constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
  static constexpr std::size_t alignment = 8;

  argument_list(std::byte* buffer, std::size_t bytes) noexcept;

  /// Adds an argument, or with `value` null a placeholder, and gives its handle.
  void* append(const void* value, std::size_t bytes);

  /// Gives a placeholder this many bytes of data, and their address.
  void* placeholder_data(const void* parameter, std::size_t bytes);

  void update(const void* parameter, const void* value, std::size_t bytes);

  void finalize() noexcept;

  /// A copy of the buffer for one task.
  [[nodiscard]] soma::launch_arguments for_task() const;

private:
  static constexpr std::size_t no_data = ~std::size_t{0};

  struct parameter {
    std::uint32_t offset;
    std::uint32_t bytes;
    std::size_t data_offset;  // of a placeholder; no_data before it has any
    bool is_placeholder;
  };

  /// The parameter of this handle; 107017 if it is not of this list as it is now.
  parameter& parameter_argument(const void* handle);

  /// Takes the next bytes of the buffer, from a multiple of 8 on; 107000 if they are not there.
  std::size_t take(std::size_t bytes);

  std::byte* buffer_;
  std::size_t room_;
  std::size_t used_ = 0;
  std::uint32_t id_;  // tells the parameters of this list from those of earlier ones
  std::uint32_t count_ = 0;
  bool closed_ = false;
  bool finalized_ = false;
  parameter parameters_[parameter_limit] = {};
};

/// The list of this handle; 107017 if there is none.
argument_list& argument_list_argument(void* handle);

/// The function of this handle; 107017 if it is not alive. (It is in kernel.cpp.)
function_table::pinned function_argument(const void* handle);

}  // namespace soma::acl
