// Clients that wait for their lock without a limit, and that can never again reach a server that
// might grant it: each is cut off from them, down for good, or a replica. All that they still try
// is left out of the run. MySQL forgets a silent session after eight hours, so such a run lasts a
// day: 600 events with this, 220,000 of attempts to connect without it.
#pragma once

#include <deque>
#include <vector>

#include "models/servers/cluster.h"
#include "scenarios/client_program.h"
#include "scenarios/scenario.h"
#include "scenarios/topology.h"
#include "sim/simulation.h"

namespace picklock::scenarios {

class CutOff {
 public:
  void set(const Scenario& scenario, const std::vector<ProcessSpec>& processes);
  // For a new run. The first processes are clients with these programs. The cluster must outlive
  // the run.
  void reset(sim::Simulation& simulation, const servers::Cluster& cluster,
             const std::deque<ClientProgram>& programs, std::uint32_t clients);

  // Sets the client aside if it is one of them. Requires: it could just not connect to a server.
  // Returns whether it is.
  bool set_aside(sim::Process& client);

 private:
  bool is_one(const sim::Process& client) const;

  std::vector<sim::ProcessId> servers_;
  Duration patience_{};  // what a client still tries after so long, it tries forever
  sim::Simulation* simulation_ = nullptr;
  const servers::Cluster* cluster_ = nullptr;
  const std::deque<ClientProgram>* programs_ = nullptr;
  std::vector<sim::Instant> look_again_;  // by client: when next, because a look takes long
};

}  // namespace picklock::scenarios
