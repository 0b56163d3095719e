// Every message of every actor. Sending needs the whole protocol of the receiver, down to the answers that it
// takes, so actors include this one.
#pragma once

#include "messages/address_space.hpp"
#include "messages/checker.hpp"
#include "messages/classic_pool.hpp"
#include "messages/compactor.hpp"
#include "messages/device.hpp"
#include "messages/engine.hpp"
#include "messages/event.hpp"
#include "messages/plain_pool.hpp"
#include "messages/pool.hpp"
#include "messages/stream.hpp"
