// Functions of the program as tasks of a stream: run by the device, or called by a thread of the program.

#include <pthread.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "acl/acl_rt.h"
#include "api/acl/call.hpp"
#include "api/acl/callback_thread.hpp"
#include "api/acl/current.hpp"
#include "api/acl/task_ids.hpp"
#include "api/acl/waiting.hpp"

namespace soma::acl {
namespace {

/// A kind of call by a thread, with what is particular about it.
struct call_kind {
  callback_threads& threads;
  std::shared_ptr<callback_thread> stream_callbacks::*of_stream;
  aclError bad_timeout;
  const char* process;  // what a thread calls
};

const call_kind& reports() {
  static auto& threads = *new callback_threads;
  static const call_kind kind{threads, &stream_callbacks::reports, ACL_ERROR_INVALID_PARAM,
                              "aclrtProcessReport"};
  return kind;
}

const call_kind& host_functions() {
  static auto& threads = *new callback_threads;
  static const call_kind kind{threads, &stream_callbacks::host_functions, ACL_ERROR_RT_PARAM_INVALID,
                              "aclrtProcessHostFunc"};
  return kind;
}

[[noreturn]] void refuse_served_by_device(void* stream) {
  refuse(ACL_ERROR_RT_STREAM_SUBSCRIBE,
         "the host functions of stream " + to_text(stream) +
             " are run by the device (aclrtLaunchHostFunc): use another stream for "
             "callbacks by a thread");
}

void subscribe(const call_kind& kind, std::uint64_t thread, void* stream) {
  const auto found = stream_argument(stream);
  auto& callbacks = *found->callbacks;
  const std::lock_guard guard{callbacks.lock};
  if (callbacks.device_runs_host_functions)
    refuse_served_by_device(stream);
  if (callbacks.*kind.of_stream != nullptr)
    refuse(ACL_ERROR_RT_STREAM_SUBSCRIBE,
           "stream " + to_text(stream) + " has a thread for its calls already: unsubscribe that one first");
  auto served = kind.threads.subscribe(thread, found->queue.device_index());
  if (served == nullptr)
    refuse(ACL_ERROR_RT_THREAD_SUBSCRIBE,
           "thread " + std::to_string(thread) + " serves streams of another device: use another thread");
  callbacks.*kind.of_stream = std::move(served);
}

void unsubscribe(const call_kind& kind, std::uint64_t thread, void* stream) {
  const auto found = stream_argument(stream);
  auto& callbacks = *found->callbacks;
  const std::lock_guard guard{callbacks.lock};
  auto& served = callbacks.*kind.of_stream;
  if (served == nullptr)
    refuse(ACL_ERROR_RT_STREAM_SUBSCRIBE, "stream " + to_text(stream) + " has no thread for its calls");
  if (served->queue() != kind.threads.find(thread))
    refuse(ACL_ERROR_RT_THREAD_SUBSCRIBE,
           "thread " + std::to_string(thread) + " is not the one that stream " + to_text(stream) +
               " is subscribed to: name the thread that it was subscribed with");
  served->end();
  served = nullptr;
  kind.threads.unsubscribe(thread);
}

void process(const call_kind& kind, std::int32_t timeout) {
  if (timeout < wait_for_ever || timeout == 0)
    refuse(kind.bad_timeout, "timeout is " + std::to_string(timeout) +
                                 ": it must be a number of milliseconds above 0, or -1 to wait for ever");
  const auto own = kind.threads.find(static_cast<std::uint64_t>(::pthread_self()));
  if (own == nullptr)
    refuse(ACL_ERROR_RT_THREAD_SUBSCRIBE,
           "no stream is subscribed to the calling thread: subscribe one first");
  const auto limit =
      timeout == wait_for_ever ? std::nullopt : std::optional(std::chrono::milliseconds(timeout));
  if (!own->process(limit))
    refuse(ACL_ERROR_RT_REPORT_TIMEOUT, "no stream got to a callback within " + std::to_string(timeout) +
                                            " milliseconds: call " + std::string(kind.process) + " again");
}

std::shared_ptr<callback_thread> thread_for_reports(const stream& on, void* handle) {
  const std::lock_guard guard{on.callbacks->lock};
  if (on.callbacks->device_runs_host_functions)
    refuse_served_by_device(handle);
  if (on.callbacks->reports == nullptr)
    refuse(ACL_ERROR_RT_STREAM_NO_CB_REG,
           "stream " + to_text(handle) + " has no thread for callbacks: call aclrtSubscribeReport first");
  return on.callbacks->reports;
}

/// Null if the device runs the stream's host functions.
std::shared_ptr<callback_thread> thread_for_host_functions(const stream& on, void* handle) {
  const std::lock_guard guard{on.callbacks->lock};
  if (on.callbacks->host_functions != nullptr)
    return on.callbacks->host_functions;
  if (on.callbacks->reports != nullptr)
    refuse(ACL_ERROR_RT_STREAM_SUBSCRIBE,
           "stream " + to_text(handle) +
               " has a thread for callbacks (aclrtSubscribeReport): subscribe one for "
               "host functions, too, or use another stream");
  on.callbacks->device_runs_host_functions = true;
  return nullptr;
}

}  // namespace
}  // namespace soma::acl

using namespace soma::acl;

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return host_call("aclrtSubscribeReport", [&] { subscribe(reports(), threadId, stream); });
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
  return host_call("aclrtUnSubscribeReport", [&] { unsubscribe(reports(), threadId, stream); });
}

aclError aclrtProcessReport(int32_t timeout) {
  return call("aclrtProcessReport", [&] { process(reports(), timeout); });
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  return host_call("aclrtSubscribeHostFunc",
                   [&] { subscribe(host_functions(), hostFuncThreadId, exeStream); });
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
  return host_call("aclrtUnSubscribeHostFunc",
                   [&] { unsubscribe(host_functions(), hostFuncThreadId, exeStream); });
}

aclError aclrtProcessHostFunc(int32_t timeout) {
  return call("aclrtProcessHostFunc", [&] { process(host_functions(), timeout); });
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType,
                             aclrtStream stream) {
  return host_call("aclrtLaunchCallback", [&](const soma::place& at) {
    const int block = number_of(blockType);
    if (block != ACL_CALLBACK_NO_BLOCK && block != ACL_CALLBACK_BLOCK)
      refuse(ACL_ERROR_INVALID_PARAM, "blockType is " + std::to_string(block) + ": it must be 0 or 1");
    if (fn == nullptr)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "fn is NULL: pass a function");
    const auto on = stream_argument(stream);
    auto by = thread_for_reports(*on, stream);
    const soma::access used[] = {{userData}};
    value_of(
        on->queue.call([by = std::move(by), fn, userData,
                        block] { by->put([fn, userData] { fn(userData); }, block == ACL_CALLBACK_BLOCK); },
                       used, at));
    note_task();
  });
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  return host_call("aclrtLaunchHostFunc", [&](const soma::place& at) {
    if (fn == nullptr)
      refuse(ACL_ERROR_RT_PARAM_INVALID, "fn is NULL: pass a function");
    const auto on = stream_argument(stream);
    const auto by = thread_for_host_functions(*on, stream);
    const soma::access used[] = {{args}};
    const auto task = note_task();
    if (by != nullptr)
      value_of(on->queue.call([by, fn, args] { by->put([fn, args] { fn(args); }, true); }, used, at));
    else
      value_of(on->queue.call(
          [fn, args, context = on->context, tag = tag_of(task)] {
            const context_scope scope(context);
            set_tag_of_host_function(tag);
            fn(args);
          },
          used, at));
  });
}
