// What a client does in a scenario: arrive, then so many times acquire, work on the resource,
// release. The history's operations are noted here, so that no algorithm has to know that it is
// watched.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

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
             bool is_operator, sim::Instant& busy_until);

  void start(sim::Keeps keeps) override;
  void halted() override { machine_->forget(); }
  void clock_changed() override { machine_->clock_changed(); }

 private:
  void live(bool first, std::uint32_t number, Lock& lock);
  void operate(Lock& lock);
  Lock& make_lock();
  void cycle(models::SimClient& self, Lock& lock);
  // Asks for the lock, or for the same one again within its tenure.
  Acquired acquire(models::SimClient& self, Lock& lock);
  void release(models::SimClient& self, Lock& lock, const Lease& lease);
  void work(models::SimClient& self, Lock& lock, const Lease& lease);
  void nest(models::SimClient& self, Lock& lock);
  void keep_progress();
  void stay(models::SimClient& self, Lock& lock, Duration from, Duration until);
  void write(models::SimClient& self, Lock& lock, const Lease& lease, std::uint32_t number,
             std::int64_t token);
  void play(Role role) { thread().role = static_cast<std::uint8_t>(role); }
  void busy_for(Duration length);
  sim::Thread& thread() const { return *machine_->simulation().scheduler.running(); }

  models::ClientMachine* machine_ = nullptr;
  const models::Algorithm* algorithm_ = nullptr;
  const Scenario* scenario_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  sim::Instant* busy_until_ = nullptr;
  Duration first_arrival_{};
  bool is_operator_ = false;
  // What threads of theirs may outlive: kept for the run.
  std::vector<std::unique_ptr<Lock>> locks_;
};

}  // namespace picklock::scenarios
