// A lock on a lease store. Every acquisition opens a session, acquires the key for it, and keeps it
// alive from a thread of its own until the release. A refused client watches the key. A holder
// notices the loss of its session at the next keep-alive, and not before. (docs/facts/algorithms.md
// 7.1, 7.2, 7.4)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"

namespace picklock::models::locks {

struct LeaseStoreOptions {
  Duration lock_delay{};  // for this long, locks held by an ended session are not granted
};

class LeaseStoreLock final : public ConfiguredLock {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;

 private:
  // The state that the keep-alive thread shares with the others. It outlives a holder that dies
  // without releasing.
  struct Session {
    std::string id;
    Lease lease;  // the lease, if it holds one
    bool holds = false;
    bool doubt = false;  // it may hold the key without our knowledge
    bool gone = false;   // the store has said so
    bool over = false;   // no longer kept alive
  };
  enum class Outcome : std::uint8_t { granted, refused, no_answer };

  // One attempt; opens a session if there is no live one.
  Outcome ask(Client& self, std::string_view key, std::shared_ptr<Session>& session);
  // Waits between two attempts. False: the thread was interrupted.
  static bool await(Client& self, std::string_view key, Outcome outcome, Duration wait);
  std::shared_ptr<Session> open(Client& self) const;
  Acquired granted(const std::shared_ptr<Session>& session);
  static Acquired give_up(Client& self, const std::shared_ptr<Session>& session);
  static void keep_alive(Client& self, Session& session, Duration every);

  std::vector<std::shared_ptr<Session>> holding_;  // one for each nested acquire
};

const Algorithm& lease_store_lock();

}  // namespace picklock::models::locks
