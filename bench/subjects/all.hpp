// Adds the benchmarks of a workload for every subject.
#pragma once

#include <string>

#include <benchmark/benchmark.h>

#include "bench/subjects/baseline_subject.hpp"
#include "bench/subjects/caf_subject.hpp"
#include "bench/subjects/malloc_library.hpp"
#include "bench/subjects/pmr_subject.hpp"
#include "bench/subjects/soma_c_subject.hpp"
#include "bench/subjects/soma_subject.hpp"
#include "bench/support/program.hpp"

namespace soma::bench {

/// Adds WORKLOAD/NAME, which makes a subject and calls the body with it.
template <class Subject, class Body>
benchmark::internal::Benchmark* add_subject(const std::string& workload, Body body) {
  return add(workload + "/" + std::string(Subject::name), [body](benchmark::State& state) {
    Subject subject;
    body(state, subject);
  });
}

/// The same for each library that is installed. One that is not is named in a note.
template <class Body, class Settings>
void add_libraries(const std::string& workload, Body body, Settings settings) {
  for (const auto& names : malloc_libraries) {
    std::string why;
    const auto library = malloc_library::open(names, why);
    if (!library) {
      note(std::string(names.subject) + " is left out: " + why);
      continue;
    }
    settings(add(workload + "/" + std::string(names.subject),
                 [body, subject = *library](benchmark::State& state) { body(state, subject); }));
  }
}

/// Adds the workload for the baseline, for soma through both interfaces, and for the peers. `body` is called
/// with the state and a subject, `settings` with each benchmark.
template <class Body, class Settings>
void add_all(const std::string& workload, Body body, Settings settings) {
  settings(add_subject<baseline_subject>(workload, body));
  settings(add_subject<soma_subject>(workload, body));
  settings(add_subject<soma_granules_subject>(workload, body));
  settings(add_subject<soma_c_subject>(workload, body));
  settings(add_subject<pmr_subject>(workload, body));
  settings(add_subject<caf_subject>(workload, body));
  add_libraries(workload, body, settings);
}

}  // namespace soma::bench
