// Extends a lease while its holder works, from a thread of its own: blindly, or by a script that
// compares the owner first and takes a refusal for the loss that it is. The thread knows its lease
// and nothing of the holder: it outlives a holder that dies without releasing.
// (docs/facts/algorithms.md 2.1, docs/facts/failures.md C-11)
#pragma once

#include <memory>
#include <vector>

#include "models/lock.h"

namespace picklock::models::locks {

class Renewals {
 public:
  // Begins to renew the lease if `options` ask for it.
  void start(Client& self, const Lease& lease, const LockOptions& options);

  // The holder is about to release. True: the lease is known to be lost.
  bool stop(const Lease& lease);

 private:
  struct State {
    Lease lease;
    bool stopped = false;
    bool lost = false;
  };
  static void run(Client& self, State& state, const LockOptions& options);

  std::vector<std::shared_ptr<State>> running_;  // nested acquires each have one
};

}  // namespace picklock::models::locks
