// Contexts: each owns its streams and events, which are gone with it.

#include <string>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/current.hpp"
#include "api/acl/process.hpp"

using namespace soma::acl;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return host_call("aclrtCreateContext", [&] {
    require_not_null(context, "context");
    *context = make_context(device_argument("deviceId", deviceId), false);
    bind_thread(*context);
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  return host_call("aclrtDestroyContext", [&] {
    require_not_null(context, "context");
    const auto found = contexts().find(context);
    if (found && found->primary)
      refuse(ACL_ERROR_RT_CONTEXT_NULL,
             "context " + to_text(context) + " is the primary context of a device: reset the device instead");
    const bool is_current = found && current_context_handle() == context;
    if (!found || !end_context(context))
      refuse(ACL_ERROR_RT_CONTEXT_NULL,
             "context " + to_text(context) +
                 " is not a live context: it was destroyed before or never was one");
    if (is_current)
      bind_thread(nullptr);
  });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  return call("aclrtSetCurrentContext", [&] {
    require_not_null(context, "context");
    if (!contexts().find(context))
      refuse(ACL_ERROR_RT_PARAM_INVALID, "context " + to_text(context) +
                                             " is not a live context: pass one from aclrtCreateContext or "
                                             "aclrtGetCurrentContext that was not destroyed");
    bind_thread(context);
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  return call("aclrtGetCurrentContext", [&] {
    require_not_null(context, "context");
    current_context();  // refuses if there is none
    *context = current_context_handle();
  });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  return call("aclrtCtxGetCurrentDefaultStream", [&] {
    require_not_null(stream, "stream");
    *stream = current_context()->default_stream;
  });
}
