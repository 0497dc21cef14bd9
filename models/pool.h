// Which of a client's connections are lent to which thread: each to one at a time, and whoever
// finds none idle waits for one, in the order in which they came.
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

  // Which of them the running thread has now. Of those that are idle, first one that `suits`.
  // nullopt: all were in use until its patience, by the clock of its machine, ended.
  std::optional<std::size_t> borrow(sim::Duration patience,
                                    const std::function<bool(std::size_t)>& suits = {});
  void give_back(std::size_t one);
  bool lent(std::size_t one) const { return lent_[one]; }
  std::size_t size() const { return lent_.size(); }

 private:
  class Leaving;

  std::optional<std::size_t> idle(const std::function<bool(std::size_t)>& suits) const;
  void wake_next();

  sim::Scheduler* scheduler_ = nullptr;
  sim::Process* self_ = nullptr;
  std::vector<bool> lent_;
  std::deque<sim::Thread*> queue_;
};

}  // namespace picklock::models
