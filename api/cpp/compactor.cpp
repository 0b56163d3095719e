#include "actors/compactor.hpp"

#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include "api/cpp/classic_pools.hpp"
#include "memory/sizes.hpp"
#include "soma/compactor.hpp"

namespace soma::detail {

class compactor_end {
public:
  static constexpr std::string_view noun = "compactor";

  compactor_end(std::shared_ptr<device_end> on, memory::range pool, const memory_kind& wanted,
                std::shared_ptr<actors::compactor_memory> all, messages::compactor_actor acting)
      : device(std::move(on)), memory(pool), kind(wanted),
        kind_answer(memory::ask_for(pool, wish_of(wanted))), taken(std::move(all)), actor(std::move(acting)) {
  }
  ~compactor_end() { destroy(); }
  compactor_end(const compactor_end&) = delete;
  compactor_end& operator=(const compactor_end&) = delete;

  std::shared_ptr<device_end> device;
  memory::range memory;
  memory_kind kind;
  memory::kind_answer kind_answer;
  std::shared_ptr<actors::compactor_memory> taken;  // until it is destroyed
  messages::compactor_actor actor;
  std::atomic<bool> destroyed{false};

  std::mutex guard;  // of what follows
  std::unordered_set<void*> fixed;

  /// Returns false if that was done before. On any thread.
  bool destroy() {
    if (destroyed.exchange(true, std::memory_order_acq_rel)) {
      return false;
    }
    if (device->runtime.may_read({})) {  // else a child after fork: all of it stays with the parent
      memory::end_wish(memory, wish_of(kind));
      actors::tell(device->runtime.caller(), actor, messages::retire_classic_pool{});
      taken = nullptr;
    }
    return true;
  }

  /// For the destructors of blocks, which may run on any thread.
  template <class Message>
  void tell(Message message) {
    if (!destroyed.load(std::memory_order_acquire) && device->runtime.may_read({})) {
      actors::tell(device->runtime.caller(), actor, std::move(message));
    }
  }
};

namespace {

// Asked for with a granule more, so that the pool can begin at a multiple of one.
expected<std::shared_ptr<compactor_end>> make(std::string_view call, const std::shared_ptr<device_end>& on,
                                              std::size_t bytes, const memory_kind& kind) {
  const auto whole = memory::round_up_checked(bytes, memory::granule_bytes);
  if (!whole) {
    return fail(call, errc::invalid_argument, "a pool of " + std::to_string(bytes) + " bytes");
  }
  const auto from =
      kind.memory == pool_memory::device ? messages::plain_kind::device : messages::plain_kind::host;
  const auto owned_bytes = bytes + memory::granule_bytes;
  auto owned = actors::ask<memory::address>(on->runtime.caller(), on->actor,
                                            messages::malloc_plain{from, owned_bytes, {}});
  if (!owned) {
    return tl::unexpected(translate(std::string(call) + ": the pool's memory", std::move(owned.error())));
  }
  const memory::range pool{memory::address{memory::round_up(memory::number(*owned), memory::granule_bytes)},
                           bytes};
  const auto [file, offset] = on->runtime.backing().file_of(pool);
  auto taken = std::make_shared<actors::compactor_memory>(actors::memory_source{on->actor, from},
                                                          memory::range{*owned, owned_bytes},
                                                          memory::granule_map(pool, file, offset));
  auto actor = actors::spawn<actors::compactor_state>(on->runtime.system(),
                                                      memory::movable_pool(pool, classic_unit_bytes), taken);
  return std::make_shared<compactor_end>(on, pool, kind, std::move(taken), std::move(actor));
}

}  // namespace
}  // namespace soma::detail

namespace soma {

// -- blocks -------------------------------------------------------------------------------------------------

pinned_block::pinned_block(std::shared_ptr<detail::compactor_end> end, std::uint64_t id, void* data,
                           std::size_t bytes) noexcept
    : end_(std::move(end)), id_(id), data_(data), bytes_(bytes) {}

pinned_block::pinned_block(pinned_block&& other) noexcept
    : end_(std::move(other.end_)), id_(other.id_), data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

pinned_block& pinned_block::operator=(pinned_block&& other) noexcept {
  auto taken = std::move(other);
  std::swap(end_, taken.end_);
  std::swap(id_, taken.id_);
  std::swap(data_, taken.data_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

pinned_block::~pinned_block() {
  if (end_ != nullptr) {
    end_->tell(messages::unpin_movable{messages::movable_id{id_}, {}});
  }
}

movable_block::movable_block(std::shared_ptr<detail::compactor_end> end, std::uint64_t id,
                             std::size_t bytes) noexcept
    : end_(std::move(end)), id_(id), bytes_(bytes) {}

movable_block::movable_block(movable_block&& other) noexcept
    : end_(std::move(other.end_)), id_(other.id_), bytes_(std::exchange(other.bytes_, 0)) {}

movable_block& movable_block::operator=(movable_block&& other) noexcept {
  auto taken = std::move(other);
  std::swap(end_, taken.end_);
  std::swap(id_, taken.id_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

movable_block::~movable_block() {
  if (end_ != nullptr) {
    end_->tell(messages::free_movable{messages::movable_id{id_}, memory::address::null, {}});
  }
}

expected<pinned_block> movable_block::pin() const {
  return detail::ask_classic<memory::address>("movable_block::pin", end_,
                                              messages::pin_movable{messages::movable_id{id_}, {}})
      .map([&](memory::address at) { return pinned_block(end_, id_, detail::to_pointer(at), bytes_); });
}

// -- the compactor ------------------------------------------------------------------------------------------

compactor::compactor(std::shared_ptr<detail::compactor_end> end) noexcept : end_(std::move(end)) {}
compactor::compactor(compactor&&) noexcept = default;

compactor& compactor::operator=(compactor&& other) noexcept {
  if (this != &other) {
    static_cast<void>(destroy());
    end_ = std::move(other.end_);
  }
  return *this;
}

compactor::~compactor() { static_cast<void>(destroy()); }

expected<compactor> compactor::create(device& on, std::size_t pool_bytes, const memory_kind& kind) {
  constexpr auto call = "compactor::create";
  if (on.end() == nullptr) {
    return detail::fail(call, errc::invalid_handle, "the device object was moved from");
  }
  if (auto ok = on.end()->runtime.may_submit(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = detail::check_variable(call, pool_bytes); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto end = detail::make(call, on.end(), pool_bytes, kind);
  if (!end) {
    return tl::unexpected(std::move(end.error()));
  }
  return compactor(std::move(*end));
}

expected<void> compactor::destroy() {
  if (end_ == nullptr || !end_->destroy()) {
    return detail::fail("compactor::destroy", errc::invalid_handle,
                        "the compactor was destroyed, or the object was moved from");
  }
  return {};
}

expected<movable_block> compactor::allocate(std::size_t bytes) {
  return detail::ask_classic<messages::movable_id>("compactor::allocate", end_,
                                                   messages::allocate_movable{bytes, {}})
      .map([&](messages::movable_id id) { return movable_block(end_, memory::number(id), bytes); });
}

expected<compaction_report> compactor::compact(stream& on) {
  constexpr auto call = "compactor::compact";
  if (auto ok = detail::check(call, end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  const auto& target = on.end();
  if (auto ok = detail::check(call, target); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (&target->device != end_->device.get()) {
    return detail::fail(call, errc::wrong_device, "the stream is of another device than the compactor");
  }
  if (auto ok = target->device.runtime.may_submit(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  if (auto ok = target->device.join(call, *target); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return detail::ask_classic<memory::compaction>(call, end_, messages::compact_blocks{target->actor, {}})
      .map([](const memory::compaction& done) {
        return compaction_report{done.blocks_moved,  done.bytes_copied,         done.bytes_mapped,
                                 done.blocks_pinned, done.fragmentation_before, done.fragmentation_after};
      });
}

expected<classic_statistics> compactor::statistics() const {
  return detail::ask_classic<messages::classic_pool_figures>("compactor::statistics", end_,
                                                             messages::read_classic_figures{})
      .map([](const messages::classic_pool_figures& figures) { return detail::statistics_of(figures.all); });
}

expected<memory_kind_report> compactor::kind() const {
  if (auto ok = detail::check("compactor::kind", end_); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  return detail::report_of({end_->memory}, end_->kind, end_->kind_answer);
}

expected<void*> compactor::allocate_fixed(std::size_t bytes) {
  constexpr auto call = "compactor::allocate_fixed";
  const auto id =
      detail::ask_classic<messages::movable_id>(call, end_, messages::allocate_movable{bytes, {}});
  if (!id) {
    return tl::unexpected(id.error());
  }
  return detail::ask_classic<memory::address>(call, end_, messages::pin_movable{*id, {}})
      .map([&](memory::address at) {
        auto* const block = detail::to_pointer(at);
        const std::lock_guard held(end_->guard);
        end_->fixed.insert(block);
        return block;
      });
}

expected<void> compactor::free_fixed(void* address) {
  constexpr auto call = "compactor::free_fixed";
  if (auto ok = detail::check(call, end_); !ok) {
    return ok;
  }
  if (auto ok = end_->device->runtime.may_submit(call); !ok) {
    return ok;
  }
  {
    const std::lock_guard held(end_->guard);
    if (end_->fixed.erase(address) == 0) {
      return detail::fail(call, errc::unknown_address,
                          "no live block from allocate_fixed starts at this address");
    }
  }
  return detail::tell_classic(
      call, end_, messages::free_movable{messages::movable_id::none, detail::to_address(address), {}});
}

}  // namespace soma
