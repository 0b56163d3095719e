// Message traces by the C++ interface: switching, what is in the file, what is dropped, and why blocks were
// served. tests/trace/check_trace.py looks at whole traces of the examples.

#include "soma/trace.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using nlohmann::json;
using soma::errc;
using testing::HasSubstr;

class Trace : public cpp_fixture {
protected:
  ~Trace() override {
    soma::trace::stop();
    std::remove(path_.c_str());
  }

  json written() {
    must(soma::trace::write(path_));
    std::ifstream file(path_);
    return json::parse(file);
  }

  static std::vector<json> slices(const json& trace, const std::string& name) {
    std::vector<json> found;
    for (const auto& event : trace["traceEvents"]) {
      if (event["ph"] == "X" && event["name"] == name) {
        found.push_back(event);
      }
    }
    return found;
  }

  static json grant_of(const json& trace, void* block) {
    char address[32];
    std::snprintf(address, sizeof address, "%p", block);
    json found;
    for (const auto& event : trace["traceEvents"]) {
      if (event["ph"] == "i" && event["name"] == "granted" && event["args"]["block"] == address) {
        found = event["args"];
      }
    }
    return found;
  }

  std::string path_ = testing::TempDir() + "soma_trace_" + std::to_string(::getpid()) + ".json";
};

TEST_F(Trace, HasTheMessagesOfAMallocAndWhatCausedThem) {
  auto pool = make_pool({});
  must(soma::trace::start());
  auto* const block = must(pool.malloc_async(4_M, s1_));
  soma::trace::stop();
  const auto trace = written();
  must(pool.free_async(block, s1_));

  const auto call = slices(trace, "pool::malloc_async");
  const auto malloc = slices(trace, "malloc_async");
  const auto wish = slices(trace, "grant_block");
  ASSERT_EQ(call.size(), 1U);
  ASSERT_EQ(malloc.size(), 1U);
  ASSERT_EQ(wish.size(), 1U);
  EXPECT_EQ(malloc[0]["args"]["cause"], call[0]["args"]["id"]);
  EXPECT_EQ(malloc[0]["args"]["to"], "stream " + std::to_string(s1_.id()));
  EXPECT_EQ(malloc[0]["args"]["bytes"], 4_M);
  EXPECT_EQ(wish[0]["args"]["cause"], malloc[0]["args"]["id"]);
  EXPECT_EQ(wish[0]["args"]["stream"], s1_.id());
  EXPECT_EQ(trace["otherData"]["messages"], trace["otherData"]["handled"]);
}

TEST_F(Trace, HasTheWorkOfEnginesWithNames) {
  must(soma::trace::start());
  must(s1_.call([] {}));
  must(settle(s1_));
  soma::trace::stop();
  const auto trace = written();
  ASSERT_EQ(slices(trace, "host function").size(), 1U);
  const auto work = slices(trace, "host function")[0];
  EXPECT_EQ(work["cat"], "work");
  EXPECT_EQ(work["args"]["stream"], s1_.id());
  EXPECT_EQ(work["args"]["task"], 1);
}

TEST_F(Trace, B99_TimesAndIds) {
  constexpr std::uint64_t too_large = std::uint64_t{1} << 53;
  must(soma::trace::start());
  auto event = must(device_.create_event());
  for (int flow = 0; flow != 10; ++flow) {
    must(s1_.call([] {}));
    must(s1_.record(event));
    must(s2_.wait(event));
  }
  must(settle(s1_));
  must(settle(s2_));
  soma::trace::stop();
  const auto trace = written();
  std::set<std::uint64_t> begun;
  std::set<std::uint64_t> ended;
  std::set<double> times;
  for (const auto& one : trace["traceEvents"]) {
    if (one["ph"] == "M") {
      continue;
    }
    ASSERT_TRUE(one["ts"].is_number()) << one;
    EXPECT_LT(one["ts"].get<double>(), 3.6e9) << "not from the start of the trace: " << one;
    times.insert(one["ts"].get<double>());
    if (one["ph"] == "s" || one["ph"] == "f") {
      const auto id = one["id"].get<std::uint64_t>();
      EXPECT_LT(id, too_large);
      (one["ph"] == "s" ? begun : ended).insert(id);
    }
  }
  EXPECT_GE(begun.size(), 10U);
  EXPECT_EQ(begun, ended);
  EXPECT_GE(times.size(), 10U) << "differences are kept";
}

TEST_F(Trace, TellsWhyABlockWasServed) {
  auto pool = make_pool({.reuse = {.event = true}});
  auto event = must(device_.create_event());
  const gate held;
  must(soma::trace::start());
  hold(s1_, held);
  auto* const block = must(pool.malloc_async(4_M, s1_));
  must(pool.free_async(block, s1_));
  must(s1_.record(event));
  must(s2_.wait(event));
  ASSERT_EQ(must(pool.malloc_async(4_M, s2_)), block);

  const auto why = must(pool.explain(block));
  EXPECT_EQ(why.served, soma::served_by::event);
  EXPECT_EQ(why.freed_by_stream, s1_.id());
  EXPECT_EQ(why.freed_by_task, 3U);
  EXPECT_GT(why.event, 0U);
  EXPECT_EQ(why.record, 1U);
  ASSERT_TRUE(why.idle);
  EXPECT_EQ(why.idle->usable, 1U);

  soma::trace::stop();
  const auto granted = grant_of(written(), block);
  EXPECT_EQ(granted["how"], "event");
  EXPECT_EQ(granted["freed_by_stream"], s1_.id());
  EXPECT_EQ(granted["event"], why.event);
  EXPECT_EQ(granted["usable"], 1);
  must(pool.free_async(block, s2_));
}

TEST_F(Trace, TellsWhyOtherBlocksWereRefused) {
  auto pool = make_pool({});
  auto event = must(device_.create_event());
  const gate held;
  must(soma::trace::start());
  hold(s1_, held);
  auto* const small = must(pool.malloc_async(2_M, s1_));
  auto* const ordered = must(pool.malloc_async(4_M, s1_));
  auto* const between = must(pool.malloc_async(2_M, s1_));
  auto* const later = must(pool.malloc_async(4_M, s1_));
  must(pool.free_async(ordered, s1_));
  must(s1_.record(event));
  must(s2_.wait(event));
  must(pool.free_async(later, s1_));
  auto* const fresh = must(pool.malloc_async(4_M, s2_));  // nothing may be reused: all switches are off
  const auto why = must(pool.explain(fresh));
  EXPECT_EQ(why.served, soma::served_by::new_memory);
  ASSERT_TRUE(why.idle);
  EXPECT_EQ(why.idle->usable, 0U);
  EXPECT_EQ(why.idle->event_off, 1U);
  EXPECT_EQ(why.idle->not_ordered, 1U);
  for (auto* const block : {small, between}) {
    must(pool.free_async(block, s1_));
  }
  must(pool.free_async(fresh, s2_));
}

TEST_F(Trace, TellsThatGranulesWereMovedThere) {
  auto pool = make_pool({.limit = 6_M, .minimum_block = 1_M});
  void* const first = must(pool.malloc_async(2_M, s1_));
  void* const between = must(pool.malloc_async(2_M, s1_));
  void* const last = must(pool.malloc_async(2_M, s1_));
  EXPECT_FALSE(must(pool.explain(last)).stitched);
  must(pool.free_async(first, s1_));
  must(pool.free_async(last, s1_));
  must(soma::trace::start());
  void* const stitched = must(pool.malloc_async(4_M, s1_));
  const auto why = must(pool.explain(stitched));
  EXPECT_EQ(why.served, soma::served_by::new_memory);
  EXPECT_TRUE(why.stitched);
  EXPECT_TRUE(grant_of(written(), stitched).value("stitched", false));
  must(pool.free_async(stitched, s1_));
  must(pool.free_async(between, s1_));
}

TEST_F(Trace, IsNotNeededForTheReasonItself) {
  auto pool = make_pool({});
  auto* const block = must(pool.malloc_async(4_M, s1_));
  EXPECT_EQ(must(pool.explain(block)).served, soma::served_by::new_memory);
  must(pool.free_async(block, s1_));
  EXPECT_TRUE(failed_with(pool.explain(block), errc::unknown_address));
  ASSERT_EQ(must(pool.malloc_async(4_M, s1_)), block);
  const auto why = must(pool.explain(block));
  EXPECT_EQ(why.served, soma::served_by::same_stream);
  EXPECT_EQ(why.freed_by_stream, s1_.id());
  EXPECT_EQ(why.freed_by_task, 2U);
  EXPECT_FALSE(why.idle);
  must(pool.free_async(block, s1_));
}

TEST_F(Trace, CountsWhatIsDropped) {
  must(soma::trace::start({.memory = 64 << 10}));
  for (int times = 0; times < 5000; ++times) {
    must(s1_.query());
  }
  const auto status = soma::trace::get_status();
  soma::trace::stop();
  EXPECT_GT(status.dropped, 5000U);
  EXPECT_GT(status.entries, 0U);
  EXPECT_LE(status.entries * 64, 64U << 10);
  const auto trace = written();
  EXPECT_EQ(trace["otherData"]["dropped"], status.dropped);
  std::map<std::uint64_t, int> ends;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "s" || event["ph"] == "f") {
      ++ends[event["id"]];
    }
  }
  for (const auto& [arrow, count] : ends) {
    EXPECT_EQ(count, 2) << arrow;
  }
}

TEST_F(Trace, StartsAnew) {
  must(soma::trace::start());
  must(s1_.query());
  soma::trace::stop();
  must(soma::trace::start());
  must(s2_.synchronize());
  soma::trace::stop();
  const auto trace = written();
  EXPECT_TRUE(slices(trace, "query_stream").empty());
  EXPECT_EQ(slices(trace, "synchronize_stream").size(), 1U);
}

TEST_F(Trace, HasDifferentNamesForPartsOfTwoRuntimes) {
  const auto other = must(soma::runtime::create());
  auto device = must(other.get_device());
  auto stream = must(device.create_stream());
  must(soma::trace::start());
  must(device_.default_stream().synchronize());
  must(device.default_stream().synchronize());
  soma::trace::stop();
  const auto trace = written();
  std::set<std::string> names;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["name"] == "thread_name") {
      EXPECT_TRUE(names.insert(event["args"]["name"]).second) << event;
    }
  }
  EXPECT_TRUE(names.contains("stream 1"));
}

TEST_F(Trace, TellsWhatIsWrong) {
  EXPECT_TRUE(succeeded(soma::trace::start()));
  const auto twice = soma::trace::start();
  EXPECT_TRUE(failed_with(twice, errc::not_permitted));
  const auto unwritable = soma::trace::write("/no/such/folder/trace.json");
  ASSERT_TRUE(failed_with(unwritable, errc::file_not_readable));
  EXPECT_THAT(unwritable.error().message, HasSubstr("/no/such/folder/trace.json"));
  EXPECT_THAT(unwritable.error().message, HasSubstr("No such file or directory"));
  soma::trace::stop();
  soma::trace::stop();
}

TEST_F(Trace, CanBeSwitchedAndWrittenWhileThreadsRun) {
  auto pool = make_pool({.minimum_block = 512});
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (auto* stream : {&s1_, &s2_, &s3_}) {
    threads.emplace_back([&, stream] {
      while (!stop.load()) {
        auto* const block = must(pool.malloc_async(4096, *stream));
        must(stream->fill(block, 1, 4096));
        must(pool.free_async(block, *stream));
      }
      must(stream->synchronize());
    });
  }
  for (int times = 0; times < 40; ++times) {
    must(soma::trace::start({.memory = 1_M}));
    while (soma::trace::get_status().entries < 500) {
      std::this_thread::yield();
    }
    const auto trace = written();
    EXPECT_LE(trace["otherData"]["handled"], trace["otherData"]["entries"]);
    soma::trace::stop();
  }
  stop.store(true);
  for (auto& thread : threads) {
    thread.join();
  }
}

}  // namespace
