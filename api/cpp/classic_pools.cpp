#include "api/cpp/classic_pools.hpp"

#include <string>
#include <utility>

#include "memory/fixed_size_pool.hpp"
#include "memory/variable_size_pool.hpp"

namespace soma {

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

expected<memory_kind_report> memory_pool::kind() const {
  if (auto ok = detail::check("memory_pool::kind", end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return detail::report_of({end_->memory}, end_->kind, end_->kind_answer);
}

bool contiguous_pool::owns(const void* address) const noexcept {
  return end_ != nullptr && end_->memory.contains(detail::to_address(address));
}

void* contiguous_pool::base() const noexcept {
  return end_ == nullptr ? nullptr : detail::to_pointer(end_->memory.begin);
}

std::size_t contiguous_pool::bytes() const noexcept { return end_ == nullptr ? 0 : end_->memory.bytes; }

// -- fixed size ---------------------------------------------------------------------------------------------

fixed_size_pool::fixed_size_pool(std::shared_ptr<detail::classic_pool_end> end,
                                 std::size_t block_bytes) noexcept
    : contiguous_pool(std::move(end)), block_bytes_(block_bytes) {}

expected<fixed_size_pool> fixed_size_pool::create(device& on, std::size_t pool_bytes, std::size_t block_bytes,
                                                  const memory_kind& kind) {
  constexpr auto call = "fixed_size_pool::create";
  if (block_bytes == 0 || pool_bytes < block_bytes) {
    return detail::fail(call, errc::invalid_argument,
                        "a pool of " + std::to_string(pool_bytes) + " bytes with blocks of " +
                            std::to_string(block_bytes) + " bytes; it must have room for one block at least");
  }
  auto end = detail::classic_pool_end::create(call, on, pool_bytes, kind, [&](memory::range whole) {
    return std::make_unique<memory::fixed_size_pool>(whole, block_bytes);
  });
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return fixed_size_pool(std::move(*end), block_bytes);
}

// -- variable size ------------------------------------------------------------------------------------------

expected<variable_size_pool> variable_size_pool::create(device& on, std::size_t pool_bytes,
                                                        const memory_kind& kind) {
  constexpr auto call = "variable_size_pool::create";
  if (auto ok = detail::check_variable(call, pool_bytes); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto end = detail::classic_pool_end::create(call, on, pool_bytes, kind, [](memory::range whole) {
    return std::make_unique<memory::variable_size_pool>(whole, detail::classic_unit_bytes);
  });
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return variable_size_pool(std::move(*end));
}

}  // namespace soma
