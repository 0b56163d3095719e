#include "memory/buffer_reuser.hpp"

#include <utility>

#include "api/cpp/classic_pools.hpp"
#include "memory/variable_size_pool.hpp"

namespace soma {

expected<buffer_reuser> buffer_reuser::create(device& on, std::size_t pool_bytes, const memory_kind& kind) {
  constexpr auto call = "buffer_reuser::create";
  if (auto ok = detail::check_variable(call, pool_bytes); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto end = detail::classic_pool_end::create(call, on, pool_bytes, kind, [](memory::range whole) {
    return std::make_unique<memory::buffer_reuser>(
        std::make_unique<memory::variable_size_pool>(whole, detail::classic_unit_bytes));
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
