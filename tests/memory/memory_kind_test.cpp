// Huge pages and NUMA nodes: what the system says depends on the machine, but it is always said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/backing.hpp"
#include "memory/memory_kind.hpp"
#include "memory/sizes.hpp"

namespace {

using namespace soma::memory;
using testing::HasSubstr;

class MemoryKind : public testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(backing_->hold(whole_)); }
  void touch() const {
    for (std::uint64_t offset = 0; offset < whole_.bytes; offset += 4096) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the memory under test
      *reinterpret_cast<volatile char*>(number(whole_.begin + offset)) = 1;
    }
  }

  std::unique_ptr<backing> backing_ = backing::reserve(16 * granule_bytes, 16 * granule_bytes).value();
  range whole_{backing_->addresses().begin, 4 * granule_bytes};
};

TEST_F(MemoryKind, AWishIsGrantedOrRefusedWithAReason) {
  const auto answer = ask_for(whole_, {.huge_pages = true, .numa_node = 0});
  touch();
  const auto found = look_at({whole_}, 0);
  EXPECT_EQ(found.resident_bytes, whole_.bytes);
  if (answer.huge_pages && answer.numa_node) {
    EXPECT_EQ(answer.text, "");
  } else {
    EXPECT_NE(answer.text, "");
  }
  if (!answer.huge_pages) {
    EXPECT_THAT(answer.text, HasSubstr("no huge pages: "));
    EXPECT_EQ(found.huge_bytes, 0U);
  }
  if (!answer.numa_node) {
    EXPECT_THAT(answer.text, HasSubstr("no memory of NUMA node 0: "));
  }
  end_wish(whole_, {.huge_pages = true, .numa_node = 0});
}

TEST_F(MemoryKind, ANodeThatIsNotThereIsRefused) {
  const auto answer = ask_for(whole_, {.huge_pages = false, .numa_node = 1000});
  EXPECT_FALSE(answer.numa_node);
  EXPECT_THAT(answer.text, HasSubstr("no memory of NUMA node 1000: the system"));
  EXPECT_FALSE(ask_for(whole_, {.huge_pages = false, .numa_node = ~0U}).numa_node);
}

TEST_F(MemoryKind, ALittleMemoryHasNoHugePages) {
  const auto answer = ask_for({whole_.begin, 4096}, {.huge_pages = true, .numa_node = std::nullopt});
  EXPECT_FALSE(answer.huge_pages);
  EXPECT_THAT(answer.text, HasSubstr("no huge pages: "));
}

TEST_F(MemoryKind, WithoutAWishNothingIsAsked) {
  const auto answer = ask_for(whole_, {});
  EXPECT_FALSE(answer.huge_pages || answer.numa_node);
  EXPECT_EQ(answer.text, "");
  EXPECT_EQ(look_at({whole_}, std::nullopt).resident_bytes, 0U) << "untouched memory has no pages";
}

TEST(NumberList, IsReadAsTheSystemWritesIt) {
  for (const auto wanted : {0U, 2U, 3U, 8U}) {
    EXPECT_TRUE(is_in_list("0,2-3,8", wanted)) << wanted;
  }
  for (const auto wanted : {1U, 4U, 9U}) {
    EXPECT_FALSE(is_in_list("0,2-3,8", wanted)) << wanted;
  }
  EXPECT_FALSE(is_in_list("", 0));
}

}  // namespace
