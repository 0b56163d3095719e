// What the training example learns: three spirals of points that wind around each other, one for each class.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "../check.hpp"
#include "kernels.hpp"
#include "soma/device.hpp"

namespace training {

/// The data set, shuffled, in memory that copies can read while the host goes on. Batches are read in turn,
/// so the number of points is a multiple of the batch.
class spirals {
public:
  static constexpr std::size_t classes = 3;
  static constexpr std::size_t size = classes * 512;

  spirals(soma::device& device, std::uint32_t seed) : device_(device) {
    points_ = static_cast<float*>(
        example::must(device_.malloc_host(size * expand_features::point_columns * sizeof(float))));
    labels_ = static_cast<std::uint32_t*>(example::must(device_.malloc_host(size * sizeof(std::uint32_t))));

    std::mt19937 random(seed);
    for (std::size_t i = 0; i < size; ++i) {
      // The generator's own numbers: what the standard's distributions make of them differs between
      // libraries.
      const float along = static_cast<float>(random() >> 8U) * 0x1p-24F;
      const float noise = static_cast<float>(random() >> 8U) * 0x1p-24F - 0.5F;
      const auto label = static_cast<std::uint32_t>(random() % classes);
      const float angle = 4.0F * along + 2.0944F * static_cast<float>(label) + 0.4F * noise;
      const float radius = 0.1F + 0.9F * along;
      points_[2 * i] = radius * std::cos(angle);
      points_[2 * i + 1] = radius * std::sin(angle);
      labels_[i] = label;
    }
  }

  ~spirals() {
    // After an error elsewhere, copies may still be reading. A destructor has no one to report errors to.
    static_cast<void>(device_.synchronize());
    static_cast<void>(device_.free_host(labels_));
    static_cast<void>(device_.free_host(points_));
  }

  spirals(const spirals&) = delete;
  spirals& operator=(const spirals&) = delete;

  [[nodiscard]] const float* points(std::size_t first) const {
    return points_ + first * expand_features::point_columns;
  }

  [[nodiscard]] const std::uint32_t* labels(std::size_t first) const { return labels_ + first; }

private:
  soma::device& device_;
  float* points_ = nullptr;
  std::uint32_t* labels_ = nullptr;
};

}  // namespace training
