// The server's own cycle, ten times a second on its event loop. It looks at some of the keys with a
// deadline, and forgets those that are dead (R20-R22).
#pragma once

#include <cstdint>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/redis/entry.h"
#include "sim/simulation.h"

namespace picklock::redis {

class Keyspace;

class ExpiryCycle {
 public:
  explicit ExpiryCycle(Keyspace& keys) : keys_(keys) {}

  // For a new run.
  void reset(history::RecordedSimulation& simulation, sim::Process& process);
  void halted();

  // Sets the deadline of an entry; call also when it has become present or absent. The cycle looks
  // at the present entries that have one.
  void keep_deadline(Entry& entry, std::int64_t deadline_ms);

  void set_active(bool on);
  // While on, dead keys look absent but stay in memory (R107).
  void hold_expiry(bool on);
  bool holds_expiry() const { return expiry_held_; }
  // While on, a running command keeps the cycle from the event loop.
  void hold(bool on);

  // The next cycle at or after `local`, by the process's monotonic clock.
  std::int64_t next(std::int64_t local) const;
  // The first cycle after now that is not before `at`, by the same clock.
  std::int64_t next_from(sim::Instant at) const;
  // There may be a dead key: spends an event on the next cycle.
  void await();

 private:
  void on_cycle();
  void forget_some();
  Entry& next_to_look_at();

  Keyspace& keys_;
  history::RecordedSimulation* simulation_ = nullptr;
  const sim::Process* process_ = nullptr;
  sim::Timer timer_;
  std::vector<Entry*> expiring_;  // the keys with a deadline, of all databases
  bool active_ = true;
  bool expiry_held_ = false;
  bool held_ = false;
  bool missed_ = false;  // a cycle came due while cycles were held
  std::int64_t phase_ = 0;
  std::uint64_t salt_ = 0;  // of the order in which cycles look at keys
  std::uint32_t cursor_ = 0;
};

}  // namespace picklock::redis
