// Where clients find a server, simulated or not.
#pragma once

#include "sim/network.h"

namespace picklock::models {

struct ServerEnd {
  sim::Process* process = nullptr;
  sim::Endpoint* endpoint = nullptr;
};

}  // namespace picklock::models
