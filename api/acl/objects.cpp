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

notify_table& notifies() {
  static auto& table = *new notify_table;
  return table;
}

label_table& labels() {
  static auto& table = *new label_table;
  return table;
}

label_list_table& label_lists() {
  static auto& table = *new label_list_table;
  return table;
}

}  // namespace soma::acl
