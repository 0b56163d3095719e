// What the adaptive allocator's choices are worth: recorded traces against pools whose sizes are fixed in
// advance.
//
//   adaptive_choices [TRACE.csv ...]
//
// Prints for each trace the peak of reserved memory, as a multiple of the peak that was asked for, and how
// often memory was taken from the device and given back. Streams are left out of account. Only operations are
// counted: the figures are the same on every machine. No memory is touched.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memory/adaptive_pool.hpp"
#include "memory/sizes.hpp"
#include "memory/tiered_pool.hpp"

namespace {

using namespace soma::memory;

struct call {
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;  // 0: a free
};

std::uint64_t number_in(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The mallocs and frees of a trace with the header op,id,bytes,stream,time_us.
std::vector<call> calls_of(const std::filesystem::path& trace) {
  std::vector<call> calls;
  std::ifstream file(trace);
  std::string line;
  while (std::getline(file, line)) {
    const auto first = line.find(',');
    const auto second = line.find(',', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string_view text(line);
    const auto id = number_in(text.substr(first + 1));
    if (text.starts_with("malloc,") && number_in(text.substr(second + 1)) > 0) {
      calls.push_back({id, number_in(text.substr(second + 1))});
    } else if (text.starts_with("free,")) {
      calls.push_back({id});
    }
  }
  return calls;
}

struct outcome {
  std::uint64_t requested = 0;  // at most
  std::uint64_t reserved = 0;   // at most
  std::uint64_t backing = 0;    // calls

  [[nodiscard]] double ratio() const {
    return static_cast<double>(reserved) / static_cast<double>(std::max<std::uint64_t>(requested, 1));
  }
};

// Addresses that nothing is behind.
constexpr std::uint64_t first_address = std::uint64_t{1} << 44;

outcome run(classic_pool& pool, const std::vector<call>& calls) {
  auto next = first_address;
  std::unordered_map<std::uint64_t, address> live;
  for (const auto& each : calls) {
    if (each.bytes > 0) {
      const auto growth = pool.growth_for(each.bytes);
      if (growth.best == 0) {
        live[each.id] = pool.allocate(each.bytes).value().begin;
        continue;
      }
      static_cast<void>(pool.take_surplus());
      live[each.id] = pool.grow({address{next}, growth.best}, each.bytes).begin;
      next += growth.best + 1;
    } else if (const auto found = live.find(each.id); found != live.end()) {
      static_cast<void>(pool.free(found->second));
      static_cast<void>(pool.take_surplus());
      live.erase(found);
    }
  }
  const auto figures = pool.figures();
  return {figures.requested_high, figures.reserved_high, figures.backing_requests + figures.backing_returns};
}

std::uint64_t peak_of(const std::vector<call>& calls) {
  std::unordered_map<std::uint64_t, std::uint64_t> live;
  std::uint64_t now = 0;
  std::uint64_t peak = 0;
  for (const auto& each : calls) {
    if (each.bytes > 0) {
      live[each.id] = each.bytes;
      peak = std::max(peak, now += each.bytes);
    } else if (const auto found = live.find(each.id); found != live.end()) {
      now -= found->second;
      live.erase(found);
    }
  }
  return peak;
}

// Pools of blocks of 512 bytes to 1 MiB by powers of two, a variable-size pool of this share of the peak, and
// the device for what does not fit.
outcome run_tiers(const std::vector<call>& calls, std::uint64_t blocks, std::uint64_t variable_bytes) {
  constexpr std::uint64_t smallest = 512;
  constexpr std::uint64_t largest = std::uint64_t{1} << 20;
  constexpr std::uint64_t unit = 64;
  std::vector<tier> tiers;
  auto bytes = round_up(std::max(variable_bytes, unit), unit);
  for (auto size = smallest; blocks > 0 && size <= largest; size *= 2) {
    tiers.push_back({size, blocks});
    bytes += size * blocks;
  }
  tiered_pool pool({address{std::uint64_t{1} << 40}, bytes}, tiers, unit, true);
  return run(pool, calls);
}

constexpr std::array choices{"adaptive", "tiers, 512 MiB", "tiers, half the peak", "one pool, the peak",
                             "no pool"};
using row = std::array<outcome, choices.size()>;

row compare(const std::vector<call>& calls) {
  constexpr std::uint64_t fixed_bytes = std::uint64_t{512} << 20;
  const auto peak = peak_of(calls);
  adaptive_pool adaptive;
  return {run(adaptive, calls), run_tiers(calls, 64, fixed_bytes), run_tiers(calls, 64, peak / 2),
          run_tiers(calls, 0, peak), run_tiers(calls, 0, 0)};
}

void print(const std::string& name, const row& figures) {
  std::cout << "| " << name << " |";
  for (const auto& each : figures) {
    std::cout << ' ' << std::fixed << std::setprecision(2) << each.ratio() << " / " << each.backing << " |";
  }
  std::cout << '\n';
}

// Geometric means over the traces.
void print_means(const std::vector<row>& rows) {
  std::cout << "| mean |";
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    double ratio = 0;
    double backing = 0;
    for (const auto& each : rows) {
      ratio += std::log(each[choice].ratio());
      backing += std::log(static_cast<double>(each[choice].backing));
    }
    const auto count = static_cast<double>(rows.size());
    std::cout << ' ' << std::setprecision(2) << std::exp(ratio / count) << " / " << std::setprecision(0)
              << std::exp(backing / count) << " |";
  }
  std::cout << '\n';
}

std::vector<std::filesystem::path> traces_of(int count, char** arguments) {
  std::vector<std::filesystem::path> traces(arguments + 1, arguments + count);
  if (traces.empty() && std::filesystem::is_directory(SOMA_BENCH_TRACES)) {
    for (const auto& entry : std::filesystem::directory_iterator(SOMA_BENCH_TRACES)) {
      if (entry.path().extension() == ".csv") {
        traces.push_back(entry.path());
      }
    }
  }
  std::sort(traces.begin(), traces.end());
  return traces;
}

}  // namespace

int main(int count, char** arguments) {
  const auto traces = traces_of(count, arguments);
  if (traces.empty()) {
    std::cerr << "adaptive_choices: there are no traces; name some files\n";
    return 2;
  }
  std::cout << "| reserved / requested at the peak, and calls for backing memory |";
  for (const auto* choice : choices) {
    std::cout << ' ' << choice << " |";
  }
  std::cout << "\n|---|---|---|---|---|---|\n";
  std::vector<row> rows;
  for (const auto& trace : traces) {
    const auto calls = calls_of(trace);
    if (calls.empty()) {
      std::cerr << "adaptive_choices: " << trace << " has no malloc\n";
      return 2;
    }
    rows.push_back(compare(calls));
    print(trace.stem().string(), rows.back());
  }
  print_means(rows);
}
