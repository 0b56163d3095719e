// Functions of the program as tasks of a stream.

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"

using namespace soma::acl;

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return host_call("aclrtLaunchHostFunc", [&](const soma::place& at) {
    if (fn == nullptr)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "fn is NULL: pass a function");
    const auto on = stream_argument(stream);
    const soma::access used[] = {{args}};
    value_of(on->queue.call(
        [fn, args, context = on->context] {
          const context_scope scope(context);
          fn(args);
        },
        used, at));
  });
}
