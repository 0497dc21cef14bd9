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

// Liquibase: a row says that a migration is under way, and only that process deletes it. The fix is
// another lock service, whose lock ends with its session.
template <bool kFixed>
class LiquibaseLock;

template <>
class LiquibaseLock<true> final : public NamedLock {
 public:
  using NamedLock::NamedLock;
};

template <>
class LiquibaseLock<false> final : public Lock {
 public:
  using Lock::Lock;
  static constexpr LockServer server = mysql::kServer;

  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::unique_ptr<mysql::Connection> connection = connect(self);
    if (connection == nullptr) return std::nullopt;
    const auto answer = connection->execute(
        {.op = mysql::Op::insert, .table = "locks", .values = {{.value = std::string(key)}}});
    if (answer.ok()) return Lease{.key = std::string(key), .token = self.fresh_token()};
    if (answer.error == mysql::Error::lost) return Acquired::unknown();
    return std::nullopt;
  }

  Released release(Client& self, const Lease& lease) override {
    const std::unique_ptr<mysql::Connection> connection = connect(self);
    if (connection == nullptr) return Released::unknown;
    const auto answer =
        connection->execute({.op = mysql::Op::remove, .table = "locks", .key = lease.key});
    if (answer.error == mysql::Error::lost) return Released::unknown;
    return answer.affected == 1 ? Released::ok : Released::not_held;
  }
};

// Pramen: a client that finds an overdue row deletes it, but only if the row is its own.
template <bool kFixed>
class PramenLock final : public Lock {
 public:
  using Lock::Lock;
  static constexpr LockServer server = mysql::kServer;

  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::unique_ptr<mysql::Connection> connection = connect(self);
    if (connection == nullptr) return std::nullopt;
    const Lease lease{.key = std::string(key), .token = self.fresh_token(), .ttl = settings().ttl};
    mysql::Error error = insert(*connection, lease);
    if (error == mysql::Error::duplicate && delete_overdue(*connection, lease))
      error = insert(*connection, lease);
    if (error == mysql::Error::none) return lease;
    if (error == mysql::Error::lost) return Acquired::unknown();
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

 private:
  static mysql::Error insert(mysql::Connection& connection, const Lease& lease) {
    const mysql::Term expires_at{.of = mysql::Term::Of::now, .plus = lease.ttl / 1us};
    return connection
        .execute({.op = mysql::Op::insert,
                  .table = "insert_locks",
                  .values = {{.value = lease.key}, {.value = lease.token}, expires_at}})
        .error;
  }

  static bool delete_overdue(mysql::Connection& connection, const Lease& lease) {
    mysql::Statement statement{
        .op = mysql::Op::remove,
        .table = "insert_locks",
        .key = lease.key,
        .where = {{"expires_at", mysql::Condition::Is::at_most, {.of = mysql::Term::Of::now}}}};
    if constexpr (!kFixed)
      statement.where.push_back({"owner", mysql::Condition::Is::equal, {.value = lease.token}});
    return connection.execute(statement).affected == 1;
  }
};

}  // namespace library_bugs
