#include "models/locks/mysql/session.h"

#include <algorithm>

#include "models/mysql/tables.h"

namespace picklock::models::locks::mysql {

using picklock::mysql::Assignment;
using picklock::mysql::Locking;
using picklock::mysql::Term;
using picklock::mysql::Waiting;

Statement select_row(std::string_view table, std::string_view key) {
  return {.op = Op::select, .table = std::string(table), .key = std::string(key)};
}

Statement lock_row(std::string_view table, std::string_view key, IfLocked if_locked) {
  Statement statement = select_row(table, key);
  statement.locking = Locking::update;
  statement.waiting = if_locked == IfLocked::nowait ? Waiting::nowait
                      : if_locked == IfLocked::skip ? Waiting::skips
                                                    : Waiting::waits;
  return statement;
}

Statement insert_row(std::string_view table, std::string_view key) {
  return {
      .op = Op::insert, .table = std::string(table), .values = {Term{.value = std::string(key)}}};
}

std::vector<std::string> rows_in_order(Client& self, std::string_view key,
                                       const RowOptions& options) {
  std::vector<std::string> rows;
  for (std::uint32_t i = 0; i < options.rows; ++i) rows.push_back(picklock::mysql::row_of(key, i));
  const bool second = (self.name().back() - '0') % 2 == 0;  // client-2, client-4
  if (options.row_order == RowOrder::alternating && second) std::reverse(rows.begin(), rows.end());
  return rows;
}

void give_up(Connection& connection, const RowOptions& options) {
  const bool commits = options.after_error == AfterError::commit;
  connection.execute({.op = commits ? Op::commit : Op::rollback}, Role::release);
}

std::optional<std::int64_t> value_of(const Answer& answer) {
  if (!answer.ok() || answer.rows.empty()) return std::nullopt;
  const auto* const number = std::get_if<std::int64_t>(&answer.rows.front().back());
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string Sessions::keep(Client& self, std::unique_ptr<Connection> connection) {
  std::string token = self.fresh_token();
  kept_[token] = std::move(connection);
  return token;
}

Connection* Sessions::of(const Lease& lease) const {
  const auto found = kept_.find(lease.token);
  return found == kept_.end() ? nullptr : found->second.get();
}

std::unique_ptr<Connection> Sessions::take(const Lease& lease) {
  const auto found = kept_.find(lease.token);
  if (found == kept_.end()) return nullptr;
  std::unique_ptr<Connection> connection = std::move(found->second);
  kept_.erase(found);
  return connection;
}

std::string OwnerName::of(Client& self, const LockOptions& options) {
  if (options.value == TokenPer::machine) return std::string(self.name());
  if (name_.empty() || options.value == TokenPer::acquisition) name_ = self.fresh_token();
  return name_;
}

std::int64_t next_fence(Client& self, std::string_view key) {
  const std::unique_ptr<Connection> connection = pool(self).connect();
  if (connection == nullptr) return 0;
  connection->execute({.op = Op::begin});
  const Answer counted = connection->execute(
      {.op = Op::update,
       .table = std::string(picklock::mysql::kFences),
       .key = std::string(key),
       .set = {Assignment{"value", {.of = Term::Of::column, .column = "value", .plus = 1}}}});
  const Answer read = connection->execute(select_row(picklock::mysql::kFences, key));
  const Answer committed = connection->execute({.op = Op::commit});
  if (!counted.ok() || counted.affected == 0 || !committed.ok()) return 0;
  return value_of(read).value_or(0);
}

std::int64_t next_fence(Client& self, std::string_view key, Connection& holds) {
  const std::uint32_t session = holds.session();
  const std::int64_t fence = next_fence(self, key);
  const bool held = holds.execute({.op = Op::ping}).ok();
  return held && holds.session() == session ? fence : 0;
}

Written write_work(Connection& connection, std::string_view key) {
  const Answer answer = connection.execute(
      {.op = Op::update,
       .table = std::string(picklock::mysql::kWork),
       .key = std::string(key),
       .set = {Assignment{"value", {.of = Term::Of::column, .column = "value", .plus = 1}}}},
      Role::write);
  if (answer.error == Error::lost) return Written::unknown;
  return answer.ok() && answer.affected > 0 ? Written::accepted : Written::rejected;
}

}  // namespace picklock::models::locks::mysql
