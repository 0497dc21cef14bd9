#include <chrono>

#include "compare/safety_table/rows.h"

namespace picklock::compare::safety_table {
namespace {

using enum FaultClass;
using namespace std::chrono_literals;

constexpr std::string_view kInside = "MySQL row lock, effect in the same transaction";
constexpr std::string_view kOutside = "MySQL row lock, external S";
constexpr std::string_view kNamed = "MySQL GET_LOCK";

constexpr std::string_view kSessionLives =
    "a session may be idle for hours before the server ends it";
constexpr std::string_view kSteadySessions = "idle time is measured by a clock that never steps";
constexpr std::string_view kCommits = "uncommitted writes of a session end with it";
constexpr std::string_view kOnePrimary = "only one server accepts writes";

// A session of 30 s, and then the sections of 4 s of those who come first.
constexpr Wait kIdleOf30{20s, 60s};

// Cells of locks that live in a session, with a resource elsewhere and critical sections that are
// shorter than a session may be idle.
std::vector<Cell> outside() {
  return {
      unsafe(pause),
      unsafe(late_write),
      safe(late_command, kSessionLives),
      safe(client_clock, kNoClock),
      safe(server_clock, kSteadySessions),
      unsafe(amnesia),
      at_locks(safe(partition, kSessionLives)),
      unsafe(lost_reply),  // a write is sent twice
      unsafe(crash),       // the session is killed
      at_processes(safe(crash, kNobodyElse)),
  };
}

// Cells for writes in the same transaction that holds the lock.
std::vector<Cell> inside() {
  return {
      safe(pause, kCommits),        safe(late_command, kCommits),
      safe(client_clock, kNoClock), safe(server_clock, kSteadySessions),
      safe(amnesia, kCommits),      safe(partition, kCommits),
      safe(lost_reply, kCommits),   safe(crash, kCommits),
  };
}

}  // namespace

std::vector<Configuration> mysql_rows() {
  constexpr std::string_view kRow = "plain/mysql-row-lock";
  constexpr std::string_view kName = "plain/mysql-get-lock";
  const Cell crashed = outage(kIdleOf30, at_processes(safe(crash, kNobodyElse)));
  const Cell ended = outage(kIdleOf30, at_threads(safe(crash, kNobodyElse)));
  return {
      {"mysql-row inside", kInside, "", kRow, {"clients.effect=database"}, inside()},
      {"mysql-row inside replicated",
       kInside,
       "with a replica",
       kRow,
       {"clients.effect=database", "servers.mysql.replicas=1"},
       {safe(failover, kOnePrimary)}},
      {"mysql-row inside two primaries",
       kInside,
       "a replica is promoted, and the primary is not stopped",
       kRow,
       {"clients.effect=database", "servers.mysql.replicas=1", "servers.mysql.promote_after=2s"},
       {at_locks(unsafe(partition))}},
      {"mysql-row", kOutside, "", kRow, {}, outside()},
      {"mysql-row replicated",
       kOutside,
       "with a replica",
       kRow,
       {"servers.mysql.replicas=1"},
       {unsafe(failover)}},
      {"mysql-row two primaries",
       kOutside,
       "a replica is promoted, and the primary is not stopped",
       kRow,
       {"servers.mysql.replicas=1", "servers.mysql.promote_after=2s"},
       {at_locks(unsafe(partition))}},
      {"mysql-row idle",
       kOutside,
       "sessions may be idle for 30 s",
       kRow,
       {"servers.mysql.wait_timeout=30s"},
       {crashed, ended}},
      {"mysql-name", kNamed, "", kName, {}, outside()},
      {"mysql-name replicated",
       kNamed,
       "with a replica",
       kName,
       {"servers.mysql.replicas=1"},
       {unsafe(failover)}},
      {"mysql-name two primaries",
       kNamed,
       "a replica is promoted, and the primary is not stopped",
       kName,
       {"servers.mysql.replicas=1", "servers.mysql.promote_after=2s"},
       {at_locks(unsafe(partition))}},
      {"mysql-name reconnecting",
       kNamed,
       "the effect is in the same database, and the driver reconnects silently",
       kName,
       {"clients.effect=database", "lock.reconnect=true"},
       {unsafe(crash)}},
      {"mysql-name honest",
       kNamed,
       "the same, and the driver does not reconnect",
       kName,
       {"clients.effect=database"},
       {safe(crash, kSessionLives)}},
      {"mysql-name idle",
       kNamed,
       "sessions may be idle for 30 s",
       kName,
       {"servers.mysql.wait_timeout=30s"},
       {crashed, ended}},
  };
}

}  // namespace picklock::compare::safety_table
