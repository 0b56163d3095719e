#include "bench/subjects/caf_subject.hpp"

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include "bench/baseline/segregated_fit.hpp"
#include "messages/caf.hpp"

namespace soma::bench {

namespace {

constexpr std::uint64_t range_begin = std::uint64_t{1} << 40;
constexpr std::uint64_t range_bytes = std::uint64_t{1} << 40;

caf::behavior pool(caf::event_based_actor* /*self*/) {
  const auto fit = std::make_shared<segregated_fit>(range_begin, range_bytes);
  return {[fit](caf::get_atom, std::uint64_t bytes) { return fit->malloc(bytes).value_or(0); },
          [fit](caf::delete_atom, std::uint64_t address) { return fit->free(address); }};
}

void give_up(const caf::error& /*reason*/) {
  std::cerr << "the actor does not answer\n";
  std::abort();
}

}  // namespace

struct caf_subject::server {
  struct configuration : caf::actor_system_config {
    configuration() { messages::configure_as_caf_does(*this); }
  } config;
  caf::actor_system system{config};
  caf::actor pool = system.spawn(bench::pool);
};

struct caf_subject::seat::client {
  caf::actor pool;
  caf::scoped_actor self;
};

caf_subject::seat::seat(caf_subject& of)
    : client_(new client{of.server_->pool, caf::scoped_actor(of.server_->system)}) {
  // nop
}

caf_subject::seat::~seat() = default;

caf_subject::seat::seat(seat&&) noexcept = default;

void* caf_subject::seat::allocate(std::size_t bytes) {
  std::uint64_t block = 0;
  messages::caf_request(client_->self, client_->pool, caf::get_atom{}, std::uint64_t{bytes})
      .receive([&block](std::uint64_t address) { block = address; }, give_up);
  return reinterpret_cast<void*>(block);
}

void caf_subject::seat::deallocate(void* block, std::size_t /*bytes*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  messages::caf_request(client_->self, client_->pool, caf::delete_atom{}, std::uint64_t{address})
      .receive([](bool /*freed*/) {}, give_up);
}

caf_subject::caf_subject() : server_(std::make_unique<server>()) {
  // nop
}

caf_subject::~caf_subject() { caf::anon_send_exit(server_->pool, caf::exit_reason::user_shutdown); }

}  // namespace soma::bench
