// The seed's lock on one ephemeral znode: whoever creates it holds the lock, and all others watch
// it, to try again together when it is gone (docs/facts/algorithms.md 6.1).
#pragma once

#include <string>

#include "models/algorithm.h"
#include "models/locks/zookeeper/session.h"

namespace picklock::models::locks::zookeeper {

class EphemeralLock final : public Lock {
 public:
  using Lock::Lock;

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
    bool doubt = false;  // its znode may be there without its knowing
    Lease lease{};
  };

  Outcome ask(Client& self, Attempt& attempt);
  Outcome look_whose(Client& self, Attempt& attempt);
  Acquired granted(Client& self, const Attempt& attempt);

  Guards guards_;
  SessionId session_ = 0;  // in which it was acquired last
};

const Algorithm& zk_ephemeral();

}  // namespace picklock::models::locks::zookeeper
