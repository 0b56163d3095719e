// Functions that are called when the library starts and ends.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "acl/bad_enums.h"
#include "support/error_table.hpp"

namespace {

using namespace support;

std::vector<std::string>& calls() {
  static std::vector<std::string> all;
  return all;
}

aclError at_start(const char* configuration, size_t bytes, void* name) {
  calls().push_back(std::string(static_cast<const char*>(name)) + ":" + std::string(configuration, bytes));
  return ACL_SUCCESS;
}

aclError refuse_to_start(const char*, size_t, void*) { return 12345; }

aclError at_end(void* name) {
  calls().emplace_back(static_cast<const char*>(name));
  return ACL_SUCCESS;
}

aclError refuse_to_end(void*) { return 54321; }

class StartCallbacks : public testing::Test {
protected:
  void SetUp() override { calls().clear(); }

  char first_[6] = "first";
  char second_[7] = "second";
};

TEST_F(StartCallbacks, AreCalledInTheOrderOfTheirTypes) {
  ASSERT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_start, second_), ACL_SUCCESS);
  ASSERT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, at_start, first_), ACL_SUCCESS);
  ASSERT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, at_end, second_), ACL_SUCCESS);
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(calls(), (std::vector<std::string>{"first:", "second:"}));
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(calls().size(), 2U) << "only the first start calls them";
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(calls().back(), "second");
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, at_start), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, at_start), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, at_end), ACL_SUCCESS);
  calls().clear();
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeReference(nullptr), ACL_SUCCESS);
  EXPECT_TRUE(calls().empty());
}

TEST_F(StartCallbacks, AreCalledAtOnceIfTheLibraryRuns) {
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, at_start, first_), ACL_SUCCESS);
  EXPECT_EQ(calls(), std::vector<std::string>{"first:"});
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, at_start), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_F(StartCallbacks, TheirFailuresAreReturned) {
  ASSERT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, refuse_to_start, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), 12345);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE) << "the library is not started";
  ASSERT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, refuse_to_start), ACL_SUCCESS);
  ASSERT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, refuse_to_end, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), 54321);
  ASSERT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, refuse_to_end), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE) << "the library has ended";
}

TEST_F(StartCallbacks, Errors) {
  ASSERT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_RETR, at_end, nullptr), ACL_SUCCESS);
  check_failures({
      {"aclInitCallbackRegister", 100000, "cbFunc",
       [] { return aclInitCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, nullptr); }},
      {"aclInitCallbackRegister", 100000, "type is 8", [] { return register_start_of(8, at_start); }},
      {"aclInitCallbackUnRegister", 500000, "not registered",
       [] { return aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, at_start); }},
      {"aclFinalizeCallbackRegister", 100000, "cbFunc",
       [] { return aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, nullptr); }},
      {"aclFinalizeCallbackRegister", 500000, "type 7",
       [] { return aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_RETR, at_end, nullptr); }},
      {"aclFinalizeCallbackUnRegister", 500000, "not registered",
       [] { return aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, at_end); }},
  });
  EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_RETR, at_end), ACL_SUCCESS);
}

}  // namespace
