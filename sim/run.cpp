#include "sim/run.hpp"

#include <utility>

#include "api/cpp/ends.hpp"
#include "memory/sizes.hpp"
#include "sim/interpreter.hpp"
#include "sim/races.hpp"
#include "sim/stage.hpp"
#include "sim/world.hpp"

namespace soma::sim {

namespace {

struct quiet_system {
  quiet_system() { messages::configure_for_tests(config); }
  caf::actor_system_config config;
  std::optional<caf::actor_system> system;
};

// One for the process, and never ended: a failed run may leave actors behind.
std::shared_ptr<caf::actor_system> shared_system() {
  static auto* const shared = [] {
    auto* made = new quiet_system;
    made->system.emplace(made->config);
    messages::forget_logger();
    return new std::shared_ptr<caf::actor_system>(&*made->system, [](caf::actor_system*) {});
  }();
  return *shared;
}

stage* told_of_second_answers = nullptr;

void answered_twice() {
  if (told_of_second_answers != nullptr) {
    told_of_second_answers->fail("answered_once", "a request was answered a second time");
  }
}

// While a run goes on.
class second_answers_watch {
public:
  explicit second_answers_watch(stage& told) {
    told_of_second_answers = &told;
    messages::called_twice.store(answered_twice, std::memory_order_release);
  }
  ~second_answers_watch() {
    messages::called_twice.store(nullptr, std::memory_order_release);
    told_of_second_answers = nullptr;
  }
  second_answers_watch(const second_answers_watch&) = delete;
  second_answers_watch& operator=(const second_answers_watch&) = delete;
};

// By the text of the scenario: pools that keep all they have, and a device that is large enough, give nothing
// back.
bool may_give_memory_back(const scenario& program) {
  std::uint64_t wanted = 0;
  for (const auto& one : program.statements) {
    const auto& settings = one.settings;
    if (one.what == verb::malloc || one.what == verb::trim || one.what == verb::set ||
        one.what == verb::destroy_pool ||
        (one.what == verb::make_pool &&
         (settings.limit != 0 || settings.threshold != pool_settings().threshold))) {
      return true;
    }
    wanted += one.what == verb::alloc ? memory::round_up(one.bytes, memory::granule_bytes) : 0;
  }
  return wanted > program.device_bytes;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

struct runner::parts {
  std::shared_ptr<caf::actor_system> system = shared_system();
  host_threads threads;
};

runner::runner() : parts_(std::make_unique<parts>()) {}
runner::~runner() = default;

namespace {

std::shared_ptr<detail::runtime_end>
start_runtime(const scenario& program, std::shared_ptr<caf::actor_system> system, stage& on, bool checked) {
  const auto range = memory::least_device_range() * 2;
  auto backing = memory::backing::reserve(range, memory::least_device_range());
  if (!backing) {
    on.fail("call", "the runtime cannot be made: " + backing.error().text);
    return nullptr;
  }
  runtime_options options;
  options.device_memory = memory::round_up(program.device_bytes, memory::granule_bytes);
  if (checked) {
    options.check = check_options{.output = check_output::none};
  }
  auto made = detail::runtime_end::create(
      options, {std::move(*backing), std::move(system), std::make_unique<staged_caller>(on)});
  if (!made) {
    on.fail("call", "the runtime cannot be made: " + made.error().message);
    return nullptr;
  }
  return std::move(*made);
}

}  // namespace

run_result runner::run(const scenario& program, chooser& by, const run_options& options) {
  by.begin();
  const interpreter* performing = nullptr;
  world in(*parts_->system,
           [&performing](const task& of) { return performing == nullptr || performing->is_open(of); });
  stage on(in, by, parts_->threads);
  const second_answers_watch watch(on);
  for (std::size_t thread = 1; thread <= program.threads; ++thread) {
    in.add_host(thread == 1 ? "main" : "T" + std::to_string(thread));
  }
  in.set_current(*in.hosts()[0]);
  in.memory_may_go_back(may_give_memory_back(program));
  for (std::size_t thread = 2; thread <= program.threads; ++thread) {
    in.hosts()[thread - 1]->now = host::state::finished;  // for as long as it has not been started
  }
  auto checkers = checkers_for(program);
  if (options.extra_checker) {
    checkers.push_back(options.extra_checker());
  }
  for (auto& one : checkers) {
    one->report_to([&on](failure found) { on.fail(std::move(found.checker), std::move(found.text)); });
  }

  auto runtime = start_runtime(program, parts_->system, on, options.check);
  interpreter performer(program, in, on, checkers);
  performing = &performer;
  if (runtime != nullptr) {
    performer.set_up(std::move(*soma::runtime(runtime).get_device()));
  }
  on.drain();
  if (!on.over()) {
    on.enter(stage::phase::chosen);
    for (std::size_t thread = 2; thread <= program.threads; ++thread) {
      on.start(thread - 1, [&performer, thread] { performer.perform(thread); });
    }
    performer.perform(1);
    on.join();
    if (!on.over()) {
      performer.end();
    }
    if (options.check && !on.over()) {
      if (auto found = judge_races(program, soma::runtime(runtime))) {
        on.fail(std::move(found->checker), std::move(found->text));
      }
    }
  }

  run_result result;
  result.pruned = on.pruned();
  const bool clean = !on.over();
  on.enter(clean ? stage::phase::unchosen : stage::phase::winding);
  performer.open_all_gates();
  performer.tear_down();
  runtime.reset();
  on.drain();
  if (clean && !on.over()) {
    if (const auto left = in.alive(); !left.empty()) {
      on.fail("actors_gone", "after the end of the runtime there are still: " + joined(left));
    }
  }
  if (!in.alive().empty()) {
    on.enter(stage::phase::winding);
    in.end_all();
    on.drain();
  }
  result.failed = on.failed();
  result.choices = on.choices();
  result.hash = in.log().hash();
  result.order = in.log().order_hash();
  result.steps = in.log().size();
  if (options.keep_log || result.failed) {
    result.log = in.log().text(options.keep_log ? in.log().size() : 30);
  }
  return result;
}

}  // namespace soma::sim
