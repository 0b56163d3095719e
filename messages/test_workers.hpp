// The workers of a system that was configured for tests: what has been given to them runs when a test says
// so. Part of what knows CAF's version, like caf.hpp, and apart from it since it is for tests only.
#pragma once

#include <deque>

#include "messages/caf.hpp"
#if SOMA_CAF_LEGACY
#include <caf/scheduler/test_coordinator.hpp>
#else
#include <caf/detail/test_coordinator.hpp>
#endif

namespace soma::messages {

/// CAF's own class for this, whose functions the shared library of CAF 1.x does not have: there only its list
/// is used.
class test_workers {
public:
#if SOMA_CAF_LEGACY
  explicit test_workers(caf::actor_system& system)
      : of_caf_(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())) {}

  /// Handles one message of the job that has waited longest; false if there is none.
  bool try_run_once() { return of_caf_.try_run_once(); }

private:
  caf::scheduler::test_coordinator& of_caf_;
#else
  explicit test_workers(caf::actor_system& system)
      : jobs_(static_cast<caf::detail::test_coordinator&>(system.scheduler()).jobs), unit_(system, jobs_) {}

  bool try_run_once() {
    if (jobs_.empty()) {
      return false;
    }
    auto* job = jobs_.front();
    jobs_.pop_front();
    if (job->resume(&unit_, 1) == caf::resumable::resume_later) {
      jobs_.push_front(job);
    } else {
      let_go(job);
    }
    return true;
  }

private:
  using job_list = std::deque<caf::resumable*>;

  class queueing_unit final : public own_unit {
  public:
    queueing_unit(caf::actor_system& system, job_list& jobs) : own_unit(system), jobs_(jobs) {}
    void exec_later(caf::resumable* ready) override { jobs_.push_back(ready); }

  private:
    job_list& jobs_;
  };

  job_list& jobs_;
  queueing_unit unit_;
#endif

public:
  /// Until nothing is ready.
  void run() {
    while (try_run_once()) {
    }
  }
};

}  // namespace soma::messages
