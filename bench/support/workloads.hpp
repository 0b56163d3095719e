// The sizes and steps of the workloads. They are the same for every subject and in every run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace soma::bench {

/// The one size of the pairs.
inline constexpr std::size_t pair_bytes = 4096;

/// 20 sizes in about equal ratios from 512 B to 64 MiB.
inline constexpr std::array<std::size_t, 20> mix_sizes = [] {
  std::array<std::size_t, 20> sizes{1,   2,   3,    6,    12,   22,    41,    77,    143,   266,
                                    494, 918, 1707, 3173, 5899, 10968, 20393, 37916, 70496, 131072};
  for (auto& size : sizes) {
    size *= 512;
  }
  return sizes;
}();

/// The same, each divided by 64 and rounded up to 512 B: for workloads with a hundred thousand blocks.
inline constexpr std::array<std::size_t, 20> small_mix_sizes = [] {
  auto sizes = mix_sizes;
  for (auto& size : sizes) {
    size = (size / 64 + 511) / 512 * 512;
  }
  return sizes;
}();

/// Sizes as real programs ask for them: the deciles of three recorded training and inference programs, those
/// with the most small blocks.
inline constexpr std::array<std::size_t, 27> real_sizes{
    512, 512,  512,  512,  512,   512,    82944,  1048576, 2097152,   // a small CNN
    512, 1024, 1024, 2048, 16384, 262144, 524288, 1048576, 3810304,   // ResNet, training
    512, 3072, 3072, 3072, 3072,  25600,  761856, 2359296, 2457600};  // OPT, fine-tuning

/// A step of a steady workload: the block in this slot is freed, and one of this size takes its place.
struct replacement {
  std::size_t slot = 0;
  std::size_t bytes = 0;
};

inline std::vector<replacement> random_steps(std::size_t slots, std::span<const std::size_t> sizes,
                                             std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<replacement> steps(count);
  for (auto& step : steps) {
    step = {random() % slots, sizes[random() % sizes.size()]};
  }
  return steps;
}

}  // namespace soma::bench
