#include "api/acl/start_callbacks.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"

namespace soma::acl {
namespace {

int type_argument(const aclRegisterCallbackType& type) {
  const int number = number_of(type);
  if ((number < ACL_REG_TYPE_ACL_MODEL || number > ACL_REG_TYPE_ACL_RETR) && number != ACL_REG_TYPE_OTHER)
    refuse(ACL_ERROR_INVALID_PARAM,
           "type is " + std::to_string(number) + ": it must be from 0 to 7, or OTHER (65535)");
  return number;
}

/// Registered for the process, and never destroyed.
template <class Function>
class typed_callbacks {
public:
  struct entry {
    Function function;
    void* argument;
  };

  void add(const aclRegisterCallbackType& type, Function function, void* argument) {
    const int number = checked(type, function);
    const std::lock_guard guard{lock_};
    auto& of_type = entries_[number];
    if (number != ACL_REG_TYPE_OTHER && !of_type.empty())
      refuse(ACL_ERROR_INTERNAL_ERROR,
             "type " + std::to_string(number) +
                 " has its function: take it away first, or use ACL_REG_TYPE_OTHER");
    of_type.push_back({function, argument});
  }

  void remove(const aclRegisterCallbackType& type, Function function) {
    const int number = checked(type, function);
    const std::lock_guard guard{lock_};
    auto& of_type = entries_[number];
    const auto found = std::find_if(of_type.begin(), of_type.end(),
                                    [function](const entry& one) { return one.function == function; });
    if (found == of_type.end())
      refuse(ACL_ERROR_INTERNAL_ERROR, "cbFunc is not registered for type " + std::to_string(number) +
                                           ": pass the type that it was registered for");
    of_type.erase(found);
  }

  [[nodiscard]] std::vector<entry> all() {
    const std::lock_guard guard{lock_};
    std::vector<entry> found;
    for (const auto& [type, of_type] : entries_)
      found.insert(found.end(), of_type.begin(), of_type.end());
    return found;
  }

private:
  static int checked(const aclRegisterCallbackType& type, Function function) {
    if (function == nullptr)
      refuse(ACL_ERROR_INVALID_PARAM, "cbFunc is NULL: pass a function");
    return type_argument(type);
  }

  std::mutex lock_;
  std::map<int, std::vector<entry>> entries_;
};

typed_callbacks<aclInitCallbackFunc>& at_start() {
  static auto& only = *new typed_callbacks<aclInitCallbackFunc>;
  return only;
}

typed_callbacks<aclFinalizeCallbackFunc>& at_end() {
  static auto& only = *new typed_callbacks<aclFinalizeCallbackFunc>;
  return only;
}

}  // namespace

void tell_start(const std::string& configuration) {
  for (const auto& [function, argument] : at_start().all())
    if (const aclError code = function(configuration.c_str(), configuration.size(), argument);
        code != ACL_SUCCESS)
      refuse(code,
             "a function from aclInitCallbackRegister has returned this code: the library is not started");
}

void tell_end() {
  for (const auto& [function, argument] : at_end().all())
    if (const aclError code = function(argument); code != ACL_SUCCESS)
      refuse(code, "a function from aclFinalizeCallbackRegister has returned this code: the library has "
                   "ended all the same");
}

}  // namespace soma::acl

using namespace soma::acl;

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData) {
  return call("aclInitCallbackRegister", [&] {
    at_start().add(type, cbFunc, userData);
    std::string configuration;
    if (runs_with(configuration))
      static_cast<void>(cbFunc(configuration.c_str(), configuration.size(), userData));
  });
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  return call("aclInitCallbackUnRegister", [&] { at_start().remove(type, cbFunc); });
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc,
                                     void* userData) {
  return call("aclFinalizeCallbackRegister", [&] { at_end().add(type, cbFunc, userData); });
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc) {
  return call("aclFinalizeCallbackUnRegister", [&] { at_end().remove(type, cbFunc); });
}
