// Bursts of launches, which engines take without messages while they keep up: order, and nothing lost,
// whatever comes between.

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;
using soma::errc;

class Bursts : public cpp_fixture {
protected:
  /// What the tasks of a stream have written down, by which thread launched them.
  struct task_note {
    int thread;
    int number;
  };

  static std::vector<int> of_thread(const std::vector<task_note>& notes, int thread) {
    std::vector<int> numbers;
    for (const auto& note : notes) {
      if (note.thread == thread) {
        numbers.push_back(note.number);
      }
    }
    return numbers;
  }

  static std::vector<int> up_to(int count) {
    std::vector<int> numbers;
    for (int number = 0; number < count; ++number) {
      numbers.push_back(number);
    }
    return numbers;
  }

  /// Something other than a launch, another one each time.
  void do_something_else(int turn, soma::pool& pool, soma::event& event) {
    switch (turn % 6) {
    case 0:
      EXPECT_TRUE(succeeded(s1_.query()));
      break;
    case 1:
      EXPECT_TRUE(succeeded(s1_.synchronize()));
      break;
    case 2:
      EXPECT_TRUE(succeeded(s1_.record(event)));
      break;
    case 3:
      EXPECT_TRUE(succeeded(s1_.wait(event)));
      break;
    case 4: {
      const auto block = pool.malloc_async(4096, s1_);
      ASSERT_TRUE(succeeded(block));
      EXPECT_TRUE(succeeded(pool.free_async(*block, s1_)));
      break;
    }
    default:
      break;
    }
  }
};

TEST_F(Bursts, KeepTheOrderOfEachThread) {
  constexpr int threads = 3;
  constexpr int launches = 4000;
  auto pool = make_pool({.minimum_block = 512});
  std::vector<task_note> notes;  // the stream runs one task at a time
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      auto event = must(device_.create_event());
      for (int number = 0; number < launches; ++number) {
        must(s1_.call([&notes, thread, number] { notes.push_back({thread, number}); }));
        if (thread > 0 && number % (97 * thread) == 0) {
          do_something_else(number / (97 * thread), pool, event);
        }
      }
    });
  }
  for (auto& thread : all) {
    thread.join();
  }
  must(settle(s1_));
  for (int thread = 0; thread < threads; ++thread) {
    EXPECT_EQ(of_thread(notes, thread), up_to(launches));
  }
}

TEST_F(Bursts, AreRunToTheirEndWhenTheStreamIsDestroyed) {
  constexpr int launches = 1000;
  for (int turn = 0; turn < 20; ++turn) {
    std::atomic<int> run{0};
    {
      auto stream = make_stream();
      for (int number = 0; number < launches; ++number) {
        must(stream.call([&run] { ++run; }));
      }
    }
    EXPECT_TRUE(eventually([&] { return run == launches; }));
  }
}

TEST_F(Bursts, EndWithAFailureWhereTheStreamStops) {
  constexpr int launches = 1000;
  for (int fails = 0; fails < launches; fails += 111) {
    auto stream = make_stream();
    must(stream.set_failure_mode(soma::failure_mode::stop));
    std::atomic<int> last{-1};
    for (int number = 0; number < launches; ++number) {
      const auto submitted = stream.call([&last, number, fails] {
        last = number;
        if (number == fails) {
          throw std::runtime_error("on purpose");
        }
      });
      if (!submitted) {
        EXPECT_EQ(submitted.error().code, errc::stream_stopped) << submitted.error().message;
        break;
      }
    }
    EXPECT_TRUE(failed_with(settle(stream), errc::task_failed));
    EXPECT_EQ(last, fails);
  }
}

TEST_F(Bursts, AreCutShortByAnAbort) {
  static constexpr int launches = 1000;
  for (int turn = 0; turn < 20; ++turn) {
    std::vector<int> run;
    for (int number = 0; number < launches; ++number) {
      must(s1_.call([&run, number] { run.push_back(number); }));
    }
    must(s1_.abort());
    const auto had_run = run.size();  // no engine has any of it now
    must(s1_.call([&run] { run.push_back(launches); }));
    must(settle(s1_));
    auto expected = up_to(static_cast<int>(had_run));
    expected.push_back(launches);
    EXPECT_EQ(run, expected);
  }
}

}  // namespace
