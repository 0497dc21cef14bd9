// Redlock (redis.io, Distributed Locks; docs/facts/algorithms.md 3): the same key with the same
// random value on several independent servers. A client that has it on more than half of them, with
// some of the lease left, holds the lock. The libraries differ in how many servers they ask at
// once, how many answers they wait for, when they check their clock, and which keys they undo.
// Those are options, and the named locks are sets of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/quorum_options.h"
#include "models/locks/quorum_requests.h"

namespace picklock::models::locks {

class QuorumLock : public ConfiguredLock, public ForcedRelease {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Released force_release(Client& self, std::string_view key, bool conditional) override;

 private:
  struct Count {
    std::uint32_t yes = 0;
    std::uint32_t no = 0;
    std::uint32_t failed = 0;
    std::uint32_t servers = 0;
    std::vector<bool> granted;
    std::int64_t largest = 0;  // number that a server has counted
  };
  struct Extending {
    Lease lease;
    Duration ends{};  // when it must have expired, on the client's clock
    bool stopped = false;
  };
  struct Attempt {
    Acquired acquired;
    Count count;
  };

  std::uint32_t quorum(Client& self) const;
  static bool decided(const Count& count, std::uint32_t quorum);
  template <typename Ask>
  Count ask_all(Client& self, Ask ask) const;
  void undo(Client& self, const Lease& lease, const Count& count) const;
  Duration validity_ends(Duration started) const;
  void keep_extending(Client& self, const Lease& lease, Duration ends);
  void extend(Client& self, Extending& extending) const;
  Attempt attempt(Client& self, const Lease& wanted);
  bool raises(Client& self, const Lease& wanted, std::int64_t number) const;
  Released released(const Count& count, std::uint32_t quorum) const;

  const QuorumOptions& own_ = options().of<QuorumOptions>();
  const QuorumRequests requests_{options()};
  std::vector<std::shared_ptr<Extending>> extending_;
};

const Algorithm& redlock();
const Algorithm& node_redlock_v4();
const Algorithm& node_redlock_v5();
const Algorithm& redsync();

}  // namespace picklock::models::locks
