// Pools that were imported from other processes.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "api/acl/objects.hpp"

namespace soma::acl {

struct imported_pool {
  imported_pool(std::shared_ptr<machine> in, void* at, std::size_t room)
      : on(std::move(in)), begin(at), bytes(room) {}
  imported_pool(const imported_pool&) = delete;
  imported_pool& operator=(const imported_pool&) = delete;
  ~imported_pool();

  std::shared_ptr<machine> on;
  void* begin;
  std::size_t bytes;
};

using imported_pool_table = handle_table<imported_pool, 0xD1>;

/// Never destroyed, for calls that come late in the life of the process.
imported_pool_table& imported_pools();

}  // namespace soma::acl
