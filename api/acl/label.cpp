// Labels. No model can be built, so no stream is bound to one.

#include <cstdint>
#include <memory>
#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/chip.hpp"
#include "api/acl/current.hpp"

namespace soma::acl {
namespace {

/// The live object of a handle that belongs to the current context.
template <class Table>
typename Table::pinned own_object(Table& table, void* handle, const char* noun) {
  auto found = table.find(handle);
  if (!found)
    refuse(ACL_ERROR_RT_INVALID_HANDLE, std::string(noun) + ' ' + to_text(handle) +
                                            " is not a live one: it was destroyed or never was one");
  static_cast<void>(current_context());
  if (found->context != current_context_handle())
    refuse(ACL_ERROR_RT_LABEL_CONTEXT,
           std::string(noun) + ' ' + to_text(handle) +
               " belongs to a context that is not the calling thread's current one");
  return found;
}

[[noreturn]] void refuse_no_model(void* stream) {
  refuse(ACL_ERROR_RT_STREAM_MODEL,
         "stream " + to_text(stream) +
             " is bound to no model, which a label needs; models cannot be built here");
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtCreateLabel(aclrtLabel* label) {
  return host_call("aclrtCreateLabel", [&] {
    require_not_null(label, "label");
    static_cast<void>(current_context());
    if (labels().size() >= chip::labels)
      refuse(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "there are " + std::to_string(chip::labels) +
                                                   " labels, the most that can exist: destroy some first");
    *label = labels().insert(std::make_shared<soma::acl::label>(soma::acl::label{current_context_handle()}));
  });
}

aclError aclrtDestroyLabel(aclrtLabel label) {
  return host_call("aclrtDestroyLabel", [&] {
    require_not_null(label, "label");
    static_cast<void>(own_object(labels(), label, "label"));
    labels().take(label);
  });
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream) {
  return host_call("aclrtSetLabel", [&] {
    require_not_null(label, "label");
    const auto found = own_object(labels(), label, "label");
    static_cast<void>(stream_argument(stream));
    refuse_no_model(stream);
  });
}

aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList) {
  return host_call("aclrtCreateLabelList", [&] {
    require_not_null(labels, "labels");
    require_not_null(labelList, "labelList");
    if (num == 0 || num > chip::labels)
      refuse(ACL_ERROR_INVALID_PARAM, "num is " + std::to_string(num) + ": it must be from 1 to 65535");
    for (std::size_t at = 0; at != num; ++at)
      static_cast<void>(own_object(soma::acl::labels(), labels[at], "label"));
    *labelList =
        label_lists().insert(std::make_shared<label_list>(label_list{current_context_handle(), num}));
  });
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList) {
  return host_call("aclrtDestroyLabelList", [&] {
    require_not_null(labelList, "labelList");
    static_cast<void>(own_object(label_lists(), labelList, "labelList"));
    label_lists().take(labelList);
  });
}

aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream) {
  return host_call("aclrtSwitchLabelByIndex", [&] {
    require_not_null(ptr, "ptr");
    require_not_null(labelList, "labelList");
    const auto found = own_object(label_lists(), labelList, "labelList");
    if (maxValue != found->labels)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "maxValue is " + std::to_string(maxValue) + ", but the list has " +
                                             std::to_string(found->labels) + " labels: pass that number");
    static_cast<void>(stream_argument(stream));
    refuse_no_model(stream);
  });
}
