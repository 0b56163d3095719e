// The actors of soma and the messages that each takes, in one place. What a message means and holds is in the
// header of its receiver: messages/device.hpp, stream.hpp, event.hpp, pool.hpp, classic_pool.hpp,
// compactor.hpp, engine.hpp, checker.hpp, plain_pool.hpp, address_space.hpp.
#pragma once

#include "memory/identifiers.hpp"
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
struct stock_returned;
struct budget_taken;

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
struct stop_task;
struct abort_stream;
struct write_stream_note;
struct read_stream_note;
struct ask_largest;
struct await_task;
struct collect_stock;
struct retire_stream;
struct forget_failure;
struct stop_stream;

using stream_actor =
    handle<malloc_async, free_async, free_plain_async, submit_work, record_event, wait_event,
           synchronize_stream, query_stream, set_failure_mode, stop_task, abort_stream, write_stream_note,
           read_stream_note, ask_largest, await_task, collect_stock, retire_stream, forget_failure,
           stop_stream, answered<block_granted>, answered<block_returned>, answered<record_order>,
           answered<record_reached>, answered<done>, answered<tasks_run>, answered<tasks_seen>>;

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
struct return_stock;
struct host_saw;
struct release_idle;
struct trim_pool;
struct change_setting;
struct read_figures;
struct read_largest;
struct find_block;
struct explain_block;
struct retire_pool;
struct abandon_pool;

using pool_actor = handle<grant_block, give_back, give_back_now, undo_grant, free_executed, return_stock,
                          host_saw, release_idle, trim_pool, change_setting, read_figures, read_largest,
                          find_block, explain_block, retire_pool, abandon_pool, answered<memory_reserved>,
                          answered<tasks_seen>, answered<stock_returned>>;

// -- CLASSIC POOL -------------------------------------------------------------------------------------------
struct allocate_block;
struct free_block;
struct retain_block;
struct read_classic_figures;
struct retire_classic_pool;
struct memory_came;

using classic_pool_actor =
    handle<allocate_block, free_block, retain_block, read_classic_figures, retire_classic_pool, memory_came>;

// -- COMPACTOR ----------------------------------------------------------------------------------------------
struct allocate_movable;
struct free_movable;
struct pin_movable;
struct unpin_movable;
struct compact_blocks;
struct blocks_moved;

using compactor_actor = handle<allocate_movable, free_movable, pin_movable, unpin_movable, compact_blocks,
                               blocks_moved, read_classic_figures, retire_classic_pool>;

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
struct read_device;
struct synchronize_device;
struct host_saw_tasks;
struct abort_device;
struct write_device_note;
struct read_device_note;
struct read_load;
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
struct take_budget;
struct return_budget;
struct find_plain;
struct read_plain_pool;

using device_actor =
    handle<create_stream, create_event, create_pool, malloc_plain, free_plain, begin_plain_free,
           end_plain_free, read_memory, read_device, synchronize_device, host_saw_tasks, abort_device,
           write_device_note, read_device_note, read_load, reserve_memory, return_memory, find_seen,
           stream_ended, await_stream_end, pool_ended, group_failed, run_tasks, engine_idle, engine_ended,
           shut_down, answered<stream_seen>, answered<done>, answered<memory_released>, take_budget,
           return_budget, find_plain, read_plain_pool>;

// -- PLAIN POOL ---------------------------------------------------------------------------------------------
struct stop_plain_pool;

using plain_pool_actor = handle<malloc_plain, free_plain, begin_plain_free, end_plain_free, find_plain,
                                read_plain_pool, stop_plain_pool, answered<memory::address>>;

// -- ADDRESS SPACE ------------------------------------------------------------------------------------------
struct reserve_addresses;
struct release_addresses;
struct create_physical;
struct release_physical;
struct map_physical;
struct unmap_physical;
struct set_access;
struct read_access;
struct retain_physical;
struct read_physical;
struct export_physical;
struct import_physical;
struct export_range;
struct import_range;
struct allow_import;
struct close_shared;
struct close_import;
struct register_host;
struct unregister_host;
struct allocate_managed;
struct free_managed;
struct hint_managed;
struct read_hints;
struct find_span;
struct count_spans;
struct stop_address_space;

using address_space_actor =
    handle<reserve_addresses, release_addresses, create_physical, release_physical, map_physical,
           unmap_physical, set_access, read_access, retain_physical, read_physical, export_physical,
           import_physical, export_range, import_range, allow_import, close_shared, close_import,
           register_host, unregister_host, allocate_managed, free_managed, hint_managed, read_hints,
           find_span, count_spans, stop_address_space, answered<budget_taken>>;

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
inline constexpr const char* noun<compactor_actor> = "compactor";
template <>
inline constexpr const char* noun<engine_actor> = "engine";
template <>
inline constexpr const char* noun<device_actor> = "device";
template <>
inline constexpr const char* noun<plain_pool_actor> = "plain pool";
template <>
inline constexpr const char* noun<address_space_actor> = "address space";

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
inline constexpr const char* answered_by<stock_returned> = noun<stream_actor>;
template <>
inline constexpr const char* answered_by<memory_reserved> = noun<device_actor>;
template <>
inline constexpr const char* answered_by<tasks_seen> = noun<device_actor>;
template <>
inline constexpr const char* answered_by<budget_taken> = noun<device_actor>;

}  // namespace soma::messages
