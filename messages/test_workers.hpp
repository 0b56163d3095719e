// The workers of a system that was configured for tests: what has been given to them runs when a test says
// so. Part of what knows CAF's version, like caf.hpp, and apart from it since it is for tests only.
#pragma once

#include "messages/caf.hpp"
#if SOMA_CAF_LEGACY
#include <caf/scheduler/test_coordinator.hpp>
#else
#include <caf/detail/test_coordinator.hpp>
#endif

namespace soma::messages {

#if SOMA_CAF_LEGACY
using test_workers = caf::scheduler::test_coordinator;
#else
using test_workers = caf::detail::test_coordinator;
#endif

inline test_workers& workers_of(caf::actor_system& system) {
  return dynamic_cast<test_workers&>(system.scheduler());
}

}  // namespace soma::messages
