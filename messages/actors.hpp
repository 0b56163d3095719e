// The actors of soma and the messages that each takes, in one place. What a message means and holds is in the
// header of its receiver: messages/device.hpp, stream.hpp, event.hpp, pool.hpp, classic_pool.hpp, engine.hpp,
// checker.hpp.
#pragma once

#include "messages/answer.hpp"
#include "messages/caf.hpp"

namespace soma::messages {

// Answers that come to actors as messages.
struct block_granted;
struct block_returned;
struct record_order;
struct record_reached;
struct tasks_run;
struct stream_seen;
struct memory_reserved;
struct memory_released;
struct tasks_seen;

// -- STREAM -------------------------------------------------------------------------------------------------
struct malloc_async;
struct free_async;
struct free_plain_async;
struct submit_work;
struct record_event;
struct wait_event;
struct synchronize_stream;
struct query_stream;
struct set_failure_mode;
struct ask_largest;
struct await_task;
struct retire_stream;
struct forget_failure;
struct stop_stream;

using stream_actor = handle<malloc_async, free_async, free_plain_async, submit_work, record_event, wait_event,
                            synchronize_stream, query_stream, set_failure_mode, ask_largest, await_task,
                            retire_stream, forget_failure, stop_stream, answered<block_granted>,
                            answered<block_returned>, answered<record_order>, answered<record_reached>,
                            answered<done>, answered<tasks_run>, answered<tasks_seen>>;

// -- EVENT --------------------------------------------------------------------------------------------------
struct event_recorded;
struct event_reached;
struct order_query;
struct await_record;
struct query_record;

using event_actor = handle<event_recorded, event_reached, order_query, await_record, query_record>;

// -- POOL ---------------------------------------------------------------------------------------------------
struct grant_block;
struct give_back;
struct give_back_now;
struct undo_grant;
struct free_executed;
struct host_saw;
struct release_idle;
struct trim_pool;
struct change_setting;
struct read_figures;
struct read_largest;
struct find_block;
struct retire_pool;
struct abandon_pool;

using pool_actor = handle<grant_block, give_back, give_back_now, undo_grant, free_executed, host_saw,
                          release_idle, trim_pool, change_setting, read_figures, read_largest, find_block,
                          retire_pool, abandon_pool, answered<memory_reserved>, answered<tasks_seen>>;

// -- CLASSIC POOL -------------------------------------------------------------------------------------------
struct allocate_block;
struct free_block;
struct retain_block;
struct read_classic_figures;
struct retire_classic_pool;

using classic_pool_actor =
    handle<allocate_block, free_block, retain_block, read_classic_figures, retire_classic_pool>;

// -- ENGINE -------------------------------------------------------------------------------------------------
struct run_tasks;
struct stop_engine;

using engine_actor = handle<run_tasks, stop_engine>;

// -- DEVICE -------------------------------------------------------------------------------------------------
struct create_stream;
struct create_event;
struct create_pool;
struct malloc_plain;
struct free_plain;
struct begin_plain_free;
struct end_plain_free;
struct read_memory;
struct synchronize_device;
struct host_saw_tasks;
struct reserve_memory;
struct return_memory;
struct find_seen;
struct stream_ended;
struct await_stream_end;
struct pool_ended;
struct group_failed;
struct engine_idle;
struct engine_ended;
struct shut_down;

using device_actor =
    handle<create_stream, create_event, create_pool, malloc_plain, free_plain, begin_plain_free,
           end_plain_free, read_memory, synchronize_device, host_saw_tasks, reserve_memory, return_memory,
           find_seen, stream_ended, await_stream_end, pool_ended, group_failed, run_tasks, engine_idle,
           engine_ended, shut_down, answered<stream_seen>, answered<done>, answered<memory_released>>;

// -- CHECKER ------------------------------------------------------------------------------------------------
struct memory_touched;
struct free_submitted;
struct signal_raised;
struct arguments_read;
struct block_allocated;
struct block_freed_at_once;
struct free_refused;
struct host_touches;
struct host_saw_complete;
struct pool_given_up;
struct read_findings;
struct end_check;
struct stop_checker;

using checker_actor = handle<memory_touched, free_submitted, signal_raised, arguments_read, block_allocated,
                             block_freed_at_once, free_refused, host_touches, host_saw_complete,
                             pool_given_up, read_findings, end_check, stop_checker>;

// -- REPORTER -----------------------------------------------------------------------------------------------
struct report_finding;
struct finish_reports;
struct report_summary;
struct stop_reporter;

using reporter_actor = handle<report_finding, finish_reports, report_summary, stop_reporter>;

// -- Who answers, for the texts of answers that never come --------------------------------------------------

template <class Handle>
inline constexpr const char* noun = some_part;
template <>
inline constexpr const char* noun<stream_actor> = "stream";
template <>
inline constexpr const char* noun<event_actor> = "event";
template <>
inline constexpr const char* noun<pool_actor> = "pool";
template <>
inline constexpr const char* noun<classic_pool_actor> = "pool";
template <>
inline constexpr const char* noun<engine_actor> = "engine";
template <>
inline constexpr const char* noun<device_actor> = "device";

template <>
inline constexpr const char* answered_by<block_granted> = noun<pool_actor>;
template <>
inline constexpr const char* answered_by<block_returned> = noun<pool_actor>;
template <>
inline constexpr const char* answered_by<memory_released> = noun<pool_actor>;
template <>
inline constexpr const char* answered_by<record_order> = noun<event_actor>;
template <>
inline constexpr const char* answered_by<record_reached> = noun<event_actor>;
template <>
inline constexpr const char* answered_by<tasks_run> = noun<engine_actor>;
template <>
inline constexpr const char* answered_by<stream_seen> = noun<stream_actor>;
template <>
inline constexpr const char* answered_by<memory_reserved> = noun<device_actor>;
template <>
inline constexpr const char* answered_by<tasks_seen> = noun<device_actor>;

}  // namespace soma::messages
