// The address space and the device: physical memory counts for the budget, whatever becomes of the question.

#include "actors/address_space.hpp"
#include "device_fixture.hpp"

namespace {

using namespace actor_tests;
using messages::physical_id;

class AddressSpace : public device_fixture {
protected:
  void TearDown() override {
    tell(space_, messages::stop_address_space{});
    run();
    device_fixture::TearDown();
  }

  auto create(std::uint64_t bytes, bool on_device = true) {
    messages::create_physical message;
    message.wanted = {{!on_device, 0}, bytes, granule, 5};
    if (on_device) {
      message.device = device_;
    }
    return ask(space_, std::move(message));
  }

  messages::address_space_actor space_ = actors::spawn<actors::address_space_state>(system());
};

TEST_F(AddressSpace, PhysicalMemoryCountsForTheBudget) {
  const auto made = create(3 * granule);
  ASSERT_TRUE(made.succeeded());
  EXPECT_EQ(left(), 5 * granule);
  EXPECT_TRUE(create(6 * granule).failed_with(fault_code::out_of_memory));
  EXPECT_EQ(left(), 5 * granule);
  EXPECT_TRUE(create(100, false).succeeded());
  EXPECT_EQ(left(), 5 * granule) << "memory of the host is nobody's budget";
  EXPECT_TRUE(ask(space_, messages::release_physical{made.value(), {}}).succeeded());
  EXPECT_EQ(left(), device_memory);
}

TEST_F(AddressSpace, IdleMemoryOfPoolsIsGivenUpForIt) {
  const auto pool = make_pool();
  make_executed(pool, 8 * granule);
  EXPECT_EQ(left(), 0U);
  EXPECT_TRUE(create(2 * granule).succeeded());
  EXPECT_EQ(reserved(pool), 6 * granule);
}

TEST_F(AddressSpace, AQuestionThatIsLostFailsTheCall) {
  const wire_tap tap(all_but<messages::take_budget>, wire_tap::fate::lose);
  EXPECT_TRUE(create(granule).failed_with(fault_code::actor_gone));
  EXPECT_EQ(ask(space_, messages::count_spans{}).value().live, 0U);
}

TEST_F(AddressSpace, OtherMessagesAreTakenWhileTheDeviceIsAsked) {
  const auto reserved_at = ask(space_, messages::reserve_addresses{granule, {}, {}});
  ASSERT_TRUE(reserved_at.succeeded());
  const auto made = create(granule);
  ASSERT_TRUE(made.succeeded());
  EXPECT_TRUE(ask(space_, messages::map_physical{{reserved_at.value(), granule}, made.value(), true, {}})
                  .succeeded());
  EXPECT_EQ(ask(space_, messages::find_span{reserved_at.value() + 7, {}}).value().kind,
            messages::span_kind::mapped);
  EXPECT_TRUE(ask(space_, messages::release_physical{made.value(), {}}).succeeded());
  EXPECT_EQ(left(), device_memory - granule) << "it is mapped";
  EXPECT_TRUE(ask(space_, messages::unmap_physical{reserved_at.value(), {}}).succeeded());
  EXPECT_EQ(left(), device_memory);
}

}  // namespace
