// The subcommand trace: what it shows of a real trace, and what it says of files that are none.
#include "tools/trace_command.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "soma/soma.hpp"
#include "support/cpp_fixture.hpp"
#include "tools/finished_command.hpp"
#include "tools/replay_command.hpp"
#include "tools/trace_text.hpp"

namespace soma::tools {

namespace {

using support::must;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

finished run_trace(std::vector<std::string> arguments) {
  return run_command(add_trace_command, "trace", std::move(arguments));
}

std::string address_of(const void* block) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", block);
  return text;
}

// A block that goes from one stream to another along an event, and a reader that waits.
class TraceCommand : public testing::Test {
protected:
  TraceCommand() {
    const auto runtime = soma::runtime::create().value();
    auto device = runtime.get_device().value();
    auto one = device.create_stream().value();
    auto other = device.create_stream().value();
    auto event = device.create_event().value();
    auto pool = device.create_pool({.reuse = {.event = true}}).value();
    start_trace();
    support::gate held;
    must(one.call(held.task()));
    block_ = pool.malloc_async(4096, one).value();
    must(one.fill(block_, 1, 4096));
    must(pool.free_async(block_, one));
    must(one.record(event));
    must(other.wait(event));
    EXPECT_EQ(pool.malloc_async(4096, other).value(), block_);
    held.open();
    must(other.synchronize());
    must(pool.free_async(block_, other));
    must(device.synchronize());
    soma::trace::stop();
    must(soma::trace::write(path_));
    stream_ = "stream " + std::to_string(one.id());
    other_stream_ = "stream " + std::to_string(other.id());
  }

  ~TraceCommand() override { std::remove(path_.c_str()); }

  static void start_trace() { must(soma::trace::start()); }

  std::string path_ = testing::TempDir() + "soma_trace_command_" + std::to_string(::getpid()) + ".json";
  void* block_ = nullptr;
  std::string stream_;
  std::string other_stream_;
};

TEST_F(TraceCommand, PrintsASummary) {
  const auto done = run_trace({path_});
  ASSERT_EQ(done.status, exit_done) << done.err;
  for (const auto* text :
       {"Messages by kind", "grant_block", "Messages by sender and receiver", "thread 1 -> ", "Calls",
        "pool::malloc_async", "Work on engines", "host function", "Longest chains"}) {
    EXPECT_THAT(done.out, HasSubstr(text));
  }
  EXPECT_THAT(done.out, ContainsRegex("dropped entries +0"));
  EXPECT_THAT(done.out, HasSubstr(other_stream_ + " for event "));
  EXPECT_THAT(done.out, HasSubstr("(" + stream_ + "'s task 5)"));
}

TEST_F(TraceCommand, TellsTheLivesOfABlock) {
  const auto done = run_trace({"--block", address_of(block_), path_});
  ASSERT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.out, HasSubstr("life 1: 2,097,152 bytes of pool"));
  EXPECT_THAT(done.out, HasSubstr("allocated by pool::malloc_async on thread"));
  EXPECT_THAT(done.out, HasSubstr("served: new memory"));
  EXPECT_THAT(done.out, HasSubstr("was given a task that writes 4,096 bytes of it, by stream::fill"));
  EXPECT_THAT(done.out, HasSubstr("freed by pool::free_async on thread"));
  EXPECT_THAT(done.out, HasSubstr("as " + stream_ + "'s task 4"));
  EXPECT_THAT(done.out, HasSubstr("the free was executed"));
  EXPECT_THAT(done.out, HasSubstr("taken next as a block of 2,097,152 bytes"));
  EXPECT_THAT(done.out, HasSubstr("life 2"));
  EXPECT_THAT(done.out, HasSubstr("served: event: freed by " + stream_ + "'s task 4; event "));
  EXPECT_THAT(done.out, HasSubstr("idle pieces: 1 could be used"));
}

TEST_F(TraceCommand, TellsThatItDoesNotKnowABlock) {
  const auto unknown = run_trace({"--block", "0x10", path_});
  EXPECT_EQ(unknown.status, exit_failed);
  EXPECT_THAT(unknown.err, HasSubstr("no block at 0x10 was granted in this trace; some that were: 0x"));
  const auto inside = run_trace({"--block", address_of(static_cast<char*>(block_) + 8), path_});
  EXPECT_THAT(inside.err, HasSubstr("it is inside of the block at " + address_of(block_)));
  const auto wrong = run_trace({"--block", "here", path_});
  EXPECT_EQ(wrong.status, exit_usage);
  EXPECT_THAT(wrong.err, HasSubstr("\"here\" is no address"));
}

TEST_F(TraceCommand, PrintsASequenceOfMallocWorkAndFree) {
  const auto done = run_trace({"--sequence", path_});
  ASSERT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.out, testing::StartsWith("sequenceDiagram\n"));
  EXPECT_THAT(done.out, HasSubstr("as " + stream_));
  EXPECT_THAT(done.out, ContainsRegex("p1->>p2: malloc_async of 4,096 bytes"));
  EXPECT_THAT(done.out, ContainsRegex("p2->>p3: grant_block of 4,096 bytes"));
  EXPECT_THAT(done.out, ContainsRegex("p3->>p2: answered block_granted"));
  EXPECT_THAT(done.out, ContainsRegex("p2-->>p1: answer"));
  EXPECT_THAT(done.out, ContainsRegex("p1->>p2: submit_work of 4,096 bytes"));
  EXPECT_THAT(done.out, ContainsRegex("p1->>p2: free_async"));
  EXPECT_THAT(done.out, ContainsRegex("p2->>p3: give_back"));
}

TEST_F(TraceCommand, PrintsASequenceOfTheCallThatIsChosen) {
  const auto done = run_trace({"--sequence", "--call", "wait", path_});
  ASSERT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.out, HasSubstr("stream::wait"));
  EXPECT_THAT(done.out, HasSubstr("order_query"));
  EXPECT_THAT(done.out, Not(HasSubstr("malloc_async")));
  const auto none = run_trace({"--sequence", "--call", "fly", path_});
  EXPECT_EQ(none.status, exit_failed);
  EXPECT_THAT(none.err, HasSubstr("no call with \"fly\" in its name"));
}

TEST_F(TraceCommand, PrintsTheOrderOfTasks) {
  const auto done = run_trace({"--dot", path_});
  ASSERT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.out, testing::StartsWith("digraph order {\n"));
  EXPECT_THAT(done.out, HasSubstr("label=\"" + stream_ + "\""));
  EXPECT_THAT(done.out, ContainsRegex("t[0-9]+_2 \\[label=\"2: malloc 0x"));
  EXPECT_THAT(done.out, ContainsRegex("t[0-9]+_4 \\[label=\"4: free 0x"));
  EXPECT_THAT(done.out, ContainsRegex("t[0-9]+_5 -> t[0-9]+_1 \\[label=\"event "));
}

// A malloc that reuses what another stream has freed, and waits for that free by itself.
TEST_F(TraceCommand, PrintsTheOrderThatAnInsertedWaitMakes) {
  const auto runtime = soma::runtime::create().value();
  auto device = runtime.get_device().value();
  auto one = device.create_stream().value();
  auto other = device.create_stream().value();
  auto pool = device.create_pool({.limit = soma::granule_bytes, .reuse = {.internal = true}}).value();
  start_trace();
  support::gate held;
  must(one.call(held.task()));
  auto* const block = pool.malloc_async(4096, one).value();
  must(pool.free_async(block, one));  // its task 3
  must(other.call([] {}));
  EXPECT_EQ(pool.malloc_async(4096, other).value(), block);  // its task 2
  held.open();
  must(other.synchronize());
  soma::trace::stop();
  must(soma::trace::write(path_));

  const auto done = run_trace({"--dot", path_});
  ASSERT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.out, HasSubstr("t" + std::to_string(one.id()) + "_3 -> t" + std::to_string(other.id()) +
                                  "_2 [label=\"inserted wait\", color=blue]"));
  EXPECT_THAT(done.out, Not(HasSubstr("label=\"event ")));
}

TEST_F(TraceCommand, DrawsAPicture) {
  const auto picture = path_ + ".svg";
  const auto done = run_trace({"--svg", picture, path_});
  ASSERT_EQ(done.status, exit_done) << done.err;
  std::ifstream file(picture);
  std::stringstream text;
  text << file.rdbuf();
  std::remove(picture.c_str());
  EXPECT_THAT(text.str(), testing::StartsWith("<svg "));
  EXPECT_THAT(text.str(), HasSubstr(">" + stream_ + "</text>"));
  EXPECT_THAT(text.str(), HasSubstr("answered&lt;block_granted&gt;"));
  const auto unwritable = run_trace({"--svg", "/no/such/folder/picture.svg", path_});
  EXPECT_EQ(unwritable.status, exit_failed);
  EXPECT_THAT(unwritable.err, HasSubstr("/no/such/folder/picture.svg: cannot be written"));
}

TEST_F(TraceCommand, ComesFromAReplay) {
  const temporary_file csv(text_of({"malloc,1,1000,0", "free,1,1000,0"}));
  const auto replayed = run_command(add_replay_command, "replay", {"--trace", path_, csv.path()});
  ASSERT_EQ(replayed.status, exit_done) << replayed.err;
  const auto done = run_trace({path_});
  EXPECT_EQ(done.status, exit_done) << done.err;
  EXPECT_THAT(done.out, HasSubstr("pool::malloc_async"));
}

struct broken_file {
  const char* name;
  const char* content;
  const char* said;
};

class TraceCommandError : public testing::TestWithParam<broken_file> {};

TEST_P(TraceCommandError, IsToldWithWhatIsWrong) {
  const temporary_file file(GetParam().content);
  const auto done = run_trace({file.path()});
  EXPECT_EQ(done.status, exit_failed);
  EXPECT_THAT(done.err, HasSubstr("soma: " + file.path() + ": "));
  EXPECT_THAT(done.err, HasSubstr(GetParam().said));
  EXPECT_THAT(done.out, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Files, TraceCommandError,
    testing::Values(
        broken_file{"Empty", "", "the file is empty"},
        broken_file{"Csv", "op,id,bytes,stream,time_us\n", "it is not JSON, from byte 1 on"},
        broken_file{"CutShort", R"({"traceEvents":[{"ph":"M","pid":1,)", "the file is cut short"},
        broken_file{"CutBetweenEvents", "{\"traceEvents\":[\n", "the file is cut short"},
        broken_file{"OtherJson", R"({"a":1})", "no message trace of soma"},
        broken_file{"List", "[1,2]", "no message trace of soma"},
        broken_file{"TraceOfAnother", R"({"traceEvents":[],"otherData":{}})", "no message trace of soma"},
        broken_file{"EventWithoutKind", R"({"traceEvents":[{"pid":1}],"otherData":{"soma_trace":1}})",
                    "event 1 of the trace is not as soma writes it"},
        broken_file{
            "SliceWithoutId",
            R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"cat":"message","name":"m","args":{}}],)"
            R"("otherData":{"soma_trace":1,"messages":1,"handled":1,"dropped":0}})",
            "event 1 of the trace is not as soma writes it"},
        broken_file{
            "TimeThatIsNoNumber",
            R"({"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":"x","cat":"message","name":"m","args":{"id":1}}],)"
            R"("otherData":{"soma_trace":1,"messages":1,"handled":1,"dropped":0}})",
            "event 1 of the trace is not as soma writes it"},
        broken_file{"NoCounts", R"({"traceEvents":[],"otherData":{"soma_trace":1}})",
                    "the summary in the trace is not as soma writes it"}),
    [](const auto& given) { return std::string(given.param.name); });

TEST(TraceCommandErrors, AreAlsoFilesThatAreNotThere) {
  const auto done = run_trace({"/no/such/trace.json"});
  EXPECT_EQ(done.status, exit_failed);
  EXPECT_THAT(done.err, HasSubstr("/no/such/trace.json: cannot be opened: No such file or directory"));
}

TEST(TraceCommandErrors, OptionsThatExcludeEachOther) {
  EXPECT_EQ(run_trace({"--dot", "--sequence", "x.json"}).status, exit_usage);
  EXPECT_EQ(run_trace({}).status, exit_usage);
}

TEST(TraceCommandWithoutMessages, PrintsASummary) {
  const temporary_file file(
      R"({"traceEvents":[],"otherData":{"soma_trace":1,"messages":0,"handled":0,"dropped":0}})");
  EXPECT_EQ(run_trace({file.path()}).status, exit_done);
  EXPECT_THAT(run_trace({"--sequence", file.path()}).err,
              HasSubstr("no call that allocated a block of a pool"));
}

// Causes that are a circle, which no trace of ours has, must not hang the tool.
TEST(TraceCommandWithACircle, Ends) {
  const temporary_file file(
      R"({"traceEvents":[)"
      R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"cat":"message","name":"a","args":{"id":1,"cause":2}},)"
      R"({"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"cat":"message","name":"b","args":{"id":2,"cause":1}}],)"
      R"("otherData":{"soma_trace":1,"messages":2,"handled":2,"dropped":0}})");
  EXPECT_EQ(run_trace({file.path()}).status, exit_done);
}

}  // namespace

}  // namespace soma::tools
