// What a client does in a scenario: arrive, then so many times acquire, work on the resource,
// release. The history's operations are noted here, so that no algorithm has to know that it is
// watched.
#pragma once

#include <cstdint>

#include "models/algorithm.h"
#include "models/sim_client.h"
#include "models/tenures.h"
#include "scenarios/scenario.h"
#include "sim/process.h"

namespace picklock::scenarios {

class ClientProgram final : public sim::Program {
 public:
  // `first_arrival` of the first incarnation; one that a restart begins arrives at once, with all
  // its cycles before it. `busy_until` is where the run learns how long it has work to do: it moves
  // on with every acquire that begins and every critical section.
  void reset(models::ClientMachine& machine, const models::Algorithm& algorithm,
             const Scenario& scenario, models::Tenures& tenures, Duration first_arrival,
             sim::Instant& busy_until);

  void start(sim::Keeps keeps) override;
  void halted() override { machine_->forget(); }

 private:
  void live(bool first);
  void cycle(models::SimClient& self, models::Lock& lock);
  // Asks for the lock, or for the same one again within its tenure.
  models::Acquired acquire(models::SimClient& self, models::Lock& lock);
  void release(models::SimClient& self, models::Lock& lock, const models::Lease& lease);
  void work(models::SimClient& self, models::Lock& lock, const models::Lease& lease);
  void open_section(models::SimClient& self, models::Lock& lock);
  void write(models::SimClient& self, models::Lock& lock, const models::Lease& lease,
             std::uint32_t number, std::int64_t token);
  void play(models::Role role) { thread().role = static_cast<std::uint8_t>(role); }
  void busy_for(Duration length);
  sim::Thread& thread() const { return *machine_->simulation().scheduler.running(); }

  models::ClientMachine* machine_ = nullptr;
  const models::Algorithm* algorithm_ = nullptr;
  const Scenario* scenario_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  sim::Instant* busy_until_ = nullptr;
  Duration first_arrival_{};
};

}  // namespace picklock::scenarios
