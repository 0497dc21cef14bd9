#include "explore/safety_table.h"

#include "scenarios/document.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace picklock::explore {
namespace {

using enum models::FaultClass;

constexpr Reach S = Reach::safe;
constexpr Reach U = Reach::unsafe;
constexpr Stuck kFree = Stuck::no;
constexpr Stuck K = Stuck::bounded;
constexpr Stuck kForEver = Stuck::for_ever;
constexpr std::uint32_t kUsual = 3;

// On which a cell is safe; what is fenced is safe on the tokens' own.
constexpr std::string_view kNothingLapses = "the key has no expiry";
constexpr std::string_view kNoClock = "the client counts nothing on a clock that steps";
constexpr std::string_view kOwnValue = "a release removes what its own acquisition has set";
constexpr std::string_view kSentOnce = "a release is sent once";
constexpr std::string_view kInTime = "a grant counts only while enough of the lease is left";
constexpr std::string_view kNobodyElse = "who is dead does not write";
constexpr std::string_view kOneKeeps = "one server keeps the key for its time";
constexpr std::string_view kMostKeep = "most servers keep the key for its time";
constexpr std::string_view kDisk = "what is acknowledged is on disk";
constexpr std::string_view kStops = "the holder stops when its lease must have run out";

using Changes = std::vector<std::string_view>;

Changes electing(Changes more = {}) {
  more.insert(more.end(), {"servers.redis.replicas=2", "servers.redis.sentinels=3",
                           "clients.find_by=sentinel"});
  return more;
}

// Every column of a lock on one server whose lease is counted there and whose client reads no
// clock; what differs is how it gives back.
std::vector<Cell> leased(Reach when_late, std::string_view premise) {
  return {
      {pause, U},
      {late_write, U},
      {late_command, when_late, S, kFree, kUsual, premise},
      {client_clock, S, S, kFree, kUsual, kNoClock},
      {server_clock, U, S, K},
      {failover, U},
      {amnesia, U},
      {partition, U},
      {lost_reply, S, S, K, kUsual, premise.empty() ? kSentOnce : premise},
      {crash, S, S, K, kUsual, kNobodyElse},
  };
}

std::vector<Configuration> naive_setnx() {
  constexpr std::string_view kRow = "SETNX, no TTL, plain DEL";
  constexpr std::string_view kPlain = "plain/naive-setnx";
  return {
      {kRow,
       "",
       kPlain,
       {},
       {
           {pause, S, S, kFree, kUsual, kNothingLapses},
           {late_write, U},
           {client_clock, S, S, kFree, kUsual, kNoClock},
           {server_clock, S, S, kFree, kUsual, kNothingLapses},
           {failover, U},
           {amnesia, U},
           {partition, S, S, kFree, kUsual, kNothingLapses},
           {lost_reply, S, S, kForEver, kUsual, kNothingLapses},
           {crash, S, S, kForEver, kUsual, kNobodyElse},
       }},
      {kRow,
       "a release is sent again",
       kPlain,
       {"lock.resend=1"},
       {{late_command, U}, {lost_reply, U, S, kForEver}}},
      {kRow, "a: two primaries", kPlain, electing(), {{partition, U}}},
  };
}

std::vector<Configuration> set_px(std::string_view row, std::string_view plain,
                                  std::string_view premise) {
  const bool compares_at_once = !premise.empty();
  const Reach by_release = compares_at_once ? S : U;
  return {
      {row, "", plain, {}, leased(by_release, premise)},
      {row,
       "a release is sent again",
       plain,
       {"lock.resend=1"},
       {{late_command, by_release, S, kFree, kUsual, premise},
        {lost_reply, by_release, S, K, kUsual, premise}}},
      {row,
       "b: a deadline on the wall clock",
       plain,
       {"lock.deadline=true", "lock.clock=wall"},
       {{client_clock, U}}},
      {row, "two primaries", plain, electing(), {{partition, U}}},
  };
}

std::vector<Configuration> lua_check_delete() {
  constexpr std::string_view kPlain = "plain/lua-check-delete";
  constexpr std::string_view kRow = "SET NX PX + Lua compare-delete, value per acquisition";
  constexpr std::string_view kFixed = "same, value fixed per client";
  std::vector<Configuration> all = set_px(kRow, kPlain, kOwnValue);
  all.push_back({kRow,
                 "its own value is recognised",
                 kPlain,
                 {"lock.recognise_own=after-unknown"},
                 {{lost_reply, S, S, kFree, kUsual, kOwnValue}}});
  all.push_back({kFixed, "", kPlain, {"lock.value=client"}, leased(S, kOwnValue)});
  all.push_back({kFixed,
                 "a release is sent again",
                 kPlain,
                 {"lock.value=client", "lock.resend=1"},
                 {{late_command, U}, {lost_reply, U, S, K}}});
  all.push_back(
      {kFixed, "an id of the machine", kPlain, {"lock.value=machine"}, {{crash, U, S, K}}});
  return all;
}

std::vector<Configuration> redisson_lock() {
  constexpr std::string_view kRow = "reentrant hash + watchdog, one master";
  constexpr std::string_view kPlain = "plain/redisson-lock";
  return {
      {kRow,
       "",
       kPlain,
       {},
       {
           {pause, U},
           {late_write, U},
           {late_command, U},
           {client_clock, S, S, kFree, kUsual, kNoClock},
           {server_clock, U, S, K},
           {failover, U},
           {amnesia, U},
           {partition, U},
           {lost_reply, S, S, K, kUsual, kOwnValue},
           {crash, S, S, kForEver, kUsual, kNobodyElse},
       }},
      {kRow,
       "a deadline on the wall clock",
       kPlain,
       {"lock.deadline=true", "lock.renew=none"},
       {{client_clock, U}}},
      {kRow,
       "a script is sent again",
       kPlain,
       {"lock.resend_scripts=true"},
       {{lost_reply, S, S, kForEver, kUsual, kOwnValue}}},
      {kRow, "c: replicas are waited for", kPlain, {"lock.sync_replicas=true"}, {{failover, U}}},
  };
}

std::vector<Configuration> multilock() {
  constexpr std::string_view kRow = "MultiLock, N independent, all required";
  constexpr std::string_view kPlain = "plain/redisson-multilock";
  return {
      {kRow,
       "",
       kPlain,
       {},
       {
           {pause, U},
           {late_write, U},
           {late_command, S, S, K, kUsual, kOneKeeps},
           {client_clock, S, S, kFree, kUsual, kNoClock},
           {server_clock, S, S, K, 2, kOneKeeps},
           {failover, S, S, kFree, 2, kOneKeeps},
           {amnesia, S, S, kFree, 2, kOneKeeps},
           {partition, U},
           {lost_reply, S, S, K, kUsual, kOneKeeps},
           {crash, S, S, kForEver, kUsual, kNobodyElse},
       }},
      {kRow,
       "every member is hit",
       kPlain,
       {},
       {{server_clock, U, S, kFree, 5}, {failover, U, S, kFree, 5}, {amnesia, U, S, kFree, 5}}},
  };
}

std::vector<Configuration> redlock() {
  constexpr std::string_view kRow = "RedLock, specification, N=2f+1, monotonic client";
  constexpr std::string_view kPlain = "plain/redlock";
  return {
      {kRow,
       "",
       kPlain,
       {},
       {
           {pause, U},  // d: after the elapsed check
           {late_write, U},
           {late_command, S, S, kFree, kUsual, kInTime},
           {client_clock, S, S, kFree, kUsual, kNoClock},
           {server_clock, U, S, K},
           {failover, U},
           {amnesia, U},
           {partition, U},
           {lost_reply, S, S, K, kUsual, kOwnValue},
           {crash, S, S, K, kUsual, kNobodyElse},
       }},
      {kRow, "a wall clock", kPlain, {"lock.clock=wall"}, {{client_clock, U}}},
      {kRow,
       "e: all of three have granted, one steps",
       kPlain,
       {},
       {{server_clock, S, S, kFree, 1, kMostKeep}, {amnesia, S, S, kFree, 1, kMostKeep}}},
      {kRow,
       "e: all of five have granted, two step",
       kPlain,
       {"servers.redis.masters=5"},
       {{server_clock, S, S, kFree, 2, kMostKeep}, {amnesia, S, S, kFree, 2, kMostKeep}}},
      {kRow,
       "e: all of five have granted, three step",
       kPlain,
       {"servers.redis.masters=5"},
       {{server_clock, U}, {amnesia, U}}},
      {kRow,
       "what is acknowledged is on disk",
       kPlain,
       {R"(servers.redis.config=["appendonly yes", "appendfsync always"])"},
       {{amnesia, S, S, kFree, kUsual, kDisk}}},
      {kRow,
       "a holder that stops at its deadline",
       kPlain,
       {"lock.deadline=true"},
       {{partition, S, S, kFree, kUsual, kStops}}},
  };
}

std::vector<Configuration> redisson_redlock() {
  constexpr std::string_view kRow = "RedLock as in Redisson (no validity check without wait time)";
  constexpr std::string_view kPlain = "plain/redisson-redlock";
  return {
      {kRow,
       "",
       kPlain,
       {},
       {
           {pause, U},
           {late_write, U},
           {client_clock, S, S, kFree, kUsual, kNoClock},
           {server_clock, U, S, K},
           {failover, U},
           {amnesia, U},
           {partition, U},
           {lost_reply, S, S, K, kUsual, kOwnValue},
           {crash, S, S, kForEver, kUsual, kNobodyElse},
       }},
      {kRow,
       "a lease that nobody renews",
       kPlain,
       {"lock.renew=none", "lock.attempts=1"},
       {{late_command, U}}},
  };
}

template <typename Some>
void add(std::vector<Configuration>& all, Some some) {
  all.insert(all.end(), some.begin(), some.end());
}

}  // namespace

const std::vector<Configuration>& safety_table() {
  static const std::vector<Configuration> table = [] {
    std::vector<Configuration> all;
    add(all, naive_setnx());
    add(all, set_px("SET NX PX + plain DEL", "plain/set-px-blind-delete", ""));
    add(all, set_px("SET NX PX + GET/compare/DEL", "plain/set-px-check-delete", ""));
    add(all, lua_check_delete());
    add(all, redisson_lock());
    add(all, multilock());
    add(all, redlock());
    add(all, redisson_redlock());
    return all;
  }();
  return table;
}

scenarios::Scenario scenario_of(const Configuration& configuration, bool fenced,
                                const std::string& directory) {
  scenarios::Document document = scenarios::Document::from_file(
      scenarios::find_scenario(std::string(configuration.scenario), directory));
  const auto change = [&document](std::string_view assignment) {
    document.set(scenarios::change_from(assignment));
    document.forget_neighbours();
  };
  for (const std::string_view one : configuration.changes) change(one);
  if (fenced) change("servers.resource.fencing=ideal");
  return document.scenario(scenarios::shipped_vocabulary());
}

}  // namespace picklock::explore
