#include "api/cpp/classic_pools.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "memory/buffer_reuser.hpp"
#include "memory/fixed_size_pool.hpp"
#include "memory/variable_size_pool.hpp"

namespace soma {

namespace {

constexpr std::size_t unit_bytes = 64;

}  // namespace

// -- what all have ------------------------------------------------------------------------------------------

memory_pool::memory_pool(std::shared_ptr<detail::classic_pool_end> end) noexcept : end_(std::move(end)) {}
memory_pool::memory_pool(memory_pool&&) noexcept = default;

memory_pool& memory_pool::operator=(memory_pool&& other) noexcept {
  if (this != &other) {
    static_cast<void>(destroy());
    end_ = std::move(other.end_);
  }
  return *this;
}

memory_pool::~memory_pool() { static_cast<void>(destroy()); }

expected<void> memory_pool::destroy() {
  if (end_ == nullptr || !end_->destroy()) {
    return detail::fail("memory_pool::destroy", errc::invalid_handle,
                        "the pool was destroyed, or the object was moved from");
  }
  return {};
}

expected<void*> memory_pool::allocate(std::size_t bytes) {
  return detail::allocate("memory_pool::allocate", end_, bytes);
}

expected<void> memory_pool::free(void* address) { return detail::free("memory_pool::free", end_, address); }

expected<classic_statistics> memory_pool::statistics() const {
  return detail::ask_classic<messages::classic_pool_figures>("memory_pool::statistics", end_,
                                                             messages::read_classic_figures{})
      .map([](const messages::classic_pool_figures& figures) { return detail::statistics_of(figures.all); });
}

bool memory_pool::owns(const void* address) const noexcept {
  return end_ != nullptr && end_->memory.contains(detail::to_address(address));
}

void* memory_pool::base() const noexcept {
  return end_ == nullptr ? nullptr : detail::to_pointer(end_->memory.begin);
}

std::size_t memory_pool::bytes() const noexcept { return end_ == nullptr ? 0 : end_->memory.bytes; }

// -- fixed size ---------------------------------------------------------------------------------------------

fixed_size_pool::fixed_size_pool(std::shared_ptr<detail::classic_pool_end> end,
                                 std::size_t block_bytes) noexcept
    : memory_pool(std::move(end)), block_bytes_(block_bytes) {}

expected<fixed_size_pool> fixed_size_pool::create(device& on, std::size_t pool_bytes, std::size_t block_bytes,
                                                  pool_memory memory) {
  constexpr auto call = "fixed_size_pool::create";
  if (block_bytes == 0 || pool_bytes < block_bytes) {
    return detail::fail(call, errc::invalid_argument,
                        "a pool of " + std::to_string(pool_bytes) + " bytes with blocks of " +
                            std::to_string(block_bytes) + " bytes; it must have room for one block at least");
  }
  auto end = detail::classic_pool_end::create(call, on, pool_bytes, memory, [&](memory::range whole) {
    return std::make_unique<memory::fixed_size_pool>(whole, block_bytes);
  });
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return fixed_size_pool(std::move(*end), block_bytes);
}

// -- variable size ------------------------------------------------------------------------------------------

namespace {

expected<std::shared_ptr<detail::classic_pool_end>>
make_variable(std::string_view call, device& on, std::size_t pool_bytes, pool_memory memory,
              const detail::classic_pool_end::maker& make) {
  if (pool_bytes < unit_bytes) {
    return detail::fail(call, errc::invalid_argument,
                        "a pool of " + std::to_string(pool_bytes) + " bytes; it must have 64 bytes at least");
  }
  return detail::classic_pool_end::create(call, on, pool_bytes, memory, make);
}

}  // namespace

expected<variable_size_pool> variable_size_pool::create(device& on, std::size_t pool_bytes,
                                                        pool_memory memory) {
  auto end = make_variable("variable_size_pool::create", on, pool_bytes, memory, [](memory::range whole) {
    return std::make_unique<memory::variable_size_pool>(whole, unit_bytes);
  });
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return variable_size_pool(std::move(*end));
}

// -- a choice of pools --------------------------------------------------------------------------------------

fast_allocator::fast_allocator(std::vector<fixed_size_pool> pools, std::optional<variable_size_pool> last)
    : pools_(std::move(pools)), last_(std::move(last)) {
  std::stable_sort(pools_.begin(), pools_.end(),
                   [](const fixed_size_pool& one, const fixed_size_pool& other) {
                     return one.block_bytes() < other.block_bytes();
                   });
}

expected<void*> fast_allocator::allocate(std::size_t bytes) {
  constexpr auto call = "fast_allocator::allocate";
  std::optional<error> refused;
  auto first = std::lower_bound(
      pools_.begin(), pools_.end(), bytes,
      [](const fixed_size_pool& pool, std::size_t asked) { return pool.block_bytes() < asked; });
  for (; bytes > 0 && first != pools_.end(); ++first) {
    auto block = first->allocate(bytes);
    if (block || block.error().code != errc::out_of_memory) {
      return block;
    }
    refused = std::move(block.error());
  }
  if (last_) {
    return last_->allocate(bytes);
  }
  if (refused) {
    return tl::unexpected(std::move(*refused));
  }
  return detail::fail(call, errc::invalid_argument,
                      std::to_string(bytes) +
                          " bytes were asked for; the largest blocks of these pools have " +
                          std::to_string(pools_.empty() ? 0 : pools_.back().block_bytes()) + " bytes");
}

expected<void> fast_allocator::free(void* address) {
  for (auto& pool : pools_) {
    if (pool.owns(address)) {
      return pool.free(address);
    }
  }
  if (last_ && last_->owns(address)) {
    return last_->free(address);
  }
  return detail::fail("fast_allocator::free", errc::unknown_address, "the address is in none of these pools");
}

// -- buffers ------------------------------------------------------------------------------------------------

expected<buffer_reuser> buffer_reuser::create(device& on, std::size_t pool_bytes, pool_memory memory) {
  auto end = make_variable("buffer_reuser::create", on, pool_bytes, memory, [](memory::range whole) {
    return std::make_unique<memory::buffer_reuser>(
        std::make_unique<memory::variable_size_pool>(whole, unit_bytes));
  });
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return buffer_reuser(std::move(*end));
}

expected<shared_buffer> buffer_reuser::acquire(std::size_t bytes) {
  return detail::allocate("buffer_reuser::acquire", end_, bytes).map([&](void* data) {
    return shared_buffer(end_, data, bytes);
  });
}

shared_buffer::shared_buffer(std::shared_ptr<detail::classic_pool_end> end, void* data,
                             std::size_t bytes) noexcept
    : end_(std::move(end)), data_(data), bytes_(bytes) {}

// A user more or less is told, not asked: any thread may copy and drop buffers, an engine's too. What is told
// last is handled last.
shared_buffer::shared_buffer(const shared_buffer& other)
    : end_(other.end_), data_(other.data_), bytes_(other.bytes_) {
  if (data_ != nullptr && !end_->destroyed.load(std::memory_order_acquire)) {
    actors::tell(end_->device->runtime.caller(), end_->actor,
                 messages::retain_block{detail::to_address(data_), {}});
  }
}

shared_buffer::shared_buffer(shared_buffer&& other) noexcept
    : end_(std::move(other.end_)), data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

shared_buffer& shared_buffer::operator=(shared_buffer other) noexcept {
  std::swap(end_, other.end_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

shared_buffer::~shared_buffer() {
  if (data_ != nullptr && !end_->destroyed.load(std::memory_order_acquire)) {
    actors::tell(end_->device->runtime.caller(), end_->actor,
                 messages::free_block{detail::to_address(data_), {}});
  }
}

}  // namespace soma
