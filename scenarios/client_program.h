// The program of a client in a scenario: it arrives, then repeatedly acquires, works on the
// resource and releases. Operations of the history are recorded here, so that no algorithm has to
// know that it is watched.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "models/client/sim_client.h"
#include "models/client/tenures.h"
#include "models/locks/algorithm.h"
#include "scenarios/scenario.h"
#include "sim/process.h"

namespace picklock::scenarios {

class ClientProgram final : public sim::Program {
 public:
  // `first_arrival` is that of the first incarnation; after a restart the client arrives at once
  // and does all its cycles. `busy_until` tells the run how long there is work to do: every acquire
  // that begins and every critical section moves it forward.
  void reset(models::ClientMachine& machine, const models::Algorithm& algorithm,
             const Scenario& scenario, models::Tenures& tenures, Duration first_arrival,
             bool is_operator, sim::Instant& busy_until);

  void start(sim::Keeps keeps) override;
  void halted() override { machine_->forget(); }
  void clock_changed() override { machine_->clock_changed(); }

 private:
  // A lock, and what it can do beside its verbs as far as the scenario needs it.
  struct Equipped {
    std::unique_ptr<Lock> verbs;
    HolderCheck* holder_check = nullptr;
    DatabaseWrite* database = nullptr;
    ForcedRelease* forced_release = nullptr;
  };

  void live(bool first, std::uint32_t number, Equipped& lock);
  void operate(Equipped& lock);
  Equipped& make_lock();
  void cycle(models::SimClient& self, Equipped& lock);
  // Acquires the lock, or acquires it again within its tenure.
  Acquired acquire(models::SimClient& self, Equipped& lock);
  void release(models::SimClient& self, Equipped& lock, const Lease& lease);
  void work(models::SimClient& self, Equipped& lock, const Lease& lease);
  void nest(models::SimClient& self, Equipped& lock);
  void keep_progress(models::SimClient& self);
  void take_steps(models::SimClient& self, Equipped& lock, const Lease& lease,
                  const models::Credentials& shown);
  // False: the holder is told to stop.
  bool take(const WorkStep& step, models::Seen& seen, const models::Credentials& shown);
  void stay(models::SimClient& self, Equipped& lock, Duration from, Duration until);
  void write(models::SimClient& self, Equipped& lock, const Lease& lease, std::uint32_t number,
             const models::Credentials& shown);
  // Whether the client still holds the lock, as far as it knows.
  bool may_write(models::SimClient& self, Equipped& lock, const Lease& lease, bool checks);
  void play(Role role) { thread().role = role; }
  void busy_for(Duration length);
  sim::Thread& thread() const { return *machine_->simulation().scheduler.running(); }

  models::ClientMachine* machine_ = nullptr;
  const models::Algorithm* algorithm_ = nullptr;
  const Scenario* scenario_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  sim::Instant* busy_until_ = nullptr;
  Duration first_arrival_{};
  bool is_operator_ = false;
  // State that a thread may need after its client has gone; kept for the whole run.
  std::deque<Equipped> locks_;
};

}  // namespace picklock::scenarios
