#include "models/locks/mysql/get_lock.h"

#include "models/locks/mysql/promises.h"
#include "models/locks/promises.h"

namespace picklock::models::locks::mysql {
namespace {

using namespace std::chrono_literals;

// The limit of one attempt by a client without a limit of its own: shorter than its patience with a
// statement.
constexpr std::int64_t kSeconds = 50;

Statement named(Op op, const std::string& key) { return {.op = op, .name = key}; }

}  // namespace

std::int64_t GetLock::seconds_to_wait() const {
  if (row_.if_locked != IfLocked::wait) return 0;
  const Duration limit = options().acquire_timeout;
  if (limit == Duration::zero()) return kSeconds;
  const Duration left = patience_ ? std::max(patience_->left(), Duration::zero()) : limit;
  return std::min<std::int64_t>(left / 1s, kSeconds);
}

Acquired GetLock::acquire(Client& self, std::string_view key) {
  patience_.emplace(self, options().clock, patience_of(options()));
  Acquired acquired = Lock::acquire(self, key);
  patience_.reset();
  return acquired;
}

Acquired GetLock::try_acquire(Client& self, std::string_view key) {
  std::unique_ptr<Connection> connection = pool(self).connect();
  if (connection == nullptr) return std::nullopt;
  Lease lease{.key = std::string(key), .token = {}};
  Statement ask = named(Op::get_lock, lease.key);
  ask.number = seconds_to_wait();
  const Answer answer = connection->execute(ask);
  if (answer.error == Error::lost) return Acquired::unknown();
  if (value_of(answer) != 1) return std::nullopt;
  if (options().mint == Mint::in_script) {
    lease.fence = next_fence(self, key, *connection);
    if (lease.fence == 0) {
      connection->execute(named(Op::release_lock, lease.key), Role::release);
      return std::nullopt;
    }
  }
  std::int64_t number = 0;
  if (options().holder_checks)
    number =
        value_of(connection->execute(named(Op::is_used_lock, lease.key), Role::check)).value_or(0);
  lease.token = sessions_.keep(self, std::move(connection));
  numbers_[lease.token] = number;
  return lease;
}

// If another session has replaced the one that had the lock, there is nothing to release.
Released GetLock::release(Client&, const Lease& lease) {
  numbers_.erase(lease.token);
  const std::unique_ptr<Connection> connection = sessions_.take(lease);
  if (connection == nullptr) return Released::not_held;
  const Answer answer = connection->execute(named(Op::release_lock, lease.key));
  if (answer.error == Error::lost) return Released::unknown;
  return value_of(answer) == 1 ? Released::ok : Released::not_held;
}

Held GetLock::check_held(Client&, const Lease& lease) {
  Connection* const connection = sessions_.of(lease);
  if (connection == nullptr) return Held::no;
  const Answer answer = connection->execute(named(Op::is_used_lock, lease.key), Role::check);
  if (answer.error == Error::lost) return Held::unknown;
  return value_of(answer) == numbers_[lease.token] ? Held::yes : Held::no;
}

Written GetLock::write_in_database(Client&, const Lease& lease) {
  Connection* const connection = sessions_.of(lease);
  return connection == nullptr ? Written::rejected : write_work(*connection, lease.key);
}

const Algorithm& mysql_get_lock() {
  static const Algorithm algorithm{
      .name = "mysql-get-lock",
      .summary = "GET_LOCK and RELEASE_LOCK: the lock belongs to a session, and ends with it",
      .source = "docs/facts/algorithms.md 8.5, docs/facts/failures.md C-16 and C-17",
      .roles = {Role::acquire, Role::release},
      .marks = {},
      .uses = {.check = true, .mint = true, .database = true, .server = picklock::mysql::kServer},
      .keys = joined(
          {client_keys(), polling_keys(), connection_keys(), reconnect_keys(), if_locked_keys()}),
      .unused = {kUnusedIsolation},
      .promises = of_a_session,
      .bound = session_and_one_attempt,
      .preset = pooled,
      .make = make<GetLock>,
  };
  return algorithm;
}

}  // namespace picklock::models::locks::mysql
