// A row with the holder of the lock and its expiry, inserted and deleted in autocommit under its
// unique key. A client that finds it expired deletes it first. (docs/facts/algorithms.md 8.3)
#pragma once

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/mysql/options.h"
#include "models/locks/mysql/session.h"

namespace picklock::models::locks::mysql {

class InsertLock final : public ConfiguredLock, public HolderCheck {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Held check_held(Client& self, const Lease& lease) override;

 private:
  Error insert(Connection& connection, const Lease& lease) const;
  bool delete_overdue(Connection& connection, const Lease& lease) const;
  static Held owner(Connection& connection, const Lease& lease, Role role);

  OwnerName owner_name_;
};

const Algorithm& mysql_insert_lock();

}  // namespace picklock::models::locks::mysql
