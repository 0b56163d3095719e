#include "sim/world.hpp"

#include <algorithm>
#include <utility>

#include <caf/local_actor.hpp>
#include <caf/system_messages.hpp>

#include "messages/all.hpp"

namespace soma::sim {

namespace {

party_kind kind_named(std::string_view name) {
  if (name == "device") {
    return party_kind::device;
  }
  if (name == "stream") {
    return party_kind::stream;
  }
  if (name == "event") {
    return party_kind::event;
  }
  if (name == "pool") {
    return party_kind::pool;
  }
  return name == "engine" ? party_kind::engine : party_kind::other;
}

// The first task of a run stands for it.
task* first_task(const messages::run_tasks& run) {
  return run.tasks.empty() ? nullptr : task_call::find(run.tasks.front());
}

}  // namespace

world::world(caf::actor_system& system, gate_test is_open) : unit_(system), is_open_(std::move(is_open)) {
  actors::wire::install(this);
}

world::~world() {
  // What a failed run has left goes while its messages still come here.
  closed_ = true;
  for (auto& one : hosts_) {
    one->outbox.clear();
  }
  for (auto& one : actors_) {
    one->outbox.clear();
    if (one->ready != nullptr) {
      messages::let_go(one->ready);
    }
  }
  while (!dropped_.empty()) {
    const auto last = std::exchange(dropped_, {});
  }
  actors::wire::install(nullptr);
}

// -- parties ------------------------------------------------------------------------------------------------

host& world::add_host(std::string name) {
  hosts_.push_back(std::make_unique<host>(party_kind::host, static_cast<std::uint32_t>(hosts_.size())));
  hosts_.back()->name = std::move(name);
  return *hosts_.back();
}

actor& world::party_of(caf::abstract_actor& of) {
  auto& found = known_[&of];
  if (found == nullptr) {
    const std::string name = static_cast<caf::local_actor&>(of).name();
    const auto kind = kind_named(name);
    const auto place = ++counts_.at(static_cast<std::size_t>(kind));
    auto made = std::make_unique<actor>(kind, place);
    made->name = kind == party_kind::device ? name : name + " " + std::to_string(place);
    made->self = caf::weak_actor_ptr(caf::actor_cast<caf::strong_actor_ptr>(&of).get());
    found = made.get();
    const auto behind = std::find_if(actors_.begin(), actors_.end(),
                                     [&](const auto& one) { return one->number > made->number; });
    actors_.insert(behind, std::move(made));
  }
  return *found;
}

bool world::single_host() const noexcept {
  return std::count_if(hosts_.begin(), hosts_.end(),
                       [](const auto& one) { return one->now != host::state::finished; }) <= 1;
}

// -- the wire -----------------------------------------------------------------------------------------------

party& world::sender() const noexcept {
  if (running_ != nullptr) {
    return *running_;
  }
  return flushing_ != nullptr ? *flushing_ : *current_;
}

// What a flush itself brings about (a message that cannot be delivered answers its request) was sent at the
// moment of the message, ahead of what its sender sent next.
void world::send(parcel sent) {
  auto& from = sender();
  if (running_ == nullptr && flushing_ != nullptr) {
    from.outbox.insert(from.outbox.begin() + static_cast<std::ptrdiff_t>(inserted_++), std::move(sent));
  } else {
    from.outbox.push_back(std::move(sent));
  }
}

bool world::pass(caf::abstract_actor& to, caf::mailbox_element_ptr& element) {
  if (element.get() == admitted_) {
    admitted_ = nullptr;
    return true;
  }
  if (closed_) {
    dropped_.push_back(std::move(element));
    return false;
  }
  parcel sent;
  sent.to = &party_of(to);
  sent.keeps = caf::actor_cast<caf::strong_actor_ptr>(&to);
  sent.kind = &kind_of(*element);
  sent.element = std::move(element);
  const auto& from = sender();
  if (sent.kind->run_tasks) {
    // The device only passes it on, so that the order in which runs meet at the device orders nothing.
    auto* first = first_task(*messages::carried<messages::run_tasks>(*sent.element));
    if (first != nullptr) {
      if (from.kind != party_kind::device) {
        first->submitted = from.before;
      }
      sent.carried = first->submitted;
    }
  } else if (!sent.kind->engine_idle) {  // which is no news of what has been run
    sent.carried = from.before;
  }
  send(std::move(sent));
  return false;
}

void world::answered(const actors::slot_base& slot) {
  for (auto& one : hosts_) {
    if (!closed_ && one->now == host::state::asking && one->slot == &slot) {
      one->answered = true;
      parcel news;
      news.wakes = one.get();
      news.wait = one->waits;
      news.carried = sender().before;
      send(std::move(news));
    }
  }
}

// -- reports ------------------------------------------------------------------------------------------------

std::vector<std::string> world::alive() const {
  std::vector<std::string> names;
  for (const auto& one : actors_) {
    if (!one->ended && one->self.lock() != nullptr) {
      names.push_back(one->name);
    }
  }
  return names;
}

std::vector<std::string> world::held_engines() const {
  std::vector<std::string> texts;
  for (const auto& one : actors_) {
    if (one->kind != party_kind::engine || one->mailbox.empty() || !one->mailbox.front().kind->run_tasks) {
      continue;
    }
    for (const auto& work : run_in(one->mailbox.front()).tasks) {
      const auto* of = task_call::find(work);
      if (of != nullptr && !of->done && !is_open_(*of)) {
        texts.push_back(one->name + " waits at the closed gate " + of->what->gate.text + " in " +
                        to_text(*of->what));
        break;
      }
    }
  }
  return texts;
}

void world::end_all() {
  for (std::size_t at = 0; at < actors_.size(); ++at) {
    if (const auto still = actors_[at]->self.lock(); !actors_[at]->ended && still != nullptr) {
      still->enqueue(messages::make_exit(still->address(), caf::exit_reason::kill, true), &unit_);
    }
  }
}

}  // namespace soma::sim
