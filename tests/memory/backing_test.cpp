// The memory behind the addresses: that it reads as zero, really goes back to the system, and stays out of
// children.

#include "memory/backing.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

unsigned char* bytes_at(address place) { return reinterpret_cast<unsigned char*>(number(place)); }

void fill(range part, int value) { std::memset(bytes_at(part.begin), value, part.bytes); }

bool is_zero(range part) {
  const auto* begin = bytes_at(part.begin);
  return std::all_of(begin, begin + part.bytes, [](unsigned char byte) { return byte == 0; });
}

/// Resident shared memory of this process, which is where pages of a memory file are counted.
std::uint64_t resident_shared_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "RssShmem:") {
      std::uint64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
  }
  ADD_FAILURE() << "the system does not tell the resident size of shared memory";
  return 0;
}

/// Whether a child crashes when it writes to this place.
bool child_crashes_writing_to(address place) {
  const auto child = ::fork();
  if (child == 0) {
    // The crash is wanted: no report of a sanitizer, and no core dump.
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    *static_cast<volatile unsigned char*>(bytes_at(place)) = 7;
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS);
}

class Backing : public testing::Test {
protected:
  Backing() {
    auto reserved = backing::reserve(128 * mebibyte, granule_bytes);
    if (reserved) {
      backing_ = std::move(*reserved);
    }
  }

  void SetUp() override { ASSERT_NE(backing_, nullptr); }

  [[nodiscard]] range granules(std::uint64_t first, std::uint64_t count) const {
    return {backing_->addresses().begin + first * granule_bytes, count * granule_bytes};
  }

  std::unique_ptr<backing> backing_;
};

TEST_F(Backing, TheRangeIsAsLargeAsWantedAndStartsAtAGranule) {
  EXPECT_EQ(backing_->addresses().bytes, 128 * mebibyte);
  EXPECT_EQ(number(backing_->addresses().begin) % granule_bytes, 0U);
}

TEST_F(Backing, AReservedRangeTakesNoMemoryAndCannotBeTouched) {
  EXPECT_TRUE(child_crashes_writing_to(granules(0, 1).begin));
}

TEST_F(Backing, HeldMemoryReadsAsZeroAndKeepsWhatIsWritten) {
  const auto part = granules(3, 2);
  ASSERT_TRUE(backing_->hold(part));
  EXPECT_TRUE(is_zero(part));
  fill(part, 0x5a);
  EXPECT_EQ(*bytes_at(part.begin), 0x5a);
  EXPECT_EQ(*bytes_at(address{number(part.end()) - 1}), 0x5a);
}

TEST_F(Backing, TheLastGranuleOfTheRangeCanBeHeld) {
  const auto last = granules(63, 1);
  ASSERT_EQ(last.end(), backing_->addresses().end());
  ASSERT_TRUE(backing_->hold(last));
  fill(last, 1);
  EXPECT_TRUE(backing_->release(last));
}

TEST_F(Backing, SeveralPartsAreHeldTogetherOrNotAtAll) {
  const range nowhere{address{std::uint64_t{1} << 62}, granule_bytes};
  const auto refused = backing_->hold(std::vector{granules(0, 1), nowhere});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, fault_code::system_failure);
  EXPECT_TRUE(child_crashes_writing_to(granules(0, 1).begin));
  ASSERT_TRUE(backing_->hold(std::vector{granules(0, 1), granules(2, 1)}));
  fill(granules(0, 1), 1);
  fill(granules(2, 1), 1);
  EXPECT_TRUE(child_crashes_writing_to(granules(1, 1).begin));
}

TEST_F(Backing, TellsWhichPartsWereTouched) {
  const auto whole = granules(0, 64);
  EXPECT_TRUE(backing_->touched(whole).empty());
  ASSERT_TRUE(backing_->hold(granules(1, 4)));
  EXPECT_TRUE(backing_->touched(whole).empty());
  fill(granules(1, 1), 1);
  fill(granules(3, 2), 1);
  EXPECT_EQ(backing_->touched(whole), (std::vector{granules(1, 1), granules(3, 2)}));
  EXPECT_EQ(backing_->touched(granules(4, 8)), std::vector{granules(4, 1)});
  EXPECT_TRUE(backing_->touched(granules(2, 1)).empty());
  ASSERT_TRUE(backing_->release(granules(3, 1)));
  EXPECT_EQ(backing_->touched(whole), (std::vector{granules(1, 1), granules(4, 1)}));
}

TEST_F(Backing, ReleasedMemoryReadsAsZeroWhenItIsHeldAgain) {
  const auto part = granules(1, 1);
  ASSERT_TRUE(backing_->hold(part));
  fill(part, 0xff);
  ASSERT_TRUE(backing_->release(part));
  ASSERT_TRUE(backing_->hold(part));
  EXPECT_TRUE(is_zero(part));
}

TEST_F(Backing, ReleasingAPartLeavesItsNeighboursAsTheyWere) {
  ASSERT_TRUE(backing_->hold(granules(0, 3)));
  fill(granules(0, 3), 0x11);
  ASSERT_TRUE(backing_->release(granules(1, 1)));
  EXPECT_EQ(*bytes_at(address{number(granules(0, 1).end()) - 1}), 0x11);
  EXPECT_EQ(*bytes_at(granules(2, 1).begin), 0x11);
  ASSERT_TRUE(backing_->hold(granules(1, 1)));
  EXPECT_TRUE(is_zero(granules(1, 1)));
}

TEST_F(Backing, ReleasedMemoryCannotBeTouched) {
  const auto part = granules(0, 1);
  ASSERT_TRUE(backing_->hold(part));
  fill(part, 1);
  ASSERT_TRUE(backing_->release(part));
  // In this process: a child could not touch it anyway. The system refuses to read from what is not mapped.
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  EXPECT_EQ(::write(ends[1], bytes_at(part.begin), 1), -1);
  ASSERT_TRUE(backing_->hold(part));
  EXPECT_EQ(::write(ends[1], bytes_at(part.begin), 1), 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(Backing, TheResidentSizeRisesWithUseAndFallsWithRelease) {
  const auto part = granules(0, 32);
  const auto before = resident_shared_bytes();
  ASSERT_TRUE(backing_->hold(part));
  EXPECT_LT(resident_shared_bytes(), before + mebibyte) << "memory that nobody touched";
  fill(part, 1);
  const auto touched = resident_shared_bytes();
  EXPECT_GE(touched, before + 60 * mebibyte);
  ASSERT_TRUE(backing_->release(part));
  EXPECT_LE(resident_shared_bytes() + 60 * mebibyte, touched);
}

TEST_F(Backing, AChildDoesNotHaveTheRange) {
  const auto part = granules(0, 2);
  ASSERT_TRUE(backing_->hold(part));
  fill(part, 0x22);
  EXPECT_TRUE(child_crashes_writing_to(part.begin));
  EXPECT_TRUE(child_crashes_writing_to(address{number(part.end()) - 1}));
  EXPECT_EQ(*bytes_at(part.begin), 0x22) << "the parent's memory is as it was";
}

TEST_F(Backing, AChildDoesNotHaveMemoryThatWasReleasedAndHeldAgain) {
  const auto part = granules(0, 2);
  ASSERT_TRUE(backing_->hold(part));
  ASSERT_TRUE(backing_->release(granules(1, 1)));
  ASSERT_TRUE(backing_->hold(granules(1, 1)));
  EXPECT_TRUE(child_crashes_writing_to(granules(1, 1).begin));
}

// Wherever the system puts the mapping, seldom at a multiple of a granule, a release hits its own granules.
TEST(BackingReserve, ReleasingHitsTheSameMemoryWhereverTheMappingStarts) {
  constexpr std::uint64_t gap_bytes = 64 * mebibyte + 4096;  // moves the next mapping by a page
  std::array<void*, 4> gaps{};
  for (auto& gap : gaps) {
    gap = ::mmap(nullptr, gap_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(gap, MAP_FAILED);
    auto reserved = backing::reserve(64 * mebibyte, 64 * mebibyte);
    ASSERT_TRUE(reserved);
    const auto begin = (*reserved)->addresses().begin;
    EXPECT_EQ(number(begin) % granule_bytes, 0U);
    const range both{begin, 2 * granule_bytes};
    const range second{begin + granule_bytes, granule_bytes};
    ASSERT_TRUE((*reserved)->hold(both));
    fill(both, 0x33);
    ASSERT_TRUE((*reserved)->release(second));
    EXPECT_EQ(*bytes_at(address{number(second.begin) - 1}), 0x33);
    ASSERT_TRUE((*reserved)->hold(second));
    EXPECT_TRUE(is_zero(second));
  }
  for (auto* gap : gaps) {
    ::munmap(gap, gap_bytes);
  }
}

TEST(BackingReserve, ARangeLargerThanTheSystemGivesIsHalvedUntilItWorks) {
  constexpr auto wanted = std::uint64_t{1} << 50;
  auto reserved = backing::reserve(wanted, granule_bytes);
  ASSERT_TRUE(reserved) << reserved.error().text;
  const auto bytes = (*reserved)->addresses().bytes;
  EXPECT_LT(bytes, wanted);
  EXPECT_GE(bytes, granule_bytes);
  EXPECT_EQ(bytes % granule_bytes, 0U);
  const range last{address{number((*reserved)->addresses().end()) - granule_bytes}, granule_bytes};
  ASSERT_TRUE((*reserved)->hold(last)) << "what it says it has, it has";
  fill(last, 1);
}

TEST(BackingReserve, LessThanTheLeastIsAFailureOfTheSystemWithAText) {
  constexpr auto wanted = std::uint64_t{1} << 62;
  const auto reserved = backing::reserve(wanted, wanted);
  ASSERT_FALSE(reserved);
  EXPECT_EQ(reserved.error().code, fault_code::system_failure);
  EXPECT_NE(reserved.error().text.find("4611686018427387904 bytes"), std::string::npos);
}

TEST(BackingReserve, WhatAMachineIsAskedForCanBeReserved) {
  const auto reserved = backing::reserve(backing::sensible_range(), granule_bytes);
  ASSERT_TRUE(reserved) << reserved.error().text;
}

TEST(BackingReserve, TheEndOfABackingGivesItsMemoryBack) {
  const auto before = resident_shared_bytes();
  {
    auto reserved = backing::reserve(64 * mebibyte, 64 * mebibyte);
    ASSERT_TRUE(reserved);
    ASSERT_TRUE((*reserved)->hold((*reserved)->addresses()));
    fill((*reserved)->addresses(), 1);
    EXPECT_GE(resident_shared_bytes(), before + 60 * mebibyte);
  }
  EXPECT_LT(resident_shared_bytes(), before + 4 * mebibyte);
}

// -- guarding -----------------------------------------------------------------------------------------------

/// Whether the system can read there on behalf of this process.
bool is_accessible(address place) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const auto written = ::write(ends[1], bytes_at(place), 1);
  ::close(ends[0]);
  ::close(ends[1]);
  return written == 1;
}

TEST_F(Backing, GuardedGranulesAreInaccessibleAndKeepWhatTheyHold) {
  const auto second = granules(1, 1);
  ASSERT_TRUE(backing_->hold(granules(0, 2)));
  fill(granules(0, 2), 0x5a);
  ASSERT_TRUE(backing_->guard(second));
  EXPECT_TRUE(is_accessible(address{number(second.begin) - 1}));
  EXPECT_FALSE(is_accessible(second.begin));
  ASSERT_TRUE(backing_->unguard(second));
  EXPECT_TRUE(is_accessible(second.begin));
  EXPECT_EQ(*bytes_at(second.begin), 0x5a);
}

}  // namespace
