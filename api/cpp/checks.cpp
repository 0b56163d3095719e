#include "api/cpp/checks.hpp"

#include <utility>

#include "memory/sizes.hpp"

namespace soma {

namespace detail {

memory::place place_of(const char* call, const place& at) noexcept {
  return {at.function() != nullptr ? at.function() : call, at.file(), at.code(), at.line()};
}

std::vector<memory::access> accesses_of(std::span<const access> declared) {
  std::vector<memory::access> accesses;
  accesses.reserve(declared.size());
  for (const auto& one : declared) {
    const auto kind = one.bytes == 0 ? memory::access_kind::pointer
                      : one.writes   ? memory::access_kind::writes
                                     : memory::access_kind::reads;
    accesses.push_back({to_address(one.begin), one.bytes, kind});
  }
  return accesses;
}

void tell_allocated(runtime_end& runtime, memory::block_origin origin, memory::address block,
                    std::uint64_t bytes, const char* call, const place& at) {
  if (!runtime.checker()) {
    return;
  }
  memory::block_life life;
  life.memory = {block, memory::round_up(bytes, memory::smallest_block_bytes)};
  life.requested = at.asked() != 0 ? at.asked() : bytes;
  life.origin = origin;
  life.allocated = {memory::operation_kind::malloc, {}, place_of(call, at), {}};
  static_cast<void>(actors::ask<messages::done>(runtime.caller(), runtime.checker(),
                                                messages::block_allocated{std::move(life), {}}));
}

void tell_freed_at_once(runtime_end& runtime, memory::address block, const memory::place& where) {
  if (!runtime.checker()) {
    return;
  }
  static_cast<void>(actors::ask<messages::done>(
      runtime.caller(), runtime.checker(),
      messages::block_freed_at_once{{memory::operation_kind::free, {}, where, {}}, block, {}}));
}

void tell_failed_free(runtime_end& runtime, errc code, memory::address block, const memory::place& where,
                      memory::stream_id on) {
  if (!runtime.checker() || code != errc::unknown_address) {
    return;
  }
  const memory::position refused{on, memory::sequence_number::none};
  actors::tell(runtime.caller(), runtime.checker(),
               messages::free_refused{{memory::operation_kind::free, refused, where, {}}, block});
}

void tell_host_saw(runtime_end& runtime, const messages::order_clock& seen) {
  if (!runtime.checker()) {
    return;
  }
  static_cast<void>(actors::ask<messages::done>(runtime.caller(), runtime.checker(),
                                                messages::host_saw_complete{seen, {}}));
}

void tell_pool_destroyed(runtime_end& runtime, memory::pool_id pool) {
  if (runtime.checker()) {
    actors::tell(runtime.caller(), runtime.checker(), messages::pool_given_up{pool});
  }
}

}  // namespace detail

// -- what a program asks
// -------------------------------------------------------------------------------------

bool runtime::checked() const noexcept { return end_ != nullptr && end_->checker(); }

expected<std::vector<check_report>> runtime::check_reports() const {
  constexpr auto call = "runtime::check_reports";
  const actors::tracing::calling traced(call);
  std::vector<check_report> reports;
  if (!checked()) {
    return reports;
  }
  if (auto ok = end_->may_submit(call); !ok) {
    return tl::unexpected(std::move(ok.error()));
  }
  auto found =
      actors::ask<std::vector<memory::finding>>(end_->caller(), end_->checker(), messages::read_findings{});
  if (!found) {
    return tl::unexpected(detail::translate(call, std::move(found.error())));
  }
  for (const auto& one : *found) {
    reports.push_back(detail::report_of(one));
  }
  return reports;
}

expected<void> runtime::end_check() {
  constexpr auto call = "runtime::end_check";
  const actors::tracing::calling traced(call);
  if (!checked()) {
    return {};
  }
  if (auto ok = end_->may_submit(call); !ok) {
    return ok;
  }
  return detail::translate_done(
      call, actors::ask<messages::done>(end_->caller(), end_->checker(), messages::end_check{}));
}

expected<void> runtime::host_access(std::span<const access> accesses, const place& at) {
  constexpr auto call = "runtime::host_access";
  const actors::tracing::calling traced(call);
  if (!checked()) {
    return {};
  }
  if (auto ok = end_->may_submit(call); !ok) {
    return ok;
  }
  const memory::operation by{memory::operation_kind::host_access, {}, detail::place_of(call, at), {}};
  return detail::translate_done(
      call, actors::ask<messages::done>(end_->caller(), end_->checker(),
                                        messages::host_touches{by, detail::accesses_of(accesses), {}}));
}

}  // namespace soma
