// The seed's lock on one ephemeral znode: whoever creates it holds the lock, and all others watch
// it, to try again together when it is gone (docs/facts/algorithms.md 6.1). Where a coordinator
// frees the locks of holders that are gone, that znode is persistent, and who asks for the lock has
// an ephemeral one beside it as long as he lives (coordinator.h).
#pragma once

#include <string>

#include "models/algorithm.h"
#include "models/configured_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/zookeeper/session.h"

namespace picklock::models::locks::zookeeper {

class EphemeralLock final : public ConfiguredLock {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Held look(Client& self, const Lease& lease) override;

 private:
  enum class Outcome : std::uint8_t { granted, refused, no_answer };
  // What one acquire has come to so far.
  struct Attempt {
    std::string path;
    std::string token;
    bool doubt = false;     // its znode may be there without its knowing
    SessionId session = 0;  // in which it has signed on, if there is a coordinator
    Lease lease{};
  };

  bool coordinated() const { return options().freed_by == FreedBy::coordinator; }
  Acquired acquire(Client& self, Attempt& attempt, const Patience& patience);
  bool sign_on(Client& self, Attempt& attempt);
  void sign_off(Client& self, std::string_view path, std::string_view token);
  Outcome ask(Client& self, Attempt& attempt);
  Outcome look_whose(Client& self, Attempt& attempt);
  Acquired granted(Client& self, const Attempt& attempt);

  Guards guards_;
  SessionId session_ = 0;  // in which it was acquired last
};

const Algorithm& zk_ephemeral();

}  // namespace picklock::models::locks::zookeeper
