// Locks that are a row, changed or locked by a transaction that stays open as long as the lock is
// held: by SELECT .. FOR UPDATE of a row that existed before; by inserting the row if it is
// missing, as in the seed; or by probing for it with FOR UPDATE first. (docs/facts/algorithms.md
// 8.2 and 8.4; M1 to M7)
#pragma once

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/mysql/options.h"
#include "models/locks/mysql/session.h"

namespace picklock::models::locks::mysql {

class TransactionLock : public ConfiguredLock, public HolderCheck, public DatabaseWrite {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) final;
  Acquired try_acquire(Client& self, std::string_view key) final;
  Released release(Client& self, const Lease& lease) final;
  // Its session returns to the pool, which may end the transaction.
  void abandon(Client&, const Lease& lease) final { sessions_.take(lease); }
  Held check_held(Client& self, const Lease& lease) final;
  Written write_in_database(Client& self, const Lease& lease) final;

 protected:
  const RowOptions& row_ = options().of<RowOptions>();

  // Runs within the transaction. Error::none: it has the row.
  virtual Error take(Client& self, Connection& connection, std::string_view key) = 0;
  Error lock(Connection& connection, std::string_view table, std::string_view key) const;
  Error insert(Connection& connection, std::string_view table, std::string_view key) const;

 private:
  void limit_wait(Connection& connection) const;

  std::optional<Patience> patience_;  // of the acquire that is under way
  Sessions sessions_;
};

class RowLock final : public TransactionLock {
  using TransactionLock::TransactionLock;
  Error take(Client& self, Connection& connection, std::string_view key) override;
};

class SelectInsertLock final : public TransactionLock {
  using TransactionLock::TransactionLock;
  Error take(Client& self, Connection& connection, std::string_view key) override;
};

class ProbeInsertLock final : public TransactionLock {
  using TransactionLock::TransactionLock;
  Error take(Client& self, Connection& connection, std::string_view key) override;
};

const Algorithm& mysql_row_lock();
const Algorithm& mysql_select_insert();
const Algorithm& mysql_probe_insert();

}  // namespace picklock::models::locks::mysql
