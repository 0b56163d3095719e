// The kernels of the training example, and how they are launched.
//
// A kernel is a small struct: its members are the arguments, its call operator is what one block does. Blocks
// share the work by rows, or by elements where there are no rows, and never write the same element: so blocks
// may run at the same time, and every sum is added up in the same order in every run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../check.hpp"
#include "soma/kernel.hpp"
#include "soma/stream.hpp"

namespace training {

// ---- Blocks ----

struct block_index {
  std::uint32_t block;
  std::uint32_t blocks;
};

struct range {
  std::size_t begin;
  std::size_t end;
};

/// The part of `count` items that falls to a block.
inline range part_of(std::size_t count, block_index index) {
  return {count * index.block / index.blocks, count * (index.block + std::size_t{1}) / index.blocks};
}

// ---- Matrices ----

/// A dense matrix in device memory, row after row. A vector is a matrix of one row.
struct matrix {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;

  [[nodiscard]] std::size_t size() const { return rows * columns; }
  [[nodiscard]] float* row(std::size_t index) const { return data + index * columns; }
};

/// How a kernel reads a matrix, or its transpose, without copying it.
struct matrix_view {
  const float* data;
  std::size_t rows;
  std::size_t columns;
  std::size_t row_stride;
  std::size_t column_stride;

  [[nodiscard]] float at(std::size_t row, std::size_t column) const {
    return data[row * row_stride + column * column_stride];
  }
};

inline matrix_view as_is(const matrix& source) {
  return {source.data, source.rows, source.columns, source.columns, 1};
}

inline matrix_view transposed(const matrix& source) {
  return {source.data, source.columns, source.rows, 1, source.columns};
}

// ---- Preparation ----

/// Uniform numbers in [-bound, bound), the same for the same seed whatever the number of blocks is: each
/// element's number follows from its index alone.
struct fill_uniform {
  static constexpr const char* name = "fill_uniform";
  matrix target;
  float bound;
  std::uint64_t seed;

  void operator()(block_index index) const {
    const auto [begin, end] = part_of(target.size(), index);
    for (std::size_t i = begin; i < end; ++i) {
      // The mixing steps of splitmix64.
      std::uint64_t bits = seed + (i + 1) * 0x9e3779b97f4a7c15U;
      bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
      bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
      bits ^= bits >> 31U;
      const float unit = static_cast<float>(bits >> 40U) * 0x1p-24F;
      target.data[i] = bound * (2.0F * unit - 1.0F);
    }
  }
};

/// Makes (x, y, x * y, radius) of each point (x, y).
struct expand_features {
  static constexpr const char* name = "expand_features";
  static constexpr std::size_t point_columns = 2;
  static constexpr std::size_t feature_columns = 4;
  matrix points;
  matrix features;

  void operator()(block_index index) const {
    const auto [begin, end] = part_of(points.rows, index);
    for (std::size_t i = begin; i < end; ++i) {
      const float x = points.row(i)[0];
      const float y = points.row(i)[1];
      float* const feature = features.row(i);
      feature[0] = x;
      feature[1] = y;
      feature[2] = x * y;
      feature[3] = std::hypot(x, y);
    }
  }
};

// ---- Forward ----

/// product = left * right.
struct matmul {
  static constexpr const char* name = "matmul";
  matrix_view left;
  matrix_view right;
  matrix product;

  void operator()(block_index index) const {
    const auto [begin, end] = part_of(product.rows, index);
    for (std::size_t i = begin; i < end; ++i) {
      float* const out = product.row(i);
      std::fill_n(out, product.columns, 0.0F);
      for (std::size_t k = 0; k < left.columns; ++k) {
        const float factor = left.at(i, k);
        for (std::size_t j = 0; j < product.columns; ++j) {
          out[j] += factor * right.at(k, j);
        }
      }
    }
  }
};

/// Adds the bias to each row, in place, and cuts off what is negative if `relu`.
struct add_bias {
  static constexpr const char* name = "add_bias";
  matrix values;
  matrix bias;
  bool relu;

  void operator()(block_index index) const {
    const auto [begin, end] = part_of(values.rows, index);
    const float lowest = relu ? 0.0F : -HUGE_VALF;
    for (std::size_t i = begin; i < end; ++i) {
      float* const row = values.row(i);
      for (std::size_t j = 0; j < values.columns; ++j) {
        row[j] = std::max(lowest, row[j] + bias.data[j]);
      }
    }
  }
};

// ---- Loss ----

/// The cross-entropy of softmax(logits) and the labels: each row's loss, and the gradient of the mean loss.
struct softmax_cross_entropy {
  static constexpr const char* name = "softmax_cross_entropy";
  matrix logits;
  const std::uint32_t* labels;
  matrix row_losses;
  matrix gradient;

  void operator()(block_index index) const {
    const auto [begin, end] = part_of(logits.rows, index);
    const float weight = 1.0F / static_cast<float>(logits.rows);
    for (std::size_t i = begin; i < end; ++i) {
      const float* const logit = logits.row(i);
      float* const out = gradient.row(i);
      // Less the largest logit, no exponential can overflow.
      const float largest = *std::max_element(logit, logit + logits.columns);
      float sum = 0.0F;
      for (std::size_t j = 0; j < logits.columns; ++j) {
        out[j] = std::exp(logit[j] - largest);
        sum += out[j];
      }
      for (std::size_t j = 0; j < logits.columns; ++j) {
        out[j] *= weight / sum;
      }
      out[labels[i]] -= weight;
      row_losses.data[i] = std::log(sum) + largest - logit[labels[i]];
    }
  }
};

/// The mean of all elements. One block does it all, so that the order of the sum is fixed.
struct mean {
  static constexpr const char* name = "mean";
  matrix values;
  float* result;

  void operator()(block_index index) const {
    if (index.block != 0) {
      return;
    }
    float sum = 0.0F;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += values.data[i];
    }
    *result = sum / static_cast<float>(values.size());
  }
};

// ---- Backward ----

/// Lets the gradient through where relu did: where its output is above 0.
struct relu_backward {
  static constexpr const char* name = "relu_backward";
  matrix gradient;
  matrix output;

  void operator()(block_index index) const {
    const auto [begin, end] = part_of(gradient.size(), index);
    for (std::size_t i = begin; i < end; ++i) {
      gradient.data[i] = output.data[i] > 0.0F ? gradient.data[i] : 0.0F;
    }
  }
};

/// The sum of each column: the gradient of a bias.
struct sum_rows {
  static constexpr const char* name = "sum_rows";
  matrix values;
  matrix sums;

  void operator()(block_index index) const {
    const auto [begin, end] = part_of(values.columns, index);
    for (std::size_t j = begin; j < end; ++j) {
      float sum = 0.0F;
      for (std::size_t i = 0; i < values.rows; ++i) {
        sum += values.row(i)[j];
      }
      sums.data[j] = sum;
    }
  }
};

/// One step of stochastic gradient descent with momentum.
struct sgd_step {
  static constexpr const char* name = "sgd_step";
  matrix weights;
  matrix velocity;
  matrix gradient;
  float rate;
  float momentum;

  void operator()(block_index index) const {
    const auto [begin, end] = part_of(weights.size(), index);
    for (std::size_t i = begin; i < end; ++i) {
      velocity.data[i] = momentum * velocity.data[i] - rate * gradient.data[i];
      weights.data[i] += velocity.data[i];
    }
  }
};

// ---- Launching ----

/// What soma calls for each block: unpacks the arguments and runs the kernel.
template <class Kernel>
int run_block(const void* arguments, std::size_t argument_bytes, std::uint32_t block, std::uint32_t blocks) {
  if (argument_bytes != sizeof(Kernel)) {
    return 1;
  }
  Kernel kernel;
  std::memcpy(&kernel, arguments, sizeof(Kernel));
  kernel({block, blocks});
  return 0;
}

inline constexpr std::uint32_t blocks_per_launch = 4;

/// Queues the kernel. Its arguments are copied, so `kernel` may be gone when it runs.
template <class Kernel>
void launch(soma::stream& on, const Kernel& kernel) {
  static_assert(std::is_trivially_copyable_v<Kernel>);
  static const auto function = soma::kernel::from_function(&run_block<Kernel>, Kernel::name);
  example::must(on.launch(function, soma::launch_arguments::value(kernel), blocks_per_launch));
}

}  // namespace training
