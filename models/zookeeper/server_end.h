// Where clients reach one server of an ensemble, simulated or real.
#pragma once

#include "sim/network.h"

namespace picklock::models::zookeeper {

struct ServerEnd {
  sim::Process* process = nullptr;
  sim::Endpoint* endpoint = nullptr;
};

}  // namespace picklock::models::zookeeper
