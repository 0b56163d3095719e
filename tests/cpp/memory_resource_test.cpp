// Containers of the standard library in pools.

#include <map>
#include <memory_resource>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/cpp_fixture.hpp"

namespace {

using support::must;

class MemoryResource : public testing::Test {
protected:
  // A vector, a map and strings grow, shrink and are compared with what they should hold.
  static void use(std::pmr::memory_resource& resource) {
    std::pmr::vector<int> numbers(&resource);
    std::pmr::map<int, std::pmr::string> texts(&resource);
    for (int number = 0; number < 200; ++number) {
      numbers.push_back(number);
      texts[number % 37] = "a text that is too long to lie in the string itself: " + std::to_string(number);
    }
    EXPECT_EQ(numbers[123], 123);
    EXPECT_EQ(texts.size(), 37U);
    EXPECT_EQ(texts[36], "a text that is too long to lie in the string itself: 184");
  }

  // What a resource must refuse.
  static void refuse(std::pmr::memory_resource& resource, std::size_t too_much) {
    EXPECT_THROW(static_cast<void>(resource.allocate(too_much)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(resource.allocate(64, std::size_t{1} << 30)), std::bad_alloc);
    auto* const nothing = resource.allocate(0);
    EXPECT_NE(nothing, nullptr);
    resource.deallocate(nothing, 0);
    EXPECT_TRUE(resource.is_equal(resource));
    EXPECT_FALSE(resource.is_equal(*std::pmr::new_delete_resource()));
  }

  template <class Pool>
  static void check(Pool& pool) {
    soma::pool_resource resource(pool);
    use(resource);
    refuse(resource, std::size_t{1} << 40);
    EXPECT_EQ(must(pool.statistics()).live_blocks, 0U) << "what was not aligned was given back, too";
    EXPECT_TRUE(resource.is_equal(soma::pool_resource(pool)));
  }

  soma::runtime runtime_ = must(soma::runtime::create({.device_memory = std::uint64_t{256} << 20}));
  soma::device device_ = must(runtime_.get_device());
};

TEST_F(MemoryResource, OfEachPool) {
  auto fixed = must(soma::fixed_size_pool::create(device_, 1 << 20, 1024));
  check(fixed);
  auto variable = must(soma::variable_size_pool::create(device_, 1 << 20));
  check(variable);
  auto tiered =
      must(soma::tiered_pool::create(device_, {.tiers = {{64, 10}, {256, 10}}, .variable_bytes = 4096}));
  check(tiered);
  auto adaptive = must(soma::adaptive_allocator::create(device_));
  check(adaptive);
  auto reuser = must(soma::buffer_reuser::create(device_, 1 << 20));
  check(reuser);
  auto compactor = must(soma::compactor::create(device_, 1 << 20));
  check(compactor);
  std::vector<soma::fixed_size_pool> pools;
  pools.push_back(must(soma::fixed_size_pool::create(device_, 4096, 64)));
  soma::fast_allocator fast(std::move(pools), must(soma::variable_size_pool::create(device_, 1 << 20)));
  check(fast);
}

TEST_F(MemoryResource, ContainersLiveInAPool) {
  auto pool = must(soma::variable_size_pool::create(device_, 1 << 20));
  soma::pool_resource resource(pool);
  {
    std::pmr::vector<std::pmr::string> texts(&resource);
    for (int count = 0; count < 100; ++count) {
      texts.emplace_back("a text that is too long to lie in the string itself");
    }
    EXPECT_TRUE(pool.owns(texts.data()));
    EXPECT_TRUE(pool.owns(texts.back().data()));
    EXPECT_THROW(texts.reserve(1 << 20), std::bad_alloc);
    EXPECT_EQ(texts.size(), 100U);
  }
  EXPECT_EQ(must(pool.statistics()).live_blocks, 0U);
  EXPECT_TRUE(resource.is_equal(soma::pool_resource(pool)));
  EXPECT_FALSE(resource.is_equal(*std::pmr::new_delete_resource()));
  auto* const first = resource.allocate(64, 64);
  EXPECT_THROW(static_cast<void>(resource.allocate(64, 4096)), std::bad_alloc);
  EXPECT_EQ(must(pool.statistics()).live_blocks, 1U) << "what was not aligned was given back";
  resource.deallocate(first, 64, 64);
}

TEST_F(MemoryResource, ContainersLiveInAStreamOrderedPool) {
  auto pool = must(device_.create_pool({.minimum_block = 512}));
  auto stream = must(device_.create_stream());
  soma::stream_resource resource(pool, stream);
  {
    support::gate gate;
    must(stream.call(gate.task()));
    gate.open();
    std::pmr::vector<int> numbers(1000, 7, &resource);
    EXPECT_EQ(runtime_.locate(numbers.data()), soma::memory_location::device_pool);
    EXPECT_EQ(numbers[999], 7);
  }
  must(stream.synchronize());
  EXPECT_EQ(must(pool.get(soma::pool_attribute::used)), 0U);
}

}  // namespace
