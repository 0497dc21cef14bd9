// Locks of libraries on MySQL, before and after a fix. `kFixed` is the fix: everything else is the
// same in both versions.
#pragma once

#include <picklock/mysql.h>
#include <picklock/scenario.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace library_bugs {

using namespace picklock;
using namespace std::chrono_literals;

inline std::unique_ptr<mysql::Connection> connect(Client& self) {
  return self.connection<mysql::Client>().connect();
}

inline constexpr std::int64_t kNever = std::int64_t{1} << 62;  // of a column `expires_at`

// Whether a function of named locks has returned 1.
inline bool is_one(const mysql::Answer& answer) {
  return answer.ok() && !answer.rows.empty() && answer.rows[0][0] == mysql::Value(std::int64_t{1});
}

// GET_LOCK on a connection that the holder keeps until the release.
class NamedLock : public Lock {
 public:
  using Lock::Lock;
  static constexpr LockServer server = mysql::kServer;

  Acquired try_acquire(Client& self, std::string_view key) override {
    Lease lease{.key = std::string(key), .token = self.fresh_token()};
    std::unique_ptr<mysql::Connection> connection = connect(self);
    if (connection == nullptr) return std::nullopt;
    const auto answer = connection->execute({.op = mysql::Op::get_lock, .name = lease.key});
    const bool granted = is_one(answer);
    if (granted || keeps_if_refused()) kept_[lease.token] = std::move(connection);
    if (granted) return lease;
    if (answer.error == mysql::Error::lost) return Acquired::unknown();
    return std::nullopt;
  }

  Released release(Client& /*self*/, const Lease& lease) override {
    const std::unique_ptr<mysql::Connection> connection = std::move(kept_[lease.token]);
    kept_.erase(lease.token);
    const auto answer = connection->execute({.op = mysql::Op::release_lock, .name = lease.key});
    if (answer.error == mysql::Error::lost) return Released::unknown;
    return is_one(answer) ? Released::ok : Released::not_held;
  }

  void abandon(Client& /*self*/, const Lease& lease) override { kept_.erase(lease.token); }

 protected:
  virtual bool keeps_if_refused() const { return false; }

 private:
  std::map<std::string, std::unique_ptr<mysql::Connection>> kept_;
};

// go-mysql-lock: a client that is not granted the lock does not return its connection.
template <bool kFixed>
class GoMysqlLock final : public NamedLock {
 public:
  using NamedLock::NamedLock;

 protected:
  bool keeps_if_refused() const override { return !kFixed; }
};

// migrate: GET_LOCK and RELEASE_LOCK go to whatever connection of the pool is free.
template <bool kFixed>
class MigrateLock;

template <>
class MigrateLock<true> final : public NamedLock {
 public:
  using NamedLock::NamedLock;
};

template <>
class MigrateLock<false> final : public Lock {
 public:
  using Lock::Lock;
  static constexpr LockServer server = mysql::kServer;

  Acquired try_acquire(Client& self, std::string_view key) override {
    const Lease lease{.key = std::string(key), .token = self.fresh_token()};
    const std::unique_ptr<mysql::Connection> connection = connect(self);
    if (connection == nullptr) return std::nullopt;
    const auto answer = connection->execute({.op = mysql::Op::get_lock, .name = lease.key});
    if (is_one(answer)) return lease;
    if (answer.error == mysql::Error::lost) return Acquired::unknown();
    return std::nullopt;
  }

  Released release(Client& self, const Lease& lease) override {
    const std::unique_ptr<mysql::Connection> connection = connect(self);
    if (connection == nullptr) return Released::unknown;
    const auto answer = connection->execute({.op = mysql::Op::release_lock, .name = lease.key});
    if (answer.error == mysql::Error::lost) return Released::unknown;
    return is_one(answer) ? Released::ok : Released::not_held;
  }
};

// A row that says who holds the lock, until its holder deletes it. The default promises are those
// of an entry that its server ends, and a server ends no row: so the lock says its own. One of two
// clients that insert and delete the same row may be the victim of a deadlock; its attempt fails.
class RowLock : public Lock {
 public:
  using Lock::Lock;
  static constexpr LockServer server = mysql::kServer;

  static std::vector<Promise> promises(const LockSettings& /*settings*/) {
    using enum FaultClass;
    const FaultClasses all = FaultClasses::all();
    return {
        {Property::mutual_exclusion, all.without({failover, amnesia}), ""},
        {Property::own_release, all, ""},
        {Property::not_stuck, all, "a server that accepts writes is eventually available"},
        {Property::progress, {}, ""},
    };
  }

  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::unique_ptr<mysql::Connection> connection = connect(self);
    if (connection == nullptr) return std::nullopt;
    const Lease lease{.key = std::string(key), .token = self.fresh_token()};
    const auto answer = connection->execute(
        {.op = mysql::Op::insert,
         .table = "insert_locks",
         .values = {{.value = lease.key}, {.value = lease.token}, {.value = kNever}}});
    if (answer.ok()) return lease;
    if (answer.error == mysql::Error::lost) return Acquired::unknown();
    return std::nullopt;
  }

  Released release(Client& self, const Lease& lease) override {
    const std::unique_ptr<mysql::Connection> connection = connect(self);
    if (connection == nullptr) return Released::unknown;
    const auto answer = connection->execute(
        {.op = mysql::Op::remove,
         .table = "insert_locks",
         .key = lease.key,
         .where = {{"owner", mysql::Condition::Is::equal, {.value = lease.token}}}});
    if (answer.error == mysql::Error::lost) return Released::unknown;
    return answer.affected == 1 ? Released::ok : Released::not_held;
  }
};

// Liquibase: the row of a process that has crashed stays for ever. The fix is another lock service,
// whose lock ends with its session.
template <bool kFixed>
class LiquibaseLock;

template <>
class LiquibaseLock<true> final : public NamedLock {
 public:
  using NamedLock::NamedLock;
};

template <>
class LiquibaseLock<false> final : public RowLock {
 public:
  using RowLock::RowLock;
};

// Liquibase: a process that gives up waiting deletes the row of the holder.
template <bool kFixed>
class LiquibaseWaiter final : public RowLock {
 public:
  using RowLock::RowLock;

  // A row without an end is another bug, LiquibaseRow.
  static std::vector<Promise> promises(const LockSettings& settings) {
    std::vector<Promise> all = RowLock::promises(settings);
    std::erase_if(all, [](const Promise& one) { return one.property == Property::not_stuck; });
    return all;
  }

  Acquired acquire(Client& self, std::string_view key) override {
    Acquired acquired = Lock::acquire(self, key);
    if (acquired || kFixed) return acquired;
    if (const auto connection = connect(self)) {
      connection->execute(
          {.op = mysql::Op::remove, .table = "insert_locks", .key = std::string(key)},
          Role::release);
    }
    return acquired;
  }
};

}  // namespace library_bugs
