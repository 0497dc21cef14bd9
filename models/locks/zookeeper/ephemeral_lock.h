// The seed's lock on one ephemeral znode: the client that creates it holds the lock; all others
// watch it, and try again together when it vanishes (docs/facts/algorithms.md 6.1). If a
// coordinator frees the locks of lost holders, that znode is persistent, and each client has an
// ephemeral one beside it as long as it lives (coordinator.h).
#pragma once

#include <string>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/zookeeper/options.h"
#include "models/locks/zookeeper/session.h"

namespace picklock::models::locks::zookeeper {

// The process that frees a ZooKeeper lock whose holder is gone: the ensemble, when the session
// ends; or a coordinator that watches the holders and can first stop their work
// (docs/facts/failures.md B-11).
enum class FreedBy : std::uint8_t { session, coordinator };

// The text by which the holder's znode shows its owner: a token of the acquisition, the number of
// the session, or the name of the machine, which outlives both.
enum class OwnerData : std::uint8_t { token, session, machine };

struct EphemeralOptions {
  OwnerData owner_data = OwnerData::token;
  FreedBy freed_by = FreedBy::session;
  bool retry_missing = true;  // a znode that is gone before it is watched ends the wait
};

class EphemeralLock final : public ConfiguredLock, public HolderCheck {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Held check_held(Client& self, const Lease& lease) override;

 private:
  enum class Outcome : std::uint8_t { granted, refused, no_answer };
  // The progress of one acquire.
  struct Attempt {
    std::string path;
    std::string token;
    bool doubt = false;     // its znode may exist without its knowledge
    SessionId session = 0;  // in which it has signed on, if there is a coordinator
    Lease lease{};
  };

  bool coordinated() const { return own_.freed_by == FreedBy::coordinator; }
  Acquired acquire(Client& self, Attempt& attempt, const Patience& patience);
  bool sign_on(Client& self, Attempt& attempt);
  void sign_off(Client& self, std::string_view path, std::string_view token);
  std::string owner(Client& self, const Attempt& attempt) const;
  Outcome ask(Client& self, Attempt& attempt);
  Outcome look_whose(Client& self, Attempt& attempt);
  Acquired granted(Client& self, const Attempt& attempt);

  const SessionOptions& session_options_ = options().of<SessionOptions>();
  const EphemeralOptions& own_ = options().of<EphemeralOptions>();
  Guards guards_;
  SessionId session_ = 0;  // of the last acquisition
  std::string data_;       // of its znode
};

const Algorithm& zk_ephemeral();

}  // namespace picklock::models::locks::zookeeper
