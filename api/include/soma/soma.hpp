// The whole C++ interface of soma.
#pragma once

#include "soma/check.hpp"
#include "soma/classic_pools.hpp"
#include "soma/device.hpp"
#include "soma/error.hpp"
#include "soma/event.hpp"
#include "soma/kernel.hpp"
#include "soma/memory_resource.hpp"
#include "soma/metrics.hpp"
#include "soma/pool.hpp"
#include "soma/runtime.hpp"
#include "soma/stream.hpp"
#include "soma/trace.hpp"
