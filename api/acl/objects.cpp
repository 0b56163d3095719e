#include "api/acl/objects.hpp"

namespace soma::acl {

context_table& contexts() {
  static auto& table = *new context_table;
  return table;
}

stream_table& streams() {
  static auto& table = *new stream_table;
  return table;
}

event_table& events() {
  static auto& table = *new event_table;
  return table;
}

pool_table& pools() {
  static auto& table = *new pool_table;
  return table;
}

binary_table& binaries() {
  static auto& table = *new binary_table;
  return table;
}

function_table& functions() {
  static auto& table = *new function_table;
  return table;
}

}  // namespace soma::acl
