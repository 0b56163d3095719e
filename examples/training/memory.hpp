// Where the training example gets its memory: a pool, and a recorder of what is asked of it.
//
// The recorder keeps one row for each malloc, free and synchronise of the device and writes them as a trace,
// which `soma replay` reads. Streams get small numbers in the order in which they appear.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../check.hpp"
#include "kernels.hpp"
#include "soma/soma.hpp"

namespace training {

class recorder {
public:
  void allocated(const void* address, std::size_t bytes, std::uint64_t stream) {
    const live_block block{next_id_++, bytes};
    live_[address] = block;
    add_row("malloc", block, stream_number(stream));
  }

  void freed(const void* address, std::uint64_t stream) {
    const auto found = live_.find(address);
    add_row("free", found->second, stream_number(stream));
    live_.erase(found);
  }

  void synchronized() { add_row("sync", {}, -1); }

  void write(const std::string& path) const {
    std::ofstream file(path);
    file << "op,id,bytes,stream,time_us\n";
    for (const row& each : rows_) {
      file << each.operation << ',' << each.block.id << ',' << each.block.bytes << ',' << each.stream << ','
           << std::chrono::duration_cast<std::chrono::microseconds>(each.time - rows_.front().time).count()
           << '\n';
    }
    file.close();
    if (!file) {
      throw std::runtime_error("cannot write the trace to " + path);
    }
  }

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }

private:
  struct live_block {
    std::uint64_t id = 0;
    std::size_t bytes = 0;
  };

  struct row {
    const char* operation;
    live_block block;
    int stream;
    std::chrono::steady_clock::time_point time;
  };

  void add_row(const char* operation, live_block block, int stream) {
    rows_.push_back({operation, block, stream, std::chrono::steady_clock::now()});
  }

  int stream_number(std::uint64_t stream) {
    return streams_.try_emplace(stream, static_cast<int>(streams_.size())).first->second;
  }

  std::uint64_t next_id_ = 1;
  std::map<const void*, live_block> live_;
  std::map<std::uint64_t, int> streams_;
  std::vector<row> rows_;
};

/// Gives out blocks of the pool as arrays and matrices.
class memory {
public:
  explicit memory(soma::pool pool) : pool_(std::move(pool)) {}

  /// An array that tasks behind this call, on this stream or ordered behind it, may use.
  template <class T>
  T* allocate(std::size_t count, soma::stream& on) {
    const std::size_t bytes = count * sizeof(T);
    void* const address = example::must(pool_.malloc_async(bytes, on));
    recorder_.allocated(address, bytes, on.id());
    return static_cast<T*>(address);
  }

  matrix allocate_matrix(std::size_t rows, std::size_t columns, soma::stream& on) {
    return {allocate<float>(rows * columns, on), rows, columns};
  }

  /// Frees as a task of the stream: what was submitted to it before may still use the block.
  void free(void* address, soma::stream& on) {
    example::must(pool_.free_async(address, on));
    recorder_.freed(address, on.id());
  }

  void free(const matrix& block, soma::stream& on) { free(block.data, on); }

  /// Waits for all work of the device.
  void synchronize(soma::device& device) {
    example::must(device.synchronize());
    recorder_.synchronized();
  }

  [[nodiscard]] soma::pool_statistics statistics() const { return example::must(pool_.statistics()); }
  [[nodiscard]] const recorder& recorded() const { return recorder_; }

private:
  soma::pool pool_;
  recorder recorder_;
};

}  // namespace training
