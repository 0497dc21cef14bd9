// Lends a client's connections to its threads, each to one thread at a time. A thread that finds no
// idle connection waits in a queue.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "sim/simulation.h"

namespace picklock::models {

class Pool {
 public:
  void reset(sim::Scheduler& scheduler, sim::Process& self, std::size_t size);
  // The process has crashed, and its threads with it.
  void forget();

  // Lends an idle connection to the running thread, if possible one that `suits`. nullopt: all were
  // in use until the patience, by the machine's clock, ended.
  std::optional<std::size_t> borrow(sim::Duration patience,
                                    const std::function<bool(std::size_t)>& suits = {});
  void give_back(std::size_t one);
  bool lent(std::size_t one) const { return lent_to_[one] != 0; }
  std::size_t size() const { return lent_to_.size(); }
  // Whether every connection is lent to a thread that has ended, so that none ever comes back.
  bool is_lost() const;

 private:
  class Leaving;

  std::optional<std::size_t> idle(const std::function<bool(std::size_t)>& suits) const;
  void wake_next();

  sim::Scheduler* scheduler_ = nullptr;
  sim::Process* self_ = nullptr;
  std::vector<sim::ThreadId> lent_to_;  // 0: idle
  std::deque<sim::Thread*> queue_;
};

}  // namespace picklock::models
