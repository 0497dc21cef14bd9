// The process and endpoint of a server, simulated or not, that clients connect to.
#pragma once

#include "sim/network.h"

namespace picklock::models {

struct ServerEnd {
  sim::Process* process = nullptr;
  sim::Endpoint* endpoint = nullptr;
};

}  // namespace picklock::models
