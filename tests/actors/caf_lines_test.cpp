// What messages/caf.hpp and element.hpp promise on each line of CAF.

#include <memory>
#include <utility>
#include <vector>

#include "fixture.hpp"

namespace {

using namespace actor_tests;

struct parcel {
  std::shared_ptr<int> content;
};
struct letter {
  int number = 0;
};
using desk_actor = messages::handle<parcel, letter>;

class desk_state {
public:
  using handle_type = desk_actor;
  static constexpr auto name = "desk";

  desk_state(actors::self<handle_type> /*own*/, std::shared_ptr<std::vector<int>> numbers)
      : numbers_(std::move(numbers)) {}

  void handle(parcel& /*message*/) { numbers_->push_back(0); }
  void handle(letter& message) { numbers_->push_back(message.number); }

private:
  std::shared_ptr<std::vector<int>> numbers_;
};

// Takes what is ready without running it.
class keeping_unit final : public messages::own_unit {
public:
  using own_unit::own_unit;
  void exec_later(caf::resumable* ready) override { kept.push_back(ready); }
  std::vector<caf::resumable*> kept;
};

class CafLines : public actor_fixture {
protected:
  std::shared_ptr<std::vector<int>> numbers_ = std::make_shared<std::vector<int>>();
  desk_actor desk_ = actors::spawn<desk_state>(system(), numbers_);
};

TEST_F(CafLines, AnElementKnowsItsMessage) {
  const auto element = messages::make_element<desk_actor>(letter{7});
  auto* own = messages::element::from(*element);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->place(), 1U);
  EXPECT_EQ(own->trace(), messages::trace_id::none);
  ASSERT_NE(messages::carried<letter>(*element), nullptr);
  EXPECT_EQ(messages::carried<letter>(*element)->number, 7);
  EXPECT_EQ(messages::carried<letter>(*element), own->message());
  EXPECT_EQ(messages::carried<parcel>(*element), nullptr);
}

TEST_F(CafLines, CafsOwnMessagesAreNoElementsOfSoma) {
  const auto element = messages::make_exit(caf::actor_addr{}, caf::exit_reason::kill, false);
  EXPECT_EQ(messages::element::from(*element), nullptr);
  EXPECT_EQ(messages::carried<letter>(*element), nullptr);
}

TEST_F(CafLines, AMessageThatNobodyHandlesEndsWithItsElement) {
  const auto content = std::make_shared<int>(1);
  auto element = messages::make_element<desk_actor>(parcel{content});
  EXPECT_EQ(content.use_count(), 2);
  element.reset();
  EXPECT_EQ(content.use_count(), 1);
}

TEST_F(CafLines, AMessageToAnEndedActorEnds) {
  desk_.actor()->enqueue(messages::make_exit(caf::actor_addr{}, caf::exit_reason::kill, false), nullptr);
  run();
  ASSERT_TRUE(actors::has_ended(desk_));
  const auto content = std::make_shared<int>(1);
  send(desk_, parcel{content});
  EXPECT_EQ(content.use_count(), 1);
}

TEST_F(CafLines, MessagesInTheMailboxOfAnActorThatEndsEnd) {
  const auto content = std::make_shared<int>(1);
  send(desk_, parcel{content});
  desk_.actor()->enqueue(messages::make_exit(caf::actor_addr{}, caf::exit_reason::kill, true), nullptr);
  run();
  EXPECT_TRUE(actors::has_ended(desk_));
  EXPECT_TRUE(numbers_->empty()) << "an urgent exit comes first";
  EXPECT_EQ(content.use_count(), 1);
}

TEST_F(CafLines, AnExitThatIsNotUrgentWaitsItsTurn) {
  send(desk_, letter{1});
  desk_.actor()->enqueue(messages::make_exit(caf::actor_addr{}, caf::exit_reason::kill, false), nullptr);
  send(desk_, letter{2});
  run();
  EXPECT_TRUE(actors::has_ended(desk_));
  EXPECT_EQ(*numbers_, (std::vector<int>{1}));
}

TEST_F(CafLines, AUnitIsToldOnceWhoHasBecomeReady) {
  keeping_unit unit(system());
  messages::enqueue(desk_, letter{1}, &unit);
  messages::enqueue(desk_, letter{2}, &unit);
  ASSERT_EQ(unit.kept.size(), 1U);
  EXPECT_TRUE(numbers_->empty());
  EXPECT_EQ(unit.kept.front()->resume(&unit, 10), caf::resumable::awaiting_message);
  EXPECT_EQ(*numbers_, (std::vector<int>{1, 2}));
  messages::let_go(unit.kept.front());
}

TEST_F(CafLines, NoMoreIsHandledThanWasAskedFor) {
  keeping_unit unit(system());
  for (int number = 1; number <= 3; ++number) {
    messages::enqueue(desk_, letter{number}, &unit);
  }
  EXPECT_EQ(unit.kept.front()->resume(&unit, 2), caf::resumable::resume_later);
  EXPECT_EQ(*numbers_, (std::vector<int>{1, 2}));
  EXPECT_EQ(unit.kept.front()->resume(&unit, 2), caf::resumable::awaiting_message);
  messages::let_go(unit.kept.front());
}

}  // namespace
