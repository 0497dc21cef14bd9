// A row with the holder of the lock and its expiry, inserted and deleted in autocommit under its
// unique key. A client that finds it expired deletes it first. A lock of several rows is inserted
// and deleted in one transaction. (docs/facts/algorithms.md 8.3)
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
  Error insert(Connection& connection, const Lease& lease, const std::string& row) const;
  bool delete_overdue(Connection& connection, const std::string& row) const;
  Error insert_or_replace(Connection& connection, const Lease& lease, const std::string& row) const;
  Error insert_all(Client& self, Connection& connection, const Lease& lease) const;
  Held owner(Connection& connection, const Lease& lease, Role role) const;

  const RowOptions& row_ = options().of<RowOptions>();
  OwnerName owner_name_;
};

const Algorithm& mysql_insert_lock();

}  // namespace picklock::models::locks::mysql
