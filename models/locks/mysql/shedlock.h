// ShedLock's JdbcTemplate provider: a permanent row for each name, with its owner and the time
// until which it is locked. It never waits, has no token for each acquisition, and reads the
// application's clock unless it is told to use the database's. (docs/facts/algorithms.md 8.6)
#pragma once

#include <set>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/mysql/options.h"
#include "models/locks/mysql/session.h"
#include "picklock/mysql.h"

namespace picklock::models::locks::mysql {

struct ShedLockOptions {
  bool db_time = false;  // the server's clock decides when a lease is over, not the client's
  bool release_compares = true;  // a release leaves the row of another owner alone
  Duration hold_at_least{};      // a lock that is released sooner becomes free only then
};

// By the database's clock a release always compares the owner.
inline bool compares_owner(const ShedLockOptions& own) {
  return own.release_compares || own.db_time;
}

class ShedLock final : public ConfiguredLock {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;

 private:
  struct Extending {
    Lease lease;
    bool stopped = false;
  };

  picklock::mysql::Term now(Client& self, Duration plus = {}) const;
  Error insert(Client& self, const Lease& lease);
  Answer update(Client& self, const Statement& statement, Role role = Role::none) const;
  void keep_extending(Client& self, const Lease& lease);

  const ShedLockOptions& own_ = options().of<ShedLockOptions>();
  OwnerName owner_name_;
  std::set<std::string> known_;  // names that have a row, as far as this process knows
  std::map<std::string, Duration> locked_at_;
  std::shared_ptr<Extending> extending_;
};

const Algorithm& shedlock();

}  // namespace picklock::models::locks::mysql
