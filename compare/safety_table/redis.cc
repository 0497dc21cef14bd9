#include <chrono>
#include <utility>

#include "compare/safety_table/rows.h"

namespace picklock::compare::safety_table {
namespace {

using enum FaultClass;
using namespace std::chrono_literals;

// On which a cell is safe.
constexpr std::string_view kNothingLapses = "the key has no expiry";
constexpr std::string_view kOwnValue = "a release removes only what its own acquisition has set";
constexpr std::string_view kSentOnce = "a release is sent once";
constexpr std::string_view kOneKeeps = "one server keeps the key until it expires";
constexpr std::string_view kMostKeep = "a majority of the servers keeps the key until it expires";
constexpr std::string_view kDisk = "acknowledged writes are on disk";
constexpr std::string_view kBackLate =
    "a server that lost its data stays down until the leases that it granted have expired";
constexpr std::string_view kStops = "the holder stops when its lease must have expired";

constexpr std::string_view kWaitedFor = "the grant waited for the replica that takes over";
constexpr std::string_view kReadLast = "the clock is read after the last answer";
constexpr std::string_view kMonotonic = "the deadline is measured by a clock that never steps";

// A lease of 10 s is waited for, and then the sections of 2 s of those who come first.
constexpr Wait kLeaseOf10{10s, 20s};
// The same with a lease of 9 s and sections of 4 s, and a client's own patience of 3 s and more.
constexpr Wait kLeaseOf9{9s, 25s};
// An hour more, of which a run sees what is left until its horizon.
constexpr Wait kHourAndLeaseOf10{20s, 60s};
constexpr Wait kHourAndLeaseOf9{20s, 120s};

// Two clients take turns at a lock that can be had twice once its primary is cut off.
Changes electing() {
  return {"servers.redis.sentinels=1", "servers.redis.sentinel.down_after=1s",
          "servers.redis.sentinel.failover_timeout=6s", "clients.find_by=sentinel"};
}

// A holder that stops at its deadline, and has work for longer.
Changes stopping(std::string_view clock, Changes more = {}) {
  more.insert(more.end(), {"lock.deadline=true", clock, "clients.hold=12s", "clients.writes=13"});
  return more;
}
constexpr std::string_view kByWallClock = "lock.clock=wall";
constexpr std::string_view kByMonotonicClock = "lock.clock=monotonic";

// Every column of a lock on one server whose lease is counted there and whose client reads no
// clock.
std::vector<Cell> leased(Cell when_late, Cell when_lost, Cell when_cut_off) {
  return {
      unsafe(pause),
      unsafe(late_write),
      std::move(when_late),
      safe(client_clock, kNoClock),
      outage(kHourAndLeaseOf10, unsafe(server_clock), {crash}),
      unsafe(failover),
      unsafe(amnesia),
      at_locks(std::move(when_cut_off)),
      outage(kLeaseOf10, at_locks(std::move(when_lost))),
      unsafe(lost_reply),  // a write is sent twice
      outage(kLeaseOf10, safe(crash, kNobodyElseAndShortWork)),
  };
}

std::vector<Configuration> naive_setnx() {
  constexpr std::string_view kRow = "SETNX, no TTL, plain DEL";
  constexpr std::string_view kPlain = "plain/naive-setnx";
  return {
      {"naive-setnx",
       kRow,
       "",
       kPlain,
       {},
       {
           at_locks(safe(pause, kNothingLapses)),
           unsafe(late_write),
           for_ever(safe(late_command, kSentOnce)),
           safe(client_clock, kNoClock),
           safe(server_clock, kNothingLapses),
           unsafe(failover),
           unsafe(amnesia),
           for_ever(at_locks(safe(partition, kNothingLapses))),
           for_ever(at_locks(unsafe(lost_reply))),
           unsafe(lost_reply),  // a write is sent twice
           for_ever(safe(crash, kNobodyElse)),
       }},
      {"naive-setnx resent",
       kRow,
       "a release is sent again",
       kPlain,
       {"lock.resend=1"},
       {unsafe(late_command), for_ever(at_locks(unsafe(lost_reply)))}},
      {"naive-setnx elected",
       kRow,
       "a: two primaries",
       kPlain,
       electing(),
       {at_locks(unsafe(partition, 2))}},
  };
}

// The names and scenarios of SET NX PX with each way to release.
struct SetPx {
  std::string_view name;
  std::string_view resent;
  std::string_view wall;
  std::string_view monotonic;
  std::string_view elected;
  std::string_view row;
  std::string_view scenario;
};

// `late`, `lost`, `cut_off`: what a release comes to that is late, is sent again, or is held by a
// partition.
std::vector<Configuration> set_px(const SetPx& lock, const Cell& late, const Cell& lost,
                                  const Cell& cut_off) {
  std::vector<Configuration> all = {
      {lock.name, lock.row, "", lock.scenario, {}, leased(late, lost, cut_off)},
      {lock.resent,
       lock.row,
       "a release is sent again",
       lock.scenario,
       {"lock.resend=1"},
       {late, outage(kLeaseOf10, at_locks(lost))}},
      {lock.elected,
       lock.row,
       "two primaries",
       lock.scenario,
       electing(),
       {at_locks(unsafe(partition, 2))}},
  };
  if (lock.wall.empty()) return all;
  all.push_back({lock.wall,
                 lock.row,
                 "b: a deadline on the wall clock",
                 lock.scenario,
                 stopping(kByWallClock),
                 {by_steps(unsafe(client_clock))}});
  all.push_back({lock.monotonic,
                 lock.row,
                 "b: a deadline on the monotonic clock",
                 lock.scenario,
                 stopping(kByMonotonicClock),
                 {by_steps(safe(client_clock, kMonotonic)), unsafe(client_clock)}});
  return all;
}

std::vector<Configuration> lua_check_delete() {
  constexpr std::string_view kPlain = "plain/lua-check-delete";
  constexpr std::string_view kRow = "SET NX PX + Lua compare-delete, value per acquisition";
  constexpr std::string_view kFixed = "same, value fixed per client";
  std::vector<Configuration> all = set_px({.name = "lua",
                                           .resent = "lua resent",
                                           .wall = "lua wall",
                                           .monotonic = "lua monotonic",
                                           .elected = "lua elected",
                                           .row = kRow,
                                           .scenario = kPlain},
                                          safe(late_command, kOwnValue),
                                          safe(lost_reply, kOwnValue), safe(partition, kShortWork));
  all.push_back({"lua recognising",
                 kRow,
                 "a client recognizes its own value",
                 kPlain,
                 {"lock.recognise_own=after-unknown"},
                 {at_locks(safe(lost_reply, kOwnValue))}});
  all.push_back({"fixed",
                 kFixed,
                 "",
                 kPlain,
                 {"lock.value=client"},
                 leased(unsafe(late_command), unsafe(lost_reply), safe(partition, kShortWork))});
  all.push_back({"fixed resent",
                 kFixed,
                 "a release is sent again",
                 kPlain,
                 {"lock.value=client", "lock.resend=1"},
                 {unsafe(late_command, 2), outage(kLeaseOf10, at_locks(unsafe(lost_reply)))}});
  all.push_back({"fixed wall",
                 kFixed,
                 "b: a deadline on the wall clock",
                 kPlain,
                 stopping(kByWallClock, {"lock.value=client"}),
                 {by_steps(unsafe(client_clock))}});
  all.push_back(
      {"fixed machine",
       kFixed,
       "a value for each machine, and slow links",
       kPlain,
       {"lock.value=machine", "lock.recognise_own=always", R"(network.latency=["1ms", "200ms"])"},
       {outage({10s, 25s}, unsafe(crash, 2))}});
  return all;
}

std::vector<Configuration> redisson_lock() {
  constexpr std::string_view kRow = "reentrant hash + watchdog, one master";
  constexpr std::string_view kPlain = "plain/redisson-lock";
  return {
      {"redisson",
       kRow,
       "",
       kPlain,
       {},
       {
           unsafe(pause),
           unsafe(late_write),
           outage(kLeaseOf9, safe(late_command, kShortWork)),
           safe(client_clock, kNoClock),
           unsafe(server_clock),
           unsafe(failover),
           unsafe(amnesia),
           at_locks(safe(partition, kShortWork)),
           outage(kLeaseOf9, at_locks(unsafe(lost_reply))),
           unsafe(lost_reply),  // a write is sent twice
           outage(kLeaseOf9, at_processes(safe(crash, kNobodyElse))),
           for_ever(at_threads(safe(crash, kNobodyElse))),  // its process renews
           for_ever(safe(crash, kNobodyElse)),
       }},
      {"redisson long",
       kRow,
       "work for longer than a lease",
       kPlain,
       {"clients.hold=20s", "clients.writes=20"},
       {unsafe(late_command), at_locks(unsafe(partition))}},
      {"redisson leased",
       kRow,
       "a lease that is not renewed",
       kPlain,
       {"lock.renew=none"},
       {outage(kHourAndLeaseOf9, unsafe(server_clock), {crash}),
        outage(kLeaseOf9, safe(crash, kNobodyElseAndShortWork))}},
      {"redisson wall",
       kRow,
       "a deadline on the wall clock",
       kPlain,
       stopping(kByWallClock, {"lock.renew=none"}),
       {by_steps(unsafe(client_clock))}},
      {"redisson monotonic",
       kRow,
       "a deadline on the monotonic clock",
       kPlain,
       stopping(kByMonotonicClock, {"lock.renew=none"}),
       {by_steps(safe(client_clock, kMonotonic)), unsafe(client_clock)}},
      {"redisson resent",
       kRow,
       "a script is sent again",
       kPlain,
       {"lock.resend_scripts=true"},
       {outage(kLeaseOf9, at_locks(unsafe(lost_reply)))}},
      {"redisson synchronised",
       kRow,
       "c: a grant waits for replicas",
       kPlain,
       {"lock.sync_replicas=true"},
       {safe(failover, kWaitedFor)}},
  };
}

std::vector<Configuration> multilock() {
  constexpr std::string_view kRow = "MultiLock, N independent, all required";
  constexpr std::string_view kPlain = "plain/redisson-multilock";
  constexpr std::string_view kTwo = "servers.redis.masters=2";
  return {
      {"multilock",
       kRow,
       "",
       kPlain,
       {},
       {
           unsafe(pause),
           unsafe(late_write),
           for_ever(safe(late_command, kOneKeeps)),
           safe(client_clock, kNoClock),
           with_at_most(2, safe(server_clock, kOneKeeps)),
           with_at_most(2, safe(failover, kOneKeeps)),
           with_at_most(2, safe(amnesia, kOneKeeps)),
           at_locks(safe(partition, kShortWork)),
           for_ever(at_locks(safe(lost_reply, kOneKeeps))),
           unsafe(lost_reply),  // a write is sent twice
           outage(kLeaseOf9, at_processes(safe(crash, kNobodyElse))),
           for_ever(at_threads(safe(crash, kNobodyElse))),  // its process renews
           for_ever(safe(crash, kNobodyElse)),
       }},
      {"multilock long",
       kRow,
       "two members, work for longer than a lease",
       kPlain,
       {"network.link=[]", kTwo, "servers.redis.replicas=0", "clients.hold=20s",
        "clients.writes=20"},
       {at_locks(unsafe(partition))}},
      {"multilock leased",
       kRow,
       "a lease that is not renewed",
       kPlain,
       {"lock.renew=none"},
       {
           outage({9s, 60s}, unsafe(late_command)),
           with_at_most(2, outage(kHourAndLeaseOf9, safe(server_clock, kOneKeeps), {crash})),
           outage(kLeaseOf9, at_locks(safe(lost_reply, kOneKeeps))),
           outage(kLeaseOf9, safe(crash, kNobodyElseAndShortWork)),
       }},
      {"multilock both",
       kRow,
       "both of two servers are hit",
       kPlain,
       {"network.link=[]", kTwo, "servers.redis.replicas=0", "clients.hold=6s", "clients.writes=7"},
       {unsafe(server_clock, 2), unsafe(amnesia, 2)}},
      {"multilock pairs",
       kRow,
       "both of two pairs are hit, and their replicas lag",
       kPlain,
       {R"(network.link=[{from="redis-1", to="redis-1-replica-1", latency="1s"},)"
        R"( {from="redis-2", to="redis-2-replica-1", latency="1s"}])",
        kTwo},
       {unsafe(failover, 2)}},
  };
}

std::vector<Configuration> redlock() {
  constexpr std::string_view kRow = "RedLock, specification, N=2f+1, monotonic client";
  constexpr std::string_view kPlain = "plain/redlock";
  // A client that waits for a long critical section at every server causes most of the cost of a
  // run.
  constexpr std::string_view kUnhurried = "lock.retry_every=1s";
  constexpr std::string_view kFive = "servers.redis.masters=5";
  return {
      {"redlock",
       kRow,
       "",
       kPlain,
       {},
       {
           unsafe(pause),
           unsafe(late_write),
           unsafe(late_command, 2),  // a failed attempt is undone late, under a value used again
           safe(client_clock, kNoClock),
           outage(kLeaseOf10, unsafe(server_clock, 2), {crash}),
           unsafe(failover, 2),
           unsafe(amnesia, 2),
           at_locks(safe(partition, kShortWork)),
           unsafe(lost_reply),  // a write is sent twice
           outage(kLeaseOf10, safe(crash, kNobodyElseAndShortWork)),
       }},
      {"redlock long",
       kRow,
       "work for most of a lease",
       kPlain,
       {kUnhurried, "lock.command_timeout=3s", "clients.hold=8s", "clients.writes=9"},
       {at_locks(unsafe(partition)),
        // The undoing of a failed attempt comes twice, under a value used again.
        at_locks(unsafe(lost_reply, 2))}},
      {"redlock wall",
       kRow,
       "a deadline on the wall clock",
       kPlain,
       stopping(kByWallClock, {kUnhurried}),
       {by_steps(unsafe(client_clock))}},
      {"redlock monotonic",
       kRow,
       "a deadline on the monotonic clock",
       kPlain,
       stopping(kByMonotonicClock, {kUnhurried}),
       {by_steps(safe(client_clock, kMonotonic)), unsafe(client_clock)}},
      {"redlock stopping",
       kRow,
       "a holder that stops at its deadline",
       kPlain,
       {kUnhurried, "lock.deadline=true", "lock.command_timeout=3s", "clients.hold=8s",
        "clients.writes=9"},
       {while_asking(safe(pause, kReadLast)), unsafe(pause),  // d
        at_locks(safe(partition, kStops))}},
      {"redlock reading early",
       kRow,
       "d: the clock is read before the answers",
       kPlain,
       {"lock.validity=before-answers"},
       {while_asking(unsafe(pause))}},
      {"redlock one of three",
       kRow,
       "e: all three servers have granted, one is hit",
       kPlain,
       {},
       {with_at_most(1, safe(server_clock, kMostKeep)), with_at_most(1, safe(failover, kMostKeep)),
        with_at_most(1, safe(amnesia, kMostKeep))}},
      {"redlock two of five",
       kRow,
       "e: all five servers have granted, two are hit",
       kPlain,
       {kFive},
       {with_at_most(2, safe(server_clock, kMostKeep)), with_at_most(2, safe(failover, kMostKeep)),
        with_at_most(2, safe(amnesia, kMostKeep))}},
      {"redlock three of five",
       kRow,
       "e: all five servers have granted, three are hit",
       kPlain,
       {"network.link=[]", kFive, "servers.redis.replicas=0", "clients.hold=6s",
        "clients.writes=7"},
       {unsafe(server_clock, 3), unsafe(amnesia, 3)}},
      {"redlock on disk",
       kRow,
       "acknowledged writes are on disk",
       kPlain,
       {R"(servers.redis.config=["appendonly yes", "appendfsync always"])"},
       {safe(crash, kDisk)}},
      {"redlock back late",
       kRow,
       "e: a server that was down comes back after a lease",
       kPlain,
       {},
       {by_outages(safe(amnesia, kBackLate))}},
  };
}

std::vector<Configuration> redisson_redlock() {
  constexpr std::string_view kRow = "RedLock as in Redisson (no validity check without wait time)";
  constexpr std::string_view kPlain = "plain/redisson-redlock";
  return {
      {"redisson-redlock",
       kRow,
       "",
       kPlain,
       {},
       {
           unsafe(pause),
           unsafe(late_write),
           outage({9s, 40s}, with_at_most(1, safe(late_command, kShortWork))),
           safe(client_clock, kNoClock),
           unsafe(failover, 2),
           unsafe(amnesia, 2),
           outage(kLeaseOf9, with_at_most(1, at_locks(safe(lost_reply, kOwnValue)))),
           unsafe(lost_reply),  // a write is sent twice
           outage(kLeaseOf9, at_processes(safe(crash, kNobodyElse))),
           for_ever(at_threads(safe(crash, kNobodyElse))),  // its process renews
           for_ever(safe(crash, kNobodyElse)),
       }},
      {"redisson-redlock long",
       kRow,
       "work for longer than a lease",
       kPlain,
       {"clients.hold=20s", "clients.writes=20"},
       {unsafe(late_command, 2), at_locks(unsafe(partition)), at_locks(unsafe(lost_reply, 2))}},
      {"redisson-redlock leased",
       kRow,
       "a lease that is not renewed, requested once",
       kPlain,
       {"lock.renew=none", "lock.attempts=1"},
       {unsafe(late_command, 2), unsafe(server_clock, 2)}},
      {"redisson-redlock waiting",
       kRow,
       "a lease that is not renewed",
       kPlain,
       {"lock.renew=none"},
       // A member that falls silent keeps the client waiting beyond the lease of the first.
       {outage(kLeaseOf9, unsafe(crash))}},
      {"redisson-redlock resent",
       kRow,
       "a script is sent again",
       kPlain,
       {"lock.resend_scripts=true"},
       {outage(kLeaseOf9, with_at_most(1, at_locks(safe(lost_reply, kOwnValue))))}},
  };
}

}  // namespace

std::vector<Configuration> redis_rows() {
  std::vector<Configuration> all;
  add(all, naive_setnx());
  add(all, set_px({.name = "blind",
                   .resent = "blind resent",
                   .wall = "",  // a holder that stops at its deadline deletes its successor's key
                   .monotonic = "",
                   .elected = "blind elected",
                   .row = "SET NX PX + plain DEL",
                   .scenario = "plain/set-px-blind-delete"},
                  unsafe(late_command), unsafe(lost_reply), unsafe(partition)));
  add(all, set_px({.name = "check",
                   .resent = "check resent",
                   .wall = "check wall",
                   .monotonic = "check monotonic",
                   .elected = "check elected",
                   .row = "SET NX PX + GET/compare/DEL",
                   .scenario = "plain/set-px-check-delete"},
                  unsafe(late_command), unsafe(lost_reply), unsafe(partition)));
  add(all, lua_check_delete());
  add(all, redisson_lock());
  add(all, multilock());
  add(all, redlock());
  add(all, redisson_redlock());
  return all;
}

}  // namespace picklock::compare::safety_table
