// Tables of calls of the C interface that have to fail: for each call its code, compared exactly, and what
// the text of the failure has to name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "acl/acl.h"

namespace support {

struct error_row {
  std::string function;
  aclError code;
  std::string names;  // the argument that is wrong, or what is missing
  std::function<aclError()> make_call;
};

/// Forgets what failed before in this thread.
inline void forget_failures() {
  static_cast<void>(aclGetRecentErrMsg());
  static_cast<void>(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

/// Makes the call and compares all that tells about its failure: the code, the text, and the last error,
/// which the checks that give 100000 leave alone.
inline void check_failure(const error_row& row) {
  SCOPED_TRACE(row.function + ", " + row.names + ", " + std::to_string(row.code));
  constexpr aclError first_that_counts = 107000;
  forget_failures();
  EXPECT_EQ(row.make_call(), row.code);
  const char* recent = aclGetRecentErrMsg();
  const std::string text = recent == nullptr ? "" : recent;
  EXPECT_THAT(text, testing::StartsWith(row.function + ": "));
  EXPECT_THAT(text, testing::HasSubstr(row.names));
  EXPECT_THAT(text, testing::EndsWith("[" + std::to_string(row.code) + "]"));
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), row.code >= first_that_counts ? row.code : ACL_SUCCESS);
}

inline void check_failures(const std::vector<error_row>& rows) {
  for (const auto& row : rows) {
    check_failure(row);
  }
}

}  // namespace support
