/// The runtime's C interface, a header for each subject. It can be used from C11 and from C++17 on.
///
/// What holds for every call, and is not said again at each:
/// - A call returns 0 (ACL_SUCCESS) or an error code. Comments give the code's number; its name is
///   in acl_base_rt.h or error_codes/rt_error_codes.h. No C++ exception leaves a call.
/// - "Threads: any" means that any thread may call it, at the same time as any other call, also
///   with the same handles. Calls on one stream take effect in the order in which they reach it.
/// - "Threads: any but the device's" means the same, except from inside a host function or a
///   kernel: there the call changes nothing and returns 207006. soma: so do all calls that create,
///   destroy, allocate, free, launch or wait, as one of them could wait for the task that makes it.
/// - "Queues" means that the call returns once the task has its place in the stream. What fails
///   when the task runs is returned by the stream's next synchronise. The stream goes on after a
///   failed task (unless its failure mode says stop), and so do other streams.
/// - Sizes are in bytes.
/// - Of the arguments, a pointer to a result is the caller's memory and must not be NULL unless
///   the comment allows it. A handle given out belongs to the library until it is destroyed.
///
/// Codes that mean the same everywhere are listed without a reason:
///   107002  the calling thread has no current context
///   107003  the stream belongs to a context that is not the calling thread's current one
///   107017  the handle was destroyed, was never given out, or is of another kind
///   207001  no memory left, on the host or the device
///   207006  called from inside a host function or kernel
///
/// The current context is each thread's own: the one it set, else its device's primary context.
/// No call asks whether aclInit has run; what most need is a current context.
/// soma: in a child made by fork, and once the process is ending (from static destructors, say),
/// calls return 507033: the parent's devices are not the child's, and at the end they are gone.
/// soma: a bad value of the environment variables SOMA_DEVICE_MEMORY (bytes, or as 8G or 512M), SOMA_DEVICES,
/// SOMA_PLAIN_POOL and SOMA_SHORT_KERNEL_MS is 100000 from aclInit, or from the first call that needs a
/// device.
#ifndef SOMA_ACL_RT_H
#define SOMA_ACL_RT_H

#include "acl/acl_base.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_rt_builtin.h"
#include "acl/acl_rt_callback.h"
#include "acl/acl_rt_device.h"
#include "acl/acl_rt_device_control.h"
#include "acl/acl_rt_device_info.h"
#include "acl/acl_rt_event.h"
#include "acl/acl_rt_exception.h"
#include "acl/acl_rt_init.h"
#include "acl/acl_rt_kernel.h"
#include "acl/acl_rt_kernel_args.h"
#include "acl/acl_rt_label.h"
#include "acl/acl_rt_memory.h"
#include "acl/acl_rt_memory_copy.h"
#include "acl/acl_rt_memory_host.h"
#include "acl/acl_rt_memory_ipc.h"
#include "acl/acl_rt_memory_managed.h"
#include "acl/acl_rt_memory_query.h"
#include "acl/acl_rt_memory_virtual.h"
#include "acl/acl_rt_stream.h"
#include "acl/acl_rt_stream_control.h"
#include "acl/acl_rt_value.h"

#endif
