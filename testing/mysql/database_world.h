// Worlds with MySQL servers, and SQL statements, for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "models/mysql/cluster.h"
#include "models/mysql/kind.h"
#include "models/mysql/spec.h"
#include "models/mysql/tables.h"
#include "testing/small_world.h"

namespace picklock::mysql {

inline Statement lock_row() {
  return {
      .op = Op::select, .table = std::string(kLockRows), .key = "lock", .locking = Locking::update};
}
inline Statement insert_row() {
  return {.op = Op::insert, .table = std::string(kLocks), .values = {{.value = "lock"}}};
}
inline Statement write_work() {
  return {.op = Op::update,
          .table = std::string(kWork),
          .key = "lock",
          .set = {{"value", {.of = Term::Of::column, .column = "value", .plus = 1}}}};
}
inline Statement get_lock(std::int64_t seconds) {
  return {.op = Op::get_lock, .name = "lock", .number = seconds};
}

// A session whose transaction has locked the row of the lock.
inline std::unique_ptr<Connection> locked(Client& mysql) {
  std::unique_ptr<Connection> connection = mysql.connect();
  connection->execute({.op = Op::begin});
  EXPECT_EQ(connection->execute(lock_row()).rows.size(), 1u);
  return connection;
}

inline models::SmallWorld::Setup database(std::uint32_t clients, Settings settings = {},
                                          std::uint32_t servers = 1) {
  models::SmallWorld::Setup setup{.clients = clients,
                                  .command_timeout = std::chrono::seconds(60),
                                  .other = &kKind,
                                  .options = {.connections = 3}};
  setup.specs.of<Spec>() = {.replicas = servers - 1, .settings = settings};
  return setup;
}

inline sim::Fault fault(sim::Verb verb, std::string target, Duration at) {
  sim::Fault one;
  one.verb = verb;
  one.target = std::move(target);
  one.trigger.at = sim::kStart + at;
  return one;
}

}  // namespace picklock::mysql
