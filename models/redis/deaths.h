// The deaths of keys by expiry. The history records a death at its instant, regardless of when the
// server notices and forgets the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "history/recorded_simulation.h"
#include "models/redis/entry.h"
#include "sim/simulation.h"

namespace picklock::redis {

class Keyspace;

class Deaths {
 public:
  explicit Deaths(Keyspace& keys) : keys_(keys) {}

  // For a new run.
  void reset(history::RecordedSimulation& simulation);
  // Call when the deadline of a present entry has been set.
  void watch(const Entry& entry);
  // The entry is dead, and the history has its death or never had its life.
  void mourn(Entry& entry);
  // Takes back the entry's death; returns whether the history had it.
  bool recall(Entry& entry);
  // Whether dead keys are still in memory.
  bool any() const { return mourned_ > 0; }
  void clock_changed();

 private:
  void on_death(std::uint32_t slot);

  Keyspace& keys_;
  history::RecordedSimulation* simulation_ = nullptr;
  std::deque<sim::Timer> timers_;  // by slot
  std::size_t mourned_ = 0;        // dead ones that are still in memory
};

}  // namespace picklock::redis
