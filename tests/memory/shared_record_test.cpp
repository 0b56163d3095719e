// Records of shared memory, and the files and mappings under them. Other processes are in tests/acl_programs.

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "memory/memory_file.hpp"
#include "memory/shared_record.hpp"
#include "memory/sizes.hpp"
#include "support/failing_system.hpp"

namespace {

using namespace soma::memory;

constexpr shared_memory some_memory{7, 4096, 8192, 4096, 3, 0};

std::unique_ptr<shared_record> make(bool anyone) {
  auto made = shared_record::create(some_memory, anyone);
  EXPECT_TRUE(made);
  return std::move(*made);
}

TEST(SharedRecord, IsFoundByItsName) {
  const auto made = make(true);
  const auto name = shared_name_of(to_text(made->name()));
  ASSERT_TRUE(name);
  EXPECT_EQ(*name, made->name());
  EXPECT_LE(to_text(*name).size(), 64U);
  const auto opened = shared_record::open(*name);
  ASSERT_TRUE(opened);
  EXPECT_EQ((*opened)->what().file, 7);
  EXPECT_EQ((*opened)->what().offset, 4096U);
  EXPECT_EQ((*opened)->what().bytes, 8192U);
  EXPECT_EQ((*opened)->what().attribute, 3U);
}

TEST(SharedRecord, IsFoundByItsNumber) {
  const auto made = make(true);
  const auto number = to_number(made->name());
  ASSERT_TRUE(number);
  const auto name = shared_name_of(*number);
  EXPECT_TRUE(stands_for(name, made->name()));
  const auto opened = shared_record::open(name);
  ASSERT_TRUE(opened);
  EXPECT_EQ((*opened)->name(), made->name()) << "it knows its whole name now";
}

TEST(SharedRecord, IsNotFoundByAnotherCheck) {
  const auto made = make(true);
  auto name = made->name();
  name.check += 2;
  EXPECT_FALSE(shared_record::open(name));
  EXPECT_FALSE(stands_for(name, made->name()));
}

TEST(SharedRecord, IsNotFoundOnceItIsClosedOrGone) {
  auto made = make(true);
  const auto name = made->name();
  made->close();
  EXPECT_EQ(shared_record::open(name).error().code, fault_code::unknown_address);
  made.reset();
  EXPECT_EQ(shared_record::open(name).error().code, fault_code::unknown_address);
}

TEST(SharedRecord, IsNotReadFromAFileThatIsNone) {
  const auto other = memory_file::create(16);
  ASSERT_TRUE(other);
  const shared_name name{static_cast<std::int32_t>(::getpid()), (*other)->number(), 5};
  EXPECT_EQ(shared_record::open(name).error().code, fault_code::unknown_address);
}

TEST(SharedRecord, NamesWhoMayImport) {
  const auto made = make(false);
  const auto opened = shared_record::open(made->name());
  ASSERT_TRUE(opened);
  EXPECT_FALSE((*opened)->allows(1234));
  EXPECT_TRUE(made->allow({1234, 5678}));
  EXPECT_TRUE((*opened)->allows(1234)) << "both sides see the same record";
  EXPECT_TRUE((*opened)->allows(5678));
  EXPECT_FALSE((*opened)->allows(0));
  EXPECT_TRUE(make(true)->allows(1));
}

TEST(SharedRecord, HasRoomForSoManyProcesses) {
  const auto made = make(false);
  EXPECT_TRUE(made->allow(std::vector<std::int32_t>(500, 1)));
  EXPECT_EQ(made->allow(std::vector<std::int32_t>(13, 2)).error().code, fault_code::out_of_memory);
  EXPECT_FALSE(made->allows(2)) << "refused as a whole";
  EXPECT_TRUE(made->allow(std::vector<std::int32_t>(12, 2)));
}

TEST(SharedRecord, TextsThatAreNoNames) {
  for (const auto* text : {"", "soma", "soma-00000001-00000002", "other-00000001-00000002-0000000000000003",
                           "soma-00000001-00000002-0000000000000003x", "soma-1-2-3"}) {
    EXPECT_FALSE(shared_name_of(text)) << text;
  }
  EXPECT_TRUE(shared_name_of("soma-00000001-00000002-0000000000000003"));
}

TEST(SharedRecord, NumbersThatDoNotFit) {
  EXPECT_FALSE(to_number({1 << 22, 1, 1}));
  EXPECT_FALSE(to_number({1, 1 << 20, 1}));
  EXPECT_TRUE(to_number({(1 << 22) - 1, (1 << 20) - 1, 1}));
}

// -- mappings -----------------------------------------------------------------------------------------------

char* pointer(range where) { return reinterpret_cast<char*>(number(where.begin)); }

TEST(MemoryFile, HasTheSameBytesAtAllItsMappings) {
  const auto file = memory_file::create(granule_bytes);
  const auto one = take_addresses(granule_bytes);
  const auto other = take_addresses(granule_bytes);
  ASSERT_TRUE(file && one && other);
  EXPECT_EQ(number(one->begin) % granule_bytes, 0U);
  ASSERT_TRUE(map_file(*one, **file, 0, protection::read_write));
  ASSERT_TRUE(map_file(*other, **file, 0, protection::read));
  pointer(*one)[100] = 'x';
  EXPECT_EQ(pointer(*other)[100], 'x');
  ASSERT_TRUE(unmap_file(*one));
  ASSERT_TRUE(map_file(*one, **file, 0, protection::read_write));
  EXPECT_EQ(pointer(*one)[100], 'x');
  drop_addresses(*one);
  drop_addresses(*other);
}

TEST(MemoryFile, TellsWhatTheSystemRefuses) {
  using soma::memory::system_request;
  for (const auto refused : {system_request::memory_file, system_request::file_size}) {
    const support::failing_system system({refused}, 1);
    EXPECT_EQ(memory_file::create(4096).error().code, fault_code::system_failure);
  }
  const support::failing_system system({system_request::addresses}, 1);
  EXPECT_EQ(take_addresses(granule_bytes).error().code, fault_code::system_failure);
}

}  // namespace
