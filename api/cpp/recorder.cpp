#include "api/cpp/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "api/cpp/record_output.hpp"

namespace soma::detail {

namespace {

using clock = std::chrono::steady_clock;

/// The name of a file with what can stand for numbers in it. Pools are numbered from 1 in the order of their
/// first malloc.
class record_name {
public:
  static std::optional<record_name> parse(std::string_view text) {
    record_name name;
    for (std::size_t place = 0; place < text.size(); ++place) {
      if (text[place] != '%') {
        continue;
      }
      const char letter = ++place < text.size() ? text[place] : '\0';
      if (letter != 'd' && letter != 'p' && letter != 'i' && letter != '%') {
        return std::nullopt;
      }
      name.varies_ = name.varies_ || letter == 'd' || letter == 'p';
    }
    name.text_ = text;
    return name;
  }

  /// Whether there are several files.
  [[nodiscard]] bool varies() const noexcept { return varies_; }

  [[nodiscard]] std::string with(std::uint32_t device, std::uint64_t pool) const {
    std::string made;
    for (std::size_t place = 0; place < text_.size(); ++place) {
      if (text_[place] != '%') {
        made += text_[place];
        continue;
      }
      switch (text_[++place]) {
      case 'd':
        made += std::to_string(device);
        break;
      case 'p':
        made += std::to_string(pool);
        break;
      case 'i':
        made += std::to_string(::getpid());
        break;
      default:
        made += '%';
        break;
      }
    }
    return made;
  }

private:
  std::string text_;
  bool varies_ = false;
};

class file_recorder final : public recorder {
public:
  explicit file_recorder(record_name name) : name_(std::move(name)) {
    if (!name_.varies()) {
      output_named(name_.with(0, 0));
    }
  }

  ~file_recorder() override = default;
  file_recorder(const file_recorder&) = delete;
  file_recorder& operator=(const file_recorder&) = delete;

  void activate() noexcept { active_.store(this, std::memory_order_release); }
  static void deactivate() noexcept { active_.store(nullptr, std::memory_order_release); }

  void allocated(const pool_end& pool, const stream_end& on, memory::address block,
                 std::uint64_t bytes) noexcept override {
    guarded([&] {
      record_output& output = output_of(pool);
      const std::uint64_t id = output.next_id();
      const recorded_stream stream = key_of(on);
      const std::int64_t number = use(output, stream, on.device.index);
      live_[memory::number(block)] = {
          .output = &output, .id = id, .bytes = bytes, .stream = stream, .device = on.device.index};
      add(output, {.op = "malloc", .id = id, .bytes = bytes, .stream = number});
    });
  }

  begun_free begin_free(memory::address block, const stream_end* on) noexcept override {
    begun_free begun;
    guarded([&] {
      const auto found = live_.find(memory::number(block));
      if (found == live_.end()) {
        return;
      }
      const live_block freed = found->second;
      const recorded_stream stream = on == nullptr ? freed.stream : key_of(*on);
      const std::int64_t number = use(*freed.output, stream, on == nullptr ? freed.device : on->device.index);
      const std::uint64_t row = add(
          *freed.output,
          {.op = "free", .id = freed.id, .bytes = freed.bytes, .stream = number, .state = row_state::begun});
      begun_[{freed.output, row}] = {memory::number(block), freed};
      live_.erase(found);
      begun = {.output = freed.output, .row = row};
    });
    return begun;
  }

  void end_free(const begun_free& begun, bool succeeded) noexcept override {
    if (begun.output == nullptr) {
      return;
    }
    guarded([&] {
      auto& output = *static_cast<record_output*>(begun.output);
      output.settle(begun.row, succeeded);
      const auto found = begun_.find({&output, begun.row});
      if (found == begun_.end()) {
        return;
      }
      if (!succeeded) {
        live_.insert(found->second);  // it is live as before
      }
      begun_.erase(found);
    });
  }

  std::uint64_t now() noexcept override {
    const std::lock_guard guard(lock_);
    return count_;
  }

  void synchronized(const stream_end& stream, std::uint64_t since) noexcept override {
    const recorded_stream key = key_of(stream);
    guarded([&] {
      for (const auto& output : outputs_) {
        const auto found = output->streams.find(key);
        if (found != output->streams.end() && found->second.seen < found->second.last_row) {
          found->second.seen = std::max(found->second.seen, since);
          add_sync_if_all_seen(*output);
        }
      }
    });
  }

  void synchronized(const device_end& device, std::uint64_t since) noexcept override {
    guarded([&] {
      for (const auto& output : outputs_) {
        bool any = false;
        for (auto& [key, progress] : output->streams) {
          if (key.first == &device.runtime && progress.device == device.index) {
            progress.seen = std::max(progress.seen, since);
            any = true;
          }
        }
        if (any) {
          add_sync_if_all_seen(*output);
        }
      }
    });
  }

  void flush() noexcept {
    guarded([&] {
      for (const auto& output : outputs_) {
        output->write();
      }
    });
  }

private:
  struct live_block {
    record_output* output = nullptr;
    std::uint64_t id = 0;
    std::uint64_t bytes = 0;
    recorded_stream stream;
    std::uint32_t device = 0;
  };

  static recorded_stream key_of(const stream_end& stream) noexcept {
    return {&stream.device.runtime, memory::number(stream.id)};
  }

  template <class Work>
  void guarded(const Work& work) noexcept {
    try {
      const std::lock_guard guard(lock_);
      work();
    } catch (...) {
      deactivate();
      std::fputs("soma: SOMA_RECORD: the host has no memory left; the program goes on, but is not recorded\n",
                 stderr);
    }
  }

  record_output& output_of(const pool_end& pool) {
    const auto key = std::pair(static_cast<const void*>(&pool.device.runtime), memory::number(pool.id));
    const auto [entry, is_new] = pools_.try_emplace(key, nullptr);
    if (is_new) {
      entry->second = &output_named(name_.with(pool.device.index, pools_.size()));
    }
    return *entry->second;
  }

  record_output& output_named(const std::string& path) {
    for (const auto& output : outputs_) {
      if (output->path() == path) {
        return *output;
      }
    }
    outputs_.push_back(std::make_unique<record_output>(path));
    return *outputs_.back();
  }

  /// The number of the stream, which gets a row now.
  std::int64_t use(record_output& output, const recorded_stream& stream, std::uint32_t device) {
    const std::int64_t number = output.number_of(stream);
    auto& progress = output.streams[stream];
    progress.device = device;
    progress.last_row = ++count_;
    return number;
  }

  std::uint64_t add(record_output& output, const recorded_row& row) {
    const auto now = clock::now();
    const std::uint64_t number = output.add(row, now);
    if (output.is_due(now)) {
      output.write();
    }
    return number;
  }

  void add_sync_if_all_seen(record_output& output) {
    const bool all = std::all_of(output.streams.begin(), output.streams.end(),
                                 [](const auto& each) { return each.second.seen >= each.second.last_row; });
    if (all) {
      add(output, {.op = "sync"});
    }
  }

  record_name name_;
  std::mutex lock_;  // guards what follows; nothing but files is waited for under it
  std::uint64_t count_ = 0;
  std::vector<std::unique_ptr<record_output>> outputs_;
  std::map<std::pair<const void*, std::uint64_t>, record_output*>
      pools_;                                           ///< by runtime and the pool's number in it
  std::unordered_map<std::uint64_t, live_block> live_;  ///< by address
  std::map<std::pair<record_output*, std::uint64_t>, std::pair<std::uint64_t, live_block>> begun_;
};

/// Never destroyed: threads may record while the process ends.
file_recorder* the_recorder = nullptr;

void start(const char* text) {
  auto name = record_name::parse(text);
  if (!name) {
    std::fprintf(
        stderr,
        "soma: SOMA_RECORD is \"%s\": after %% there can be d (the device), p (the pool), i (the process) or "
        "another %%; nothing is recorded\n",
        text);
    return;
  }
  the_recorder = new file_recorder(std::move(*name));
  static_cast<void>(std::atexit(recorder::flush_all));
  // The rows that a child by fork finds in the buffers are its parent's.
  static_cast<void>(::pthread_atfork(nullptr, nullptr, file_recorder::deactivate));
  the_recorder->activate();
}

}  // namespace

void recorder::start_from_environment() noexcept {
  static std::once_flag once;
  try {
    std::call_once(once, [] {
      const char* const text = std::getenv("SOMA_RECORD");
      if (text != nullptr && *text != '\0') {
        start(text);
      }
    });
  } catch (...) {
    std::fputs("soma: SOMA_RECORD: the host has no memory left; nothing is recorded\n", stderr);
  }
}

void recorder::flush_all() noexcept {
  if (active() != nullptr) {
    the_recorder->flush();
  }
}

}  // namespace soma::detail
