// Runs the fuzzer's target without libFuzzer: over the files that are named, and over inputs by chance.
//
//   fuzz_driver COUNT FILE...
//
// The inputs are the same in every run. If one takes too long, or fails, its number or name is told.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "support/watchdog.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

namespace {

void run(const std::string& name, const std::vector<std::uint8_t>& input) {
  constexpr std::chrono::seconds limit{60};
  const support::watchdog over(limit, name);
  std::printf("%s\n", name.c_str());
  std::fflush(stdout);  // so that it is there if the input ends the process
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

std::vector<std::uint8_t> by_chance(std::uint32_t seed) {
  constexpr std::size_t most_bytes = 2048;
  std::mt19937 random(seed);
  std::vector<std::uint8_t> input(random() % most_bytes);
  for (auto& byte : input) {
    byte = static_cast<std::uint8_t>(random());
  }
  return input;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: %s COUNT FILE...\n", arguments[0]);
    return 1;
  }
  for (int i = 2; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s cannot be read\n", arguments[i]);
      return 1;
    }
    run(arguments[i], {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
  }
  const auto inputs = static_cast<std::uint32_t>(std::strtoul(arguments[1], nullptr, 10));
  for (std::uint32_t seed = 1; seed <= inputs; ++seed) {
    run("input " + std::to_string(seed), by_chance(seed));
  }
  return 0;
}
