#include <array>
#include <chrono>
#include <utility>

#include "compare/safety_table/rows.h"

namespace picklock::compare::safety_table {
namespace {

using enum FaultClass;
using namespace std::chrono_literals;

constexpr std::string_view kElapsed = "sessions are measured by a clock that never steps";
constexpr std::string_view kCommitted =
    "acknowledged writes are on disk at more than half of the servers";
constexpr std::string_view kForced = "acknowledged writes are forced to disk";
constexpr std::string_view kElsewhere =
    "a client that gets no answer in time connects to another server";
constexpr std::string_view kOwnZnode = "no request is sent twice";
constexpr std::string_view kStopsUnconnected = "the holder stops when it has no connection";

// Cells of a lock on ZooKeeper with critical sections that are shorter than any session.
std::vector<Cell> on_zookeeper(Cell when_lost, Cell when_crashed) {
  return {
      unsafe(pause), unsafe(late_write),
      // By two: a waiter's listing is late, its answer is too, and its session ends in between.
      with_at_most(1, safe(late_command, kShortWork)), safe(client_clock, kNoClock),
      safe(server_clock, kElapsed), safe(failover, kCommitted), safe(amnesia, kForced),
      std::move(when_lost),
      unsafe(lost_reply),  // a write is sent twice
      std::move(when_crashed),
      for_ever(at_threads(safe(crash, kNobodyElse))),  // its process keeps the session
  };
}

// The same row with other servers, or other work.
std::vector<Configuration> on_zookeeper_otherwise(std::string_view row, std::string_view plain,
                                                  std::array<std::string_view, 6> names) {
  return {
      {names[0],
       row,
       "work for longer than a session may be silent",
       plain,
       {"clients.hold=20s", "clients.writes=20"},
       {safe(late_command, kElsewhere), at_locks(unsafe(partition))}},
      // Cut off from the leader, a server goes on answering its clients for syncLimit ticks.
      {names[1],
       row,
       "sessions shorter than the wait for a silent server, and a holder that stops when it has no "
       "connection",
       plain,
       {"lock.ttl=4s", "clients.hold=20s", "clients.writes=20", "lock.stops_at=suspended"},
       {at_locks(unsafe(partition))}},
      {names[2],
       row,
       "the same with longer sessions",
       plain,
       {"lock.ttl=20s", "clients.hold=40s", "clients.writes=40", "lock.stops_at=suspended"},
       // By two: a server is cut off from the leader, and its client from it just before it gives
       // up.
       {with_at_most(1, at_locks(safe(partition, kStopsUnconnected)))}},
      {names[3],
       row,
       "these longer sessions and short work",
       plain,
       {"lock.ttl=20s"},
       {at_locks(safe(partition, kShortWork))}},
      {names[4],
       row,
       "old releases, which measure sessions by the wall clock",
       plain,
       {"servers.zookeeper.wall_clock_expiry=true"},
       {unsafe(server_clock)}},
      {names[5],
       row,
       "one server, with forced sync off",
       plain,
       {"servers.zookeeper.servers=1", "servers.zookeeper.force_sync=false"},
       {unsafe(amnesia)}},
  };
}

// A session of 10 s ends at a tick of 2 s, and then the sections of 4 s of those who come first.
constexpr Wait kSessionOf10{10s, 30s};

}  // namespace

std::vector<Configuration> zookeeper_rows() {
  constexpr std::string_view kEphemeral = "ZK ephemeral, one node";
  constexpr std::string_view kSequential = "ZK sequential, re-list on every wake";
  constexpr std::string_view kNaive = "ZK sequential, \"predecessor gone => mine\"";
  const Cell crashed = outage(kSessionOf10, at_processes(safe(crash, kNobodyElse)));
  std::vector<Configuration> all = {
      {"zk-ephemeral",
       kEphemeral,
       "",
       "plain/zk-ephemeral",
       {},
       on_zookeeper(for_ever(at_locks(safe(lost_reply, kOwnZnode))), crashed)},
      {"zk-sequential",
       kSequential,
       "the znode's name identifies its owner",
       "plain/zk-sequential",
       {},
       // A delete that is lost is not sent again.
       on_zookeeper(for_ever(at_locks(safe(lost_reply, kOwnZnode))), crashed)},
      {"zk-sequential alike",
       kSequential,
       "all znodes have the same name",
       "plain/zk-sequential",
       {"lock.recognise_own=never"},
       {for_ever(at_locks(safe(lost_reply, kOwnZnode)))}},
      {"zk-naive", kNaive, "", "plain/zk-sequential-naive", {}, {unsafe(crash)}},
  };
  add(all, on_zookeeper_otherwise(
               kEphemeral, "plain/zk-ephemeral",
               {"zk-ephemeral long", "zk-ephemeral short-lived", "zk-ephemeral stopping",
                "zk-ephemeral patient", "zk-ephemeral old", "zk-ephemeral unforced"}));
  add(all, on_zookeeper_otherwise(
               kSequential, "plain/zk-sequential",
               {"zk-sequential long", "zk-sequential short-lived", "zk-sequential stopping",
                "zk-sequential patient", "zk-sequential old", "zk-sequential unforced"}));
  return all;
}

}  // namespace picklock::compare::safety_table
