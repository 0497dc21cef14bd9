// The program of a client in a scenario: it arrives, then repeatedly acquires, works on the
// resource and releases. Operations of the history are recorded here, so that no algorithm has to
// know that it is watched.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/client/sim_client.h"
#include "models/client/tenures.h"
#include "models/locks/algorithm.h"
#include "scenarios/scenario.h"
#include "sim/process.h"

namespace picklock::scenarios {

class CutOff;

class ClientProgram final : public sim::Program {
 public:
  // The part of a scenario that is different for each client.
  struct Part {
    const ClientsSpec* clients = nullptr;
    const LockSpec* lock = nullptr;
    const models::Algorithm* algorithm = nullptr;
    std::vector<history::KeyId> keys{};  // of its locks
    std::uint32_t quorum = 1;            // servers that make a grant to it
    // The first incarnation arrives then; after a restart the client arrives at once, and does all
    // its cycles.
    Duration arrives{};
    bool is_operator = false;
  };

  // `busy_until` tells the run how long there is work to do: every acquire that begins and every
  // critical section moves it forward.
  void reset(models::ClientMachine& machine, const Scenario& scenario, const Part& part,
             models::Tenures& tenures, sim::Instant& busy_until, CutOff& cut_off);

  void start(sim::Keeps keeps) override;
  void halted() override { machine_->forget(); }
  void clock_changed() override { machine_->clock_changed(); }
  void found_no_server() override;

  // Since when it does nothing but wait for its lock without a limit; nullopt: it may do more.
  const std::optional<sim::Instant>& waits_since() const { return waits_since_; }

 private:
  // A lock, and what it can do beside its verbs as far as the scenario needs it.
  struct Equipped {
    std::unique_ptr<Lock> verbs;
    HolderCheck* holder_check = nullptr;
    DatabaseWrite* database = nullptr;
    ForcedRelease* forced_release = nullptr;
  };
  // A thread that wants locks.
  struct Worker {
    models::SimClient self;
    std::size_t locks = 0;       // in locks_, one for each key from here
    std::uint32_t acquires = 0;  // that it has begun
  };
  // A lock that a worker holds. It lives on the thread's stack.
  struct Held {
    Equipped& lock;
    const std::string& key;
    history::TenureId tenure = 0;
    const Lease& lease;
    models::Credentials shown{};
    models::Seen seen{};
    Held* next = nullptr;  // the one that was acquired after it
  };

  std::size_t keys() const { return clients_->keys.empty() ? 1 : clients_->keys.size(); }
  const std::string& key(std::size_t number) const {
    return clients_->keys.empty() ? lock_->key : clients_->keys[number];
  }
  void live(bool first, std::uint32_t number, std::size_t locks);
  void operate(Equipped& lock);
  std::size_t make_locks();
  void make_lock();
  // Acquires lock `number` and all after it, works, and releases it. `first` and `last`: the locks
  // that the worker has; nullptr: none.
  void cycle(Worker& worker, std::size_t number = 0, Held* first = nullptr, Held* last = nullptr);
  // Acquires the lock, or acquires it again within its tenure.
  Acquired acquire(Worker& worker, Equipped& lock, const std::string& key);
  void release(Worker& worker, Equipped& lock, const Lease& lease);
  void abandon(Worker& worker, Equipped& lock, const Lease& lease);
  void work(Worker& worker, Held& first);
  // False: it has no fencing token.
  bool prepare(Worker& worker, Held& held);
  void nest(Worker& worker, Held& first);
  void keep_progress(Worker& worker, Held& first);
  void take_steps(Worker& worker, Held& first);
  // False: the holder is told to stop.
  bool take(Worker& worker, const WorkStep& step, Held& held);
  void stay(Worker& worker, Held& first, Duration from, Duration until);
  void write(Worker& worker, Held& first, std::uint32_t number);
  void write_for(Worker& worker, Held& held, std::uint32_t number);
  // Whether the client still holds the lock, as far as it knows.
  bool may_write(Worker& worker, Held& held, bool checks);
  bool waits_without_limit() const;
  void play(Role role) { thread().role = role; }
  // The thread acts for this lock.
  void act_for(const Held& held) { thread().tag = held.tenure; }
  void busy_for(Duration length);
  sim::Thread& thread() const { return *machine_->simulation().scheduler.running(); }

  models::ClientMachine* machine_ = nullptr;
  const models::Algorithm* algorithm_ = nullptr;
  const Scenario* scenario_ = nullptr;
  const ClientsSpec* clients_ = nullptr;
  const LockSpec* lock_ = nullptr;
  std::span<const history::KeyId> key_ids_;
  std::uint32_t quorum_ = 1;
  models::Tenures* tenures_ = nullptr;
  sim::Instant* busy_until_ = nullptr;
  CutOff* cut_off_ = nullptr;
  std::optional<sim::Instant> waits_since_;
  sim::ThreadId waiter_ = 0;  // the thread that does
  Duration first_arrival_{};
  bool is_operator_ = false;
  // State that a thread may need after its client has gone; kept for the whole run.
  std::deque<Equipped> locks_;
};

}  // namespace picklock::scenarios
