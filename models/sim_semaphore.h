// A semaphore of a simulated client process. Waits for news are part of the history: from when to
// when a thread waited, and whose message woke it.
#pragma once

#include <deque>

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
  // On the stack of the thread that waits.
  struct Waiter {
    sim::Thread* thread = nullptr;
    bool served = false;
    history::TenureId by = 0;
  };
  class Queued;

  void note(history::What what, history::TenureId by, sim::Instant until) const;
  void wait(Duration patience) const;
  // To whoever has waited longest, or kept; `by`: whose message it was.
  void serve(history::TenureId by);

  ClientMachine& machine_;
  Awaits what_;
  std::uint64_t permits_ = 0;
  std::deque<Waiter*> waiters_;
};

}  // namespace picklock::models
