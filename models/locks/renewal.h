// Extends a lease while its holder works, from a thread of its own: blindly, or by a script that
// compares the owner first and reports a refusal as a loss. The thread knows its lease and nothing
// about the holder, so it outlives a holder that dies without releasing. (docs/facts/algorithms.md
// 2.1, docs/facts/failures.md C-11)
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/locks/lock_options.h"
#include "picklock/lock.h"
#include "picklock/redis.h"

namespace picklock::models::locks {

// Extends a key that holds the token. KEYS: lock. ARGV: token, lease in ms. 0: it holds another.
const redis::Script& compare_and_extend();
inline constexpr ScriptUse kRenewScript = {.of = ScriptOf::renew,
                                           .keys = "the lock",
                                           .arguments = "token, lease in ms",
                                           .answers = "1: renewed; 0: the lock is not the token's",
                                           .script = compare_and_extend,
                                           .only_if_conditional = true};

class Renewals {
 public:
  // One renewal: a nonzero integer if the lease begins anew, 0 if it is lost.
  using Extend = std::function<redis::Reply(redis::Client& redis, const Lease& lease)>;

  // Begins to renew the lease if `options` ask for it.
  void start(Client& self, const Lease& lease, const LockOptions& options);
  void start(Client& self, const Lease& lease, const LockOptions& options, Extend extend);

  // The holder is about to release. True: the lease is known to be lost.
  bool stop(const Lease& lease);

 private:
  struct State {
    Lease lease;
    bool stopped = false;
    bool lost = false;
  };
  static void run(Client& self, State& state, const LockOptions& options, const Extend& extend);

  std::vector<std::shared_ptr<State>> running_;  // one for each nested acquire
};

}  // namespace picklock::models::locks
