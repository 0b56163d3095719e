// Trains a small network on two streams, with all of its memory from a stream-ordered pool.
//
//   training_loop [--steps N] [--record FILE]
//
// One stream prepares the batches (copies, features), the other computes (forward, backward, update). Events
// order them: a batch is used behind its preparation, and memory of a batch that was used goes to a later
// one. The host only submits; it waits where it prints. --record writes every malloc and free of the pool,
// and every synchronise, as a trace for `soma replay`.
//
// Read top-down from train() at the end. The kernels are in training/kernels.hpp, the pool and the recorder
// in training/memory.hpp, the data in training/data.hpp.

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "soma/soma.hpp"
#include "training/data.hpp"
#include "training/kernels.hpp"
#include "training/memory.hpp"

namespace {

using example::must;
using training::as_is;
using training::launch;
using training::matrix;
using training::transposed;

constexpr std::size_t batch_size = 128;
constexpr std::size_t hidden_size = 64;
constexpr std::size_t steps_between_reports = 50;
constexpr float learning_rate = 0.05F;
constexpr float momentum = 0.9F;
constexpr std::uint32_t seed = 2024;
static_assert(training::spirals::size % batch_size == 0);

// ---- Preparing batches, on the input stream ----

struct batch {
  matrix features;
  std::uint32_t* labels = nullptr;
};

batch prepare_batch(std::size_t step, const training::spirals& data, training::memory& memory,
                    soma::stream& input) {
  using training::expand_features;
  const std::size_t first = step * batch_size % training::spirals::size;
  const matrix points = memory.allocate_matrix(batch_size, expand_features::point_columns, input);
  const batch prepared{memory.allocate_matrix(batch_size, expand_features::feature_columns, input),
                       memory.allocate<std::uint32_t>(batch_size, input)};

  must(input.copy(points.data, data.points(first), points.size() * sizeof(float)));
  must(input.copy(prepared.labels, data.labels(first), batch_size * sizeof(std::uint32_t)));
  launch(input, expand_features{points, prepared.features});
  memory.free(points, input);
  return prepared;
}

// ---- The network ----

/// A parameter and what the update remembers of earlier steps.
struct parameter {
  matrix value;
  matrix velocity;
};

struct layer {
  parameter weights;
  parameter bias;
  bool relu = false;
};

parameter make_parameter(std::size_t rows, std::size_t columns, float bound, std::uint64_t parameter_seed,
                         training::memory& memory, soma::stream& compute) {
  const parameter made{memory.allocate_matrix(rows, columns, compute),
                       memory.allocate_matrix(rows, columns, compute)};
  launch(compute, training::fill_uniform{made.value, bound, parameter_seed});
  must(compute.fill(made.velocity.data, 0, made.velocity.size() * sizeof(float)));
  return made;
}

std::vector<layer> make_network(training::memory& memory, soma::stream& compute) {
  const std::array<std::size_t, 4> sizes{training::expand_features::feature_columns, hidden_size, hidden_size,
                                         training::spirals::classes};
  std::vector<layer> network;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const std::size_t inputs = sizes[i];
    const std::size_t outputs = sizes[i + 1];
    const float bound = std::sqrt(6.0F / static_cast<float>(inputs));
    network.push_back({make_parameter(inputs, outputs, bound, seed + i, memory, compute),
                       make_parameter(1, outputs, 0.0F, seed, memory, compute), i + 2 < sizes.size()});
  }
  return network;
}

void free_network(const std::vector<layer>& network, training::memory& memory, soma::stream& compute) {
  for (const layer& each : network) {
    for (const parameter& held : {each.weights, each.bias}) {
      memory.free(held.value, compute);
      memory.free(held.velocity, compute);
    }
  }
}

// ---- One step, on the compute stream ----

/// What each layer reads, the features first; at the end what the last layer gives out.
std::vector<matrix> forward(const std::vector<layer>& network, const matrix& features,
                            training::memory& memory, soma::stream& compute) {
  std::vector<matrix> activations{features};
  for (const layer& each : network) {
    const matrix output = memory.allocate_matrix(features.rows, each.weights.value.columns, compute);
    launch(compute, training::matmul{as_is(activations.back()), as_is(each.weights.value), output});
    launch(compute, training::add_bias{output, each.bias.value, each.relu});
    activations.push_back(output);
  }
  return activations;
}

/// The gradient at the logits. The mean loss goes to `loss`, in host memory, when the stream gets there.
matrix measure(const matrix& logits, const std::uint32_t* labels, float* loss, training::memory& memory,
               soma::stream& compute) {
  const matrix gradient = memory.allocate_matrix(logits.rows, logits.columns, compute);
  const matrix row_losses = memory.allocate_matrix(1, logits.rows, compute);
  auto* const mean_loss = memory.allocate<float>(1, compute);
  launch(compute, training::softmax_cross_entropy{logits, labels, row_losses, gradient});
  launch(compute, training::mean{row_losses, mean_loss});
  must(compute.copy(loss, mean_loss, sizeof(float)));
  memory.free(row_losses, compute);
  memory.free(mean_loss, compute);
  return gradient;
}

void update(const parameter& updated, const matrix& gradient, soma::stream& compute) {
  launch(compute, training::sgd_step{updated.value, updated.velocity, gradient, learning_rate, momentum});
}

/// Goes through the layers from the last to the first. Frees the gradient and the activations as it goes.
void backward(const std::vector<layer>& network, const std::vector<matrix>& activations, matrix gradient,
              training::memory& memory, soma::stream& compute) {
  for (std::size_t i = network.size(); i-- > 0;) {
    const layer& each = network[i];
    const matrix& input = activations[i];
    const matrix& output = activations[i + 1];
    if (each.relu) {
      launch(compute, training::relu_backward{gradient, output});
    }
    memory.free(output, compute);

    const matrix weights_gradient =
        memory.allocate_matrix(each.weights.value.rows, each.weights.value.columns, compute);
    const matrix bias_gradient = memory.allocate_matrix(1, each.bias.value.columns, compute);
    launch(compute, training::matmul{transposed(input), as_is(gradient), weights_gradient});
    launch(compute, training::sum_rows{gradient, bias_gradient});

    // The gradient for the layer in front is of the weights as they were, so it comes before the update.
    matrix input_gradient;
    if (i > 0) {
      input_gradient = memory.allocate_matrix(input.rows, input.columns, compute);
      launch(compute, training::matmul{as_is(gradient), transposed(each.weights.value), input_gradient});
    }
    memory.free(gradient, compute);

    update(each.weights, weights_gradient, compute);
    update(each.bias, bias_gradient, compute);
    memory.free(weights_gradient, compute);
    memory.free(bias_gradient, compute);
    gradient = input_gradient;
  }
  memory.free(activations.front(), compute);
}

void train_step(const std::vector<layer>& network, const batch& used, float* loss, training::memory& memory,
                soma::stream& compute) {
  const std::vector<matrix> activations = forward(network, used.features, memory, compute);
  const matrix gradient = measure(activations.back(), used.labels, loss, memory, compute);
  memory.free(used.labels, compute);
  backward(network, activations, gradient, memory, compute);
}

// ---- The loop ----

/// The events of a batch in flight. Two are in flight: one is computed while the next one is prepared.
struct batch_events {
  soma::event prepared;
  soma::event used;
};

batch_events make_batch_events(soma::device& device) {
  soma::event prepared = must(device.create_event());
  return {std::move(prepared), must(device.create_event())};
}

soma::pool make_pool(soma::device& device) {
  soma::pool_options options;
  options.limit = std::uint64_t{256} << 20;
  // The tensors are small; with whole granules most of each block would be waste.
  options.minimum_block = 512;
  // Batches are allocated on the input stream and freed on the compute stream: they come back by events.
  options.reuse.event = true;
  // Keep the memory over the synchronises for the reports.
  options.release_threshold = options.limit;
  return must(device.create_pool(options));
}

void print_statistics(const soma::pool_statistics& pool) {
  const auto kib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1024.0; };
  std::printf("\npool: at most %.0f KiB requested, %.0f KiB used, %.0f KiB reserved\n",
              kib(pool.requested_high), kib(pool.used_high), kib(pool.reserved_high));
  std::printf("allocations served: %llu by the same stream, %llu by events, %llu by new memory\n",
              static_cast<unsigned long long>(pool.served.same_stream),
              static_cast<unsigned long long>(pool.served.event),
              static_cast<unsigned long long>(pool.served.new_memory));
}

struct command_line {
  std::size_t steps = 400;
  std::string record;
};

/// Returns whether the network learned.
bool train(const command_line& options) {
  // The losses are written by copy tasks: they have to outlive the runtime, which ends after all tasks have.
  std::vector<float> losses(options.steps);

  const soma::runtime runtime = must(soma::runtime::create());
  soma::device device = must(runtime.get_device());
  const training::spirals data(device, seed);
  soma::stream input = must(device.create_stream());
  soma::stream compute = must(device.create_stream());
  std::array<batch_events, 2> events{make_batch_events(device), make_batch_events(device)};
  training::memory memory(make_pool(device));

  const std::vector<layer> network = make_network(memory, compute);
  std::printf("three spirals, %zu points, batches of %zu\n\n  step    loss\n", training::spirals::size,
              batch_size);

  for (std::size_t step = 0; step < options.steps; ++step) {
    auto& [prepared, used] = events[step % events.size()];

    // Do not run further ahead than the batches in flight, and take over the memory of the one before last.
    // In the first steps the event was never recorded, and the wait is none.
    must(input.wait(used));
    const batch next = prepare_batch(step, data, memory, input);
    must(input.record(prepared));

    must(compute.wait(prepared));
    train_step(network, next, &losses[step], memory, compute);
    must(compute.record(used));

    if ((step + 1) % steps_between_reports == 0 || step == 0 || step + 1 == options.steps) {
      memory.synchronize(device);
      std::printf("%6zu  %6.3f\n", step + 1, static_cast<double>(losses[step]));
    }
  }

  free_network(network, memory, compute);
  memory.synchronize(device);
  print_statistics(memory.statistics());
  if (!options.record.empty()) {
    memory.recorded().write(options.record);
    std::printf("%zu rows recorded in %s\n", memory.recorded().rows(), options.record.c_str());
  }
  return losses.back() < 0.5F * losses.front();
}

command_line parse(int count, char** words) {
  command_line parsed;
  for (int i = 1; i < count; ++i) {
    const std::string_view option = words[i];
    const char* const value = i + 1 < count ? words[++i] : nullptr;
    if (option == "--record" && value != nullptr) {
      parsed.record = value;
    } else if (option == "--steps" && value != nullptr) {
      const char* const end = value + std::strlen(value);
      const auto [rest, problem] = std::from_chars(value, end, parsed.steps);
      if (problem != std::errc{} || rest != end || parsed.steps == 0) {
        throw std::runtime_error("--steps takes a number from 1 on, not '" + std::string(value) + "'");
      }
    } else {
      throw std::runtime_error("usage: training_loop [--steps N] [--record FILE]");
    }
  }
  return parsed;
}

}  // namespace

int main(int count, char** words) {
  try {
    const command_line options = parse(count, words);
    const bool learned = train(options);
    // A short run, for a trace, need not have learned yet.
    if (!learned && options.steps >= command_line{}.steps) {
      std::fputs("training_loop: the loss did not fall as it should\n", stderr);
      return EXIT_FAILURE;
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "training_loop: %s\n", failure.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
