// The queue of ephemeral sequential znodes: the lowest number holds the lock, and each of the
// others watches the one before it. A client that is woken lists them again, because the one before
// it may have left without ever holding the lock (docs/facts/algorithms.md 6.2); the seed's rule
// takes that for its turn (docs/facts/failures.md A-21).
#pragma once

#include <optional>
#include <string>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/zookeeper/options.h"
#include "models/locks/zookeeper/session.h"

namespace picklock::models::locks::zookeeper {

// The prefix of a client's znodes, by which it finds them again. It is a new token for each
// acquisition, or `x-` and the number of the session, as in the WriteLock that ZooKeeper ships.
enum class NamedBy : std::uint8_t { acquisition, session };

struct SequentialOptions {
  NamedBy named_by = NamedBy::acquisition;
};

// How a waiter reacts when the znode before its own vanishes.
enum class Woken : std::uint8_t { lists_again, holds };

class SequentialLock final : public ConfiguredLock, public HolderCheck {
 public:
  SequentialLock(const LockOptions& options, Woken woken)
      : ConfiguredLock(options), woken_(woken) {}

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Held check_held(Client& self, const Lease& lease) override;

 private:
  enum class Turn : std::uint8_t { mine, not_yet, no_answer, gone };
  struct Place {
    std::string directory{};
    std::string prefix{};  // of the names that it creates
    std::string path{};    // empty: no znode that it knows of
    bool doubt = false;    // it may have one without knowing
    std::int64_t zxid = 0;
  };

  std::string prefix(Client& self) const;
  bool looks_first(const Place& place) const;
  Acquired queue(Client& self, std::string_view key, const Patience& patience);
  void join(Client& self, Place& place);
  bool find_own(Client& self, Place& place);
  Turn turn(Client& self, const Place& place, std::string& before);
  Acquired granted(Client& self, const Place& place);
  Acquired leave(Client& self, const Place& place);

  Woken woken_;
  const SessionOptions& session_options_ = options().of<SessionOptions>();
  const QueueOptions& queue_ = options().of<QueueOptions>();
  const SequentialOptions& own_ = options().of<SequentialOptions>();
  Guards guards_;
};

const Algorithm& zk_sequential();
const Algorithm& zk_sequential_naive();

}  // namespace picklock::models::locks::zookeeper
