// GET_LOCK: a name that belongs to a session until the session releases it or ends, whatever
// becomes of its transactions. (docs/facts/algorithms.md 8.5; M30 to M33)
#pragma once

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/mysql/options.h"
#include "models/locks/mysql/session.h"

namespace picklock::models::locks::mysql {

class GetLock final : public ConfiguredLock, public HolderCheck, public DatabaseWrite {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  // Its session returns to the pool, and has the lock still.
  void abandon(Client&, const Lease& lease) override { sessions_.take(lease); }
  Held check_held(Client& self, const Lease& lease) override;
  Written write_in_database(Client& self, const Lease& lease) override;

 private:
  std::int64_t seconds_to_wait() const;

  const RowOptions& row_ = options().of<RowOptions>();
  std::optional<Patience> patience_;  // of the acquire that is under way
  Sessions sessions_;
  std::map<std::string, std::int64_t> numbers_;  // of the sessions, as numbered by the server
};

const Algorithm& mysql_get_lock();

}  // namespace picklock::models::locks::mysql
