// The checker, and what streams and engines tell it: all that they accept, before it is passed on.

#include <string>
#include <vector>

#include "actors/checker.hpp"
#include "actors/engine.hpp"
#include "actors/foreign_code.hpp"
#include "actors/stream.hpp"
#include "fixture.hpp"
#include "wire_tap.hpp"

namespace {

using namespace actor_tests;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t own = 5;
constexpr messages::address a_block{0x1000'0000};

memory::place on_line(std::uint32_t line) { return {"call", "file.cpp", nullptr, line}; }

// -- streams ------------------------------------------------------------------------------------------------

class CheckedStream : public actor_fixture {
protected:
  auto malloc() {
    messages::malloc_async message{pool_.handle(), 100, {}};
    message.where = on_line(1);
    message.pool_number = memory::pool_id{6};
    return ask(stream_, std::move(message));
  }
  void grant(messages::answer<messages::done> queued = {}) {
    messages::block_granted granted;
    granted.block = {a_block, granule};
    granted.queued = std::move(queued);
    answer(pool_.take<messages::grant_block>().reply, std::move(granted));
  }
  auto submit(messages::work task, std::vector<memory::access> accesses = {}) {
    messages::submit_work message{std::move(task), {}};
    message.where = on_line(2);
    message.accesses = std::move(accesses);
    return ask(stream_, std::move(message));
  }

  probe<messages::device_actor> device_ = make_probe<messages::device_actor>();
  probe<messages::pool_actor> pool_ = make_probe<messages::pool_actor>();
  probe<messages::event_actor> event_ = make_probe<messages::event_actor>();
  probe<messages::checker_actor> checker_ = make_probe<messages::checker_actor>();
  messages::stream_actor stream_ =
      actors::spawn<actors::stream_state>(system(), messages::stream_id{own}, device_.handle(),
                                          messages::on_failure::proceed, 0, checker_.handle());
};

TEST_F(CheckedStream, TellsABlockWhenItWasGranted) {
  malloc();
  EXPECT_TRUE(checker_.empty());
  grant();
  const auto block = checker_.take<messages::block_allocated>().block;
  EXPECT_EQ(block.memory, (memory::range{a_block, granule}));
  EXPECT_EQ(block.requested, 100U);
  EXPECT_EQ(block.pool, memory::pool_id{6});
  EXPECT_EQ(block.allocated.at, at(own, 1));
  EXPECT_EQ(block.allocated.where.line, 1U);
}

TEST_F(CheckedStream, TellsNothingOfAMallocThatWasRefused) {
  malloc();
  refuse(pool_.take<messages::grant_block>().reply, {fault_code::out_of_memory, "no"});
  EXPECT_TRUE(checker_.empty());
}

TEST_F(CheckedStream, TellsAFreeBeforeThePoolHearsOfIt) {
  std::vector<std::string> order;
  const wire_tap tap([&](caf::abstract_actor& /*to*/, const caf::mailbox_element& element) {
    if (carries<messages::free_submitted>(element)) {
      order.emplace_back("checker");
    } else if (carries<messages::give_back>(element)) {
      order.emplace_back("pool");
    }
    return true;
  });
  messages::free_async message{pool_.handle(), a_block, {}};
  message.where = on_line(3);
  ask(stream_, std::move(message));
  EXPECT_THAT(order, ElementsAre("checker", "pool"));
  const auto told = checker_.take<messages::free_submitted>();
  EXPECT_EQ(told.by.at, at(own, 1));
  EXPECT_EQ(told.by.where.line, 3U);
  EXPECT_EQ(told.block, a_block);
}

TEST_F(CheckedStream, TellsAFreeOfPlainMemoryBeforeTheDeviceHearsOfIt) {
  ask(stream_, messages::free_plain_async{a_block, {}});
  EXPECT_EQ(checker_.take<messages::free_submitted>().block, a_block);
}

TEST_F(CheckedStream, TellsWhatCopiesAndFillsUse) {
  submit(messages::copy_bytes{reinterpret_cast<void*>(0x10), reinterpret_cast<void*>(0x20), 3});
  submit(messages::fill_bytes{reinterpret_cast<void*>(0x30), 0, 4});
  const auto copied = checker_.take<messages::memory_touched>();
  EXPECT_EQ(copied.by.at, at(own, 1));
  EXPECT_EQ(copied.by.where.line, 2U);
  ASSERT_THAT(copied.accesses, SizeIs(2));
  EXPECT_EQ(copied.accesses[0].begin, messages::address{0x10});
  EXPECT_EQ(copied.accesses[0].kind, memory::access_kind::writes);
  EXPECT_EQ(copied.accesses[1].begin, messages::address{0x20});
  EXPECT_EQ(copied.accesses[1].bytes, 3U);
  const auto filled = checker_.take<messages::memory_touched>();
  EXPECT_EQ(filled.by.at, at(own, 2));
  ASSERT_THAT(filled.accesses, SizeIs(1));
  EXPECT_EQ(filled.accesses[0].bytes, 4U);
}

TEST_F(CheckedStream, TellsWhatWasDeclaredAndTheNameOfTheKernel) {
  submit(messages::host_call{[] {}});
  EXPECT_TRUE(checker_.empty()) << "a host function that declares nothing uses nothing";
  messages::kernel_launch kernel;
  kernel.name = "add";
  submit(kernel, {{a_block, 8, memory::access_kind::reads}});
  const auto told = checker_.take<messages::memory_touched>();
  EXPECT_EQ(told.by.subject, "add");
  EXPECT_THAT(told.accesses, SizeIs(1));
  EXPECT_FALSE(told.arguments_later);
}

TEST_F(CheckedStream, TellsWhatItsTasksAreOrderedAfter) {
  ask(stream_, messages::wait_event{event_.handle(), messages::record_number{1}, {}});
  answer(event_.take<messages::order_query>().reply,
         messages::record_order{at(2, 7), clock({at(3, 4)}), true});
  submit(messages::fill_bytes{nullptr, 0, 1});
  EXPECT_EQ(checker_.take<messages::memory_touched>().ordered, clock({at(2, 7), at(3, 4)}));
}

TEST_F(CheckedStream, DoesNotTellWaitsThatThePoolInserts) {
  const auto other = make_probe<messages::stream_actor>();
  malloc();
  messages::block_granted granted;
  granted.block = {a_block, granule};
  granted.wait_for = {{other.handle(), messages::sequence_number{9}}};
  answer(pool_.take<messages::grant_block>().reply, std::move(granted));
  checker_.take<messages::block_allocated>();
  submit(messages::fill_bytes{nullptr, 0, 1});
  EXPECT_EQ(checker_.take<messages::memory_touched>().ordered, messages::order_clock{});
}

TEST_F(CheckedStream, TellsWhichTaskOfARunRaisedASignal) {
  submit(messages::host_call{[] {}});
  ask(stream_, messages::record_event{event_.handle(), messages::record_number{1}, {}});
  submit(messages::host_call{[] {}});
  messages::kernel_launch kernel;
  kernel.name = "stray";
  submit(kernel);
  answer(device_.take<messages::run_tasks>().reply, messages::tasks_run{1, {}});
  messages::tasks_run failed;
  failed.executed = 2;
  failed.failure = broken();
  failed.failure->signal_address = 0x1234;
  failed.failed = 1;
  answer(device_.take<messages::run_tasks>().reply, failed);
  const auto told = checker_.take<messages::signal_raised>();
  EXPECT_EQ(told.by.at, at(own, 4));
  EXPECT_EQ(told.by.subject, "stray");
  EXPECT_EQ(told.at, messages::address{0x1234});
}

TEST_F(CheckedStream, TellsNothingOfAFailureWithoutASignal) {
  submit(messages::host_call{[] {}});
  answer(device_.take<messages::run_tasks>().reply, messages::tasks_run{1, broken()});
  EXPECT_TRUE(checker_.empty());
}

// -- engines ------------------------------------------------------------------------------------------------

int do_nothing(const void* /*arguments*/, std::size_t /*bytes*/, std::uint32_t /*block*/,
               std::uint32_t /*blocks*/) {
  return 0;
}

class CheckedEngine : public actor_fixture {
protected:
  messages::tasks_run run(messages::kernel_launch kernel) {
    messages::run_tasks message;
    message.tasks = {messages::host_call{[] {}}, std::move(kernel)};
    message.checker = checker_.handle();
    message.first = at(own, 7);
    return ask(engine_, std::move(message)).value();
  }

  const actors::signal_guard signals_;
  probe<messages::device_actor> device_ = make_probe<messages::device_actor>();
  probe<messages::checker_actor> checker_ = make_probe<messages::checker_actor>();
  messages::engine_actor engine_ = actors::spawn<actors::engine_state>(system(), device_.handle(), 1);
};

TEST_F(CheckedEngine, TellsTheArgumentsOfTheKernelsThatAskForIt) {
  const std::uint64_t words[] = {0x11, 0x22};
  messages::kernel_launch kernel{do_nothing, nullptr, nullptr, words, sizeof words, 1, "add"};
  run(kernel);
  EXPECT_TRUE(checker_.empty());
  kernel.tell_arguments = true;
  run(kernel);
  const auto told = checker_.take<messages::arguments_read>();
  EXPECT_EQ(told.at, at(own, 8));
  ASSERT_THAT(told.pointers, SizeIs(2));
  EXPECT_EQ(told.pointers[1].begin, messages::address{0x22});
  tell(engine_, messages::stop_engine{});
}

TEST_F(CheckedEngine, SurvivesArgumentsThatCannotBeRead) {
  messages::kernel_launch kernel{do_nothing, nullptr, nullptr, reinterpret_cast<const void*>(0x10),
                                 8,          1,       "add"};
  kernel.tell_arguments = true;
  EXPECT_FALSE(run(kernel).failure.has_value()) << "the kernel itself does not read them";
  EXPECT_THAT(checker_.take<messages::arguments_read>().pointers, IsEmpty());
  tell(engine_, messages::stop_engine{});
}

// -- the checker --------------------------------------------------------------------------------------------

class Checker : public actor_fixture {
protected:
  void race(std::uint64_t stream) {
    memory::block_life block;
    block.memory = {a_block, granule};
    block.requested = granule;
    block.allocated = {memory::operation_kind::malloc, at(1, 1), on_line(1), {}};
    tell(checker_, messages::block_allocated{block, {}});
    tell(checker_, messages::free_submitted{
                       {memory::operation_kind::free, at(stream, 1), on_line(2), {}}, {}, a_block});
  }

  probe<messages::reporter_actor> reporter_ = make_probe<messages::reporter_actor>();
  messages::checker_actor checker_ = actors::spawn<actors::checker_state>(
      system(), memory::range{a_block, 16 * granule}, reporter_.handle());
};

TEST_F(Checker, ReportsWhatItFindsOnceForEachPairOfPlaces) {
  race(2);
  race(3);
  const auto found = reporter_.take<messages::report_finding>().found;
  EXPECT_EQ(found.kind, memory::finding_kind::free_before_malloc);
  EXPECT_EQ(found.after->at, at(2, 1));
  EXPECT_TRUE(reporter_.empty());
  tell(checker_, messages::stop_checker{});
}

TEST_F(Checker, AnswersWithItsFindingsWhenTheyWereReported) {
  race(2);
  race(3);
  const auto all = ask(checker_, messages::read_findings{});
  EXPECT_FALSE(all.arrived());
  reporter_.take<messages::report_finding>();
  answer(reporter_.take<messages::finish_reports>().reply, messages::done{});
  ASSERT_THAT(all.value(), SizeIs(1));
  EXPECT_EQ(all.value()[0].count, 2U);
  tell(checker_, messages::stop_checker{});
}

TEST_F(Checker, AHostAccessWaitsOnlyForAReport) {
  const auto harmless = [] {
    messages::host_touches made;
    made.accesses = {{a_block, 1, memory::access_kind::reads}};
    return made;
  };
  EXPECT_TRUE(ask(checker_, harmless()).succeeded());
  race(2);
  reporter_.take<messages::report_finding>();
  const auto answered = ask(checker_, harmless());
  EXPECT_FALSE(answered.arrived());
  EXPECT_EQ(reporter_.take<messages::report_finding>().found.kind, memory::finding_kind::use_after_free);
  answer(reporter_.take<messages::finish_reports>().reply, messages::done{});
  EXPECT_TRUE(answered.succeeded());
  tell(checker_, messages::stop_checker{});
}

TEST_F(Checker, EndsOnceWithLeaksAndASummary) {
  memory::block_life block;
  block.memory = {a_block, granule};
  tell(checker_, messages::block_allocated{block, {}});
  ask(checker_, messages::end_check{});
  ask(checker_, messages::end_check{});
  race(2);
  EXPECT_EQ(reporter_.take<messages::report_finding>().found.kind, memory::finding_kind::leak);
  EXPECT_THAT(reporter_.take<messages::report_summary>().all, SizeIs(1));
  reporter_.take<messages::finish_reports>();
  reporter_.take<messages::finish_reports>();
  EXPECT_TRUE(reporter_.empty()) << "nothing is reported after the end";
  tell(checker_, messages::stop_checker{});
  reporter_.take<messages::stop_reporter>();
}

}  // namespace
