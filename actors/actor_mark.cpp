#include "actors/actor_mark.hpp"

namespace soma::actors {

namespace {

template <class Handle>
message_name name_in(std::size_t place) noexcept {
  const auto& all = detail::names<Handle>::all;
  return place < all.size() ? all[place] : message_name{};
}

}  // namespace

message_name name_of(actor_kind kind, std::size_t place) noexcept {
  switch (kind) {
  case actor_kind::device:
    return name_in<messages::device_actor>(place);
  case actor_kind::stream:
    return name_in<messages::stream_actor>(place);
  case actor_kind::event:
    return name_in<messages::event_actor>(place);
  case actor_kind::pool:
    return name_in<messages::pool_actor>(place);
  case actor_kind::engine:
    return name_in<messages::engine_actor>(place);
  case actor_kind::checker:
    return name_in<messages::checker_actor>(place);
  case actor_kind::reporter:
    return name_in<messages::reporter_actor>(place);
  case actor_kind::other:
    break;
  }
  return {};
}

}  // namespace soma::actors
