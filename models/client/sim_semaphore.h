// A semaphore of a simulated client process. The history records waits for news: when a thread
// waited, and whose message woke it.
#pragma once

#include <vector>

#include "history/history.h"
#include "picklock/client.h"
#include "sim/simulation.h"

namespace picklock::models {

class ClientMachine;

class SimSemaphore final : public Semaphore {
 public:
  SimSemaphore(ClientMachine& machine, Awaits what) : machine_(machine), what_(what) {}

  Woken acquire(Duration patience) override;
  void release() override;

 private:
  // A waiting thread; lives on that thread's stack.
  struct Waiter {
    sim::Thread* thread = nullptr;
    bool served = false;
    history::TenureId by = 0;
  };
  class Queued;

  void note(history::What what, history::TenureId by, sim::Instant until) const;
  void wait(Duration patience) const;
  // Gives a permit to the longest waiter, or keeps it; `by`: the tenure whose message it was.
  void serve(history::TenureId by);

  ClientMachine& machine_;
  Awaits what_;
  std::uint64_t permits_ = 0;
  std::vector<Waiter*> waiters_;  // in their order
};

}  // namespace picklock::models
