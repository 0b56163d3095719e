/// Devices that reach each other's memory, calls when devices are set and reset, and ending their work.
/// Conventions and the codes without a reason: acl_rt.h.
#ifndef SOMA_ACL_RT_DEVICE_CONTROL_H
#define SOMA_ACL_RT_DEVICE_CONTROL_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether tasks of one device can reach memory of another: 1. soma: all devices are in one process, so
/// copies between them work whether access was enabled or not.
/// Threads: any.
/// Errors: 100000 `canAccessPeer` is NULL, or both are the same; 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId,
                                                      int32_t peerDeviceId);

/// Lets the current device's tasks reach memory of another, or no longer. One direction.
/// Threads: any.
/// Errors: 107000 it is the current device itself; 107001 there is no such device; 107002;
/// 200006 `flags` is not 0.
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/// Whether it was enabled: 1 or 0.
/// Threads: any.
/// Errors: 100000 `status` is NULL, or both are the same; 107001 there is no such device.
ACL_FUNC_VISIBILITY aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
                                                         int32_t* status);

/// What is about to happen to a device's primary context, or has just happened.
typedef enum {
  ACL_RT_DEVICE_STATE_SET_PRE = 0,
  ACL_RT_DEVICE_STATE_SET_POST = 1,
  ACL_RT_DEVICE_STATE_RESET_PRE = 2,
  ACL_RT_DEVICE_STATE_RESET_POST = 3
} aclrtDeviceState;

/// A function that is told of that, with what was given when it was registered.
typedef void (*aclrtDeviceStateCallback)(int32_t deviceId, aclrtDeviceState state, void* args);

/// Has a function called when aclrtSetDevice makes a primary context (before and after), and when a reset
/// destroys it: in the thread that makes the call. `callback` NULL takes the name's function away.
/// Threads: any. Errors: 100000 `regName` is NULL; 107000 the name is taken.
ACL_FUNC_VISIBILITY aclError aclrtRegDeviceStateCallback(const char* regName,
                                                         aclrtDeviceStateCallback callback, void* args);

/// Whether an abort is about to happen or has happened.
typedef enum {
  ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
  ACL_RT_DEVICE_TASK_ABORT_POST = 1
} aclrtDeviceTaskAbortStage;

/// Returns 0, or anything else if it failed.
typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t deviceId, aclrtDeviceTaskAbortStage stage,
                                                uint32_t timeout, void* args);

/// Has a function called before and after aclrtDeviceTaskAbort, in the thread that makes the call.
/// `callback` NULL takes the name's function away.
/// Threads: any. Errors: 100000 `regName` is NULL; 107000 the name is taken.
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceTaskAbortCallback(const char* regName,
                                                             aclrtDeviceTaskAbortCallback callback,
                                                             void* args);

/// Ends the running tasks of all streams of the device and drops those that are queued, as
/// aclrtStreamAbort does for one. Threads that wait for them get 107022. `timeout` is in milliseconds;
/// 0 waits for ever.
/// Threads: any but the device's.
/// Errors: 107001 there is no such device; 107020 a task did not end in time; 207006; what a callback
/// returned other than 0: 500000.
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

#ifdef __cplusplus
}
#endif

#endif
