#include "tools/replay_plan.hpp"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace soma::tools {

namespace {

using outcome = tl::expected<void, std::string>;

tl::unexpected<std::string> refusal(const char* op, std::uint64_t id, const std::string& why) {
  return tl::unexpected(std::string(op) + " of block " + std::to_string(id) + ": " + why);
}

std::string in_line(std::uint64_t line) { return " in line " + std::to_string(line); }

class plan_builder {
public:
  plan_builder(const std::vector<trace_row>& rows, const plan_options& options)
      : rows_(rows), options_(options) {
    survey();
  }

  tl::expected<replay_plan, trace_error> build() {
    for (const trace_row& row : rows_) {
      if (const auto added = add(row); !added) {
        return tl::unexpected(trace_error{.line = row.line, .reason = added.error()});
      }
    }
    return std::move(plan_);
  }

private:
  /// Finds what must be known ahead: which streams there are, and which frees are held back.
  void survey() {
    for (const trace_row& row : rows_) {
      const bool segment = row.op == trace_op::segment_malloc || row.op == trace_op::segment_free;
      if (segment || row.stream < 0) {
        continue;
      }
      const auto number = static_cast<std::size_t>(row.stream);
      if (number >= stream_index_.size()) {
        stream_index_.resize(number + 1, no_index);
      }
      if (stream_index_[number] == no_index) {
        stream_index_[number] = plan_.streams++;
      }
      if (row.op == trace_op::sync) {
        held_back_.insert(row.id);
      }
    }
  }

  outcome add(const trace_row& row) {
    outcome added;
    switch (row.op) {
    case trace_op::segment_malloc:
    case trace_op::segment_free:
      ++plan_.segment_rows;
      return {};
    case trace_op::malloc:
      added = add_malloc(row);
      break;
    case trace_op::free:
      added = add_free(row);
      break;
    case trace_op::sync:
      added = row.id == 0 ? add_synchronize(row) : add_block_sync(row);
      break;
    }
    ++plan_.rows;
    const bool due = options_.sync_every != 0 && plan_.rows % options_.sync_every == 0;
    if (added && due && (plan_.steps.empty() || plan_.steps.back().kind != step_kind::synchronize)) {
      return add_synchronize(row);
    }
    return added;
  }

  outcome add_malloc(const trace_row& row) {
    const auto index = static_cast<std::uint32_t>(plan_.blocks.size());
    const auto [entry, is_new] = block_index_.try_emplace(row.id, index);
    if (!is_new) {
      return refusal("malloc", row.id,
                     "the id was malloc'ed already" + in_line(plan_.blocks[entry->second].malloc_line));
    }
    const std::uint32_t stream = stream_of(row);
    plan_.blocks.push_back({.id = row.id,
                            .bytes = row.bytes,
                            .malloc_line = row.line,
                            .malloc_stream = stream,
                            .free_stream = stream});
    add_step(row, step_kind::malloc, stream, index);
    return {};
  }

  outcome add_free(const trace_row& row) {
    const auto entry = block_index_.find(row.id);
    if (entry == block_index_.end()) {
      return refusal("free", row.id, "it has no malloc before it");
    }
    planned_block& block = plan_.blocks[entry->second];
    if (block.free_line != 0) {
      return refusal("free", row.id, "it was freed already" + in_line(block.free_line));
    }
    if (row.bytes != block.bytes) {
      return refusal("free", row.id,
                     std::to_string(row.bytes) + " bytes, but its malloc" + in_line(block.malloc_line) +
                         " has " + std::to_string(block.bytes));
    }
    block.free_line = row.line;
    block.free_stream = stream_of(row);
    const bool held_back = held_back_.count(row.id) != 0;
    if (const std::uint32_t source = used_on(block, held_back); source != no_index) {
      block.event = take_event();
      add_step(row, step_kind::record, source, block.event);
    }
    if (held_back) {
      ++plan_.held_back_frees;
    } else {
      submit_free(row, entry->second);
    }
    return {};
  }

  outcome add_block_sync(const trace_row& row) {
    const auto entry = block_index_.find(row.id);
    if (entry == block_index_.end()) {
      return refusal("sync", row.id, "it has no malloc before it");
    }
    planned_block& block = plan_.blocks[entry->second];
    if (block.free_line == 0) {
      return refusal("sync", row.id, "it has not been freed; a sync row comes behind the block's free");
    }
    if (block.sync_line != 0) {
      return refusal("sync", row.id, "its free took effect already" + in_line(block.sync_line));
    }
    if (row.bytes != block.bytes || stream_of(row) != block.free_stream) {
      return refusal("sync", row.id, "bytes and stream are not those of its free" + in_line(block.free_line));
    }
    block.sync_line = row.line;
    submit_free(row, entry->second);
    return {};
  }

  outcome add_synchronize(const trace_row& row) {
    add_step(row, step_kind::synchronize, 0, 0);
    ++plan_.synchronizes;
    return {};
  }

  /// The stream that the freeing stream must be ordered behind by R4; no_index if there is none.
  [[nodiscard]] std::uint32_t used_on(const planned_block& block, bool held_back) const {
    if (!options_.order_by_events) {
      return no_index;
    }
    if (block.free_stream != block.malloc_stream) {
      return block.malloc_stream;
    }
    return held_back && plan_.streams == 2 ? 1 - block.free_stream : no_index;
  }

  void submit_free(const trace_row& row, std::uint32_t index) {
    const planned_block& block = plan_.blocks[index];
    if (block.event != no_index) {
      add_step(row, step_kind::wait, block.free_stream, block.event);
      ++plan_.waits;
      // The wait stays with the record it has found, so the event can be recorded again.
      spare_events_.push_back(block.event);
    }
    add_step(row, step_kind::free, block.free_stream, index);
  }

  std::uint32_t take_event() {
    if (spare_events_.empty()) {
      return plan_.events++;
    }
    const std::uint32_t event = spare_events_.back();
    spare_events_.pop_back();
    return event;
  }

  [[nodiscard]] std::uint32_t stream_of(const trace_row& row) const {
    return stream_index_[static_cast<std::size_t>(row.stream)];
  }

  void add_step(const trace_row& row, step_kind kind, std::uint32_t stream, std::uint32_t subject) {
    plan_.steps.push_back({.line = row.line, .stream = stream, .subject = subject, .kind = kind});
  }

  const std::vector<trace_row>& rows_;
  plan_options options_;
  replay_plan plan_;
  std::vector<std::uint32_t> stream_index_;  ///< by the trace's number
  std::unordered_set<std::uint64_t> held_back_;
  std::unordered_map<std::uint64_t, std::uint32_t> block_index_;
  std::vector<std::uint32_t> spare_events_;
};

}  // namespace

tl::expected<replay_plan, trace_error> make_plan(const std::vector<trace_row>& rows,
                                                 const plan_options& options) {
  return plan_builder(rows, options).build();
}

}  // namespace soma::tools
