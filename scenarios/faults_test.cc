// The effects of faults, seen from outside: every verb on every kind of process, compared with the
// same run without it; and one plan on two locks, which finds the step by its role.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>

#include "keys/bad_input.h"
#include "scenarios/shipped.h"
#include "scenarios/verbs/kind.h"

namespace picklock::scenarios {
namespace {

using history::HistoryEvent;
using history::What;

// Client-1 works from 0s to 2s; the others wait for it, and each other.
constexpr const char* kThreeClients = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
[clients]
count = 3
arrive_every = "1s"
hold = "2s"
[expect]
violated = []
)";

Scenario with_fault(const std::string& keys, const char* base = kThreeClients) {
  const std::string fault = keys.empty() ? "" : "[[fault]]\n" + keys;
  return parse(base + fault, "faults.toml", shipped_vocabulary());
}

// The same with a replica that holders read, and a Sentinel that has to replace the primary.
constexpr const char* kReplicated = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
check_at = "replica"
command_timeout = "1s"
[clients]
count = 3
arrive_every = "1s"
hold = "2s"
find_by = "sentinel"
check_before_write = true
[servers.redis]
replicas = 1
sentinels = 1
sentinel.down_after = "1s"
[expect]
violated = []
[[fault]]
crash = "redis-1"
at = "4200ms"
)";

struct Seen {
  std::uint64_t digest = 0;
  std::size_t fired = 0;
  std::vector<HistoryEvent> history;  // without the firings themselves, and the end
  std::string violated;
  std::vector<std::string> processes;
};

Seen run(const Scenario& scenario) {
  World world;
  world.set(scenario);
  world.run(1);
  Seen seen;
  seen.digest = world.digest();
  seen.fired = world.fired().size();
  seen.processes = world.processes();
  for (const HistoryEvent& event : world.history()) {
    if (event.what != What::fault_fired && event.what != What::fault_ended &&
        event.what != What::horizon)
      seen.history.push_back(event);
  }
  for (const properties::Verdict& verdict : world.verdicts()) {
    if (verdict.outcome == properties::Outcome::violated)
      seen.violated += fmt::format(", {} violated", name(verdict.property));
  }
  return seen;
}

bool same_deed(const HistoryEvent& a, const HistoryEvent& b) {
  return a.what == b.what && a.process == b.process && a.tenure == b.tenure;
}

// The first event that the fault has added, moved or prevented.
std::string first_difference(const Seen& without, const Seen& with) {
  const auto words = [&with](const HistoryEvent& event) {
    return fmt::format("{} {}", with.processes[event.process], name(event.what));
  };
  for (std::size_t i = 0; i < with.history.size(); ++i) {
    const HistoryEvent& event = with.history[i];
    if (i >= without.history.size()) return words(event);
    const HistoryEvent& usual = without.history[i];
    if (same_deed(event, usual) && event.at == usual.at && event.until == usual.until) continue;
    for (auto later = with.history.begin() + static_cast<std::ptrdiff_t>(i);
         later != with.history.end(); ++later) {
      if (!same_deed(*later, usual)) continue;
      if (later->at == usual.at && later->until == usual.until) return words(event);
      if (later->at == usual.at) return words(usual) + ", for another time";
      return words(usual) + (later->at > usual.at ? ", late" : ", early");
    }
    return "no " + words(usual);
  }
  return "nothing";
}

struct Row {
  const char* verb;
  const char* target;
  const char* keys;  // the rest of the fault
  const char* effect;
};

// For a verb that cannot hit its target, the effect is the reason.
constexpr Row kRows[] = {
    {"pause", "client-1", "before = 'write.sent'\nnth = 2\nfor = '9s'",
     "resource write accepted, late, mutual-exclusion violated, resource-exclusion violated, "
     "no-stale-write violated, loss-noticed violated"},
    {"pause", "redis-1", "at = '500ms'\nfor = '1s'", "redis-1 queued, late"},
    {"pause", "resource", "at = '500ms'\nfor = '2s'", "resource write accepted, late"},
    {"crash", "client-1", "after = 'acquire.replied'", "no client-1 acquired"},
    {"crash", "redis-1", "at = '500ms'\nfor = '1s'",
     "redis-1 crashed, mutual-exclusion violated, resource-exclusion violated, no-stale-write "
     "violated, loss-noticed violated"},
    {"crash", "resource", "at = '500ms'\nfor = '1s'", "resource crashed"},
    {"restart", "client-1", "before = 'write.sent'", "no resource write accepted"},
    {"restart", "redis-1", "at = '500ms'",
     "redis-1 crashed, mutual-exclusion violated, resource-exclusion violated, no-stale-write "
     "violated, loss-noticed violated"},
    {"restart", "resource", "at = '500ms'", "resource crashed"},
    {"end-thread", "client-1", "after = 'acquire.replied'", "no client-1 acquired"},
    {"end-thread", "redis-1", "at = '500ms'",
     "not applicable to redis-1: only a client has threads of its own"},
    {"end-thread", "resource", "at = '500ms'",
     "not applicable to resource: only a client has threads of its own"},
    // No lock that is shipped reads the wall clock of a client.
    {"step-clock", "client-1", "at = '500ms'\nstep = '1h'", "nothing"},
    {"step-clock", "redis-1", "at = '500ms'\nstep = '1h'",
     "redis-1 entry removed, mutual-exclusion violated, resource-exclusion violated, "
     "no-stale-write violated, loss-noticed violated"},
    {"step-clock", "resource", "at = '500ms'\nstep = '1h'",
     "not applicable to resource: the resource reads no clock"},
    {"set-clock-rate", "client-1", "at = '500ms'\nrate = 1.5", "resource write accepted"},
    {"set-clock-rate", "redis-1", "at = '500ms'\nrate = 1.5",
     "redis-1 entry created, for another time"},
    {"set-clock-rate", "resource", "at = '500ms'\nrate = 1.5",
     "not applicable to resource: the resource reads no clock"},
    {"partition", "client-1", "at = '500ms'\nfor = '4s'", "client-1 link cut"},
    {"partition", "redis-1", "at = '500ms'\nfor = '4s'", "redis-1 link cut"},
    {"partition", "resource", "at = '500ms'\nfor = '4s'", "resource link cut"},
    {"heal", "client-1", "at = '3s'", "client-1 release invoked, early"},
    {"heal", "redis-1", "at = '3s'", "no client-1 release unknown"},
    {"heal", "resource", "at = '3s'", "client-1 release invoked, early"},
    {"hold", "client-1", "before = 'release.sent'\nfor = '1s'", "redis-1 entry removed, late"},
    {"hold", "redis-1", "before = 'acquire.applied'\nfor = '1s'", "client-1 acquired, late"},
    {"hold", "resource", "before = 'write.applied'\nfor = '1s'", "resource write accepted, late"},
    {"delay", "client-1", "before = 'release.sent'\nfor = '1s'", "redis-1 entry removed, late"},
    {"delay", "redis-1", "before = 'acquire.applied'\nfor = '1s'", "client-1 acquired, late"},
    {"delay", "resource", "before = 'write.sent'\nfor = '1s'", "resource write accepted, late"},
    {"drop", "client-1", "before = 'release.sent'", "no redis-1 entry removed"},
    {"drop", "redis-1", "before = 'release.applied'", "no client-1 released"},
    {"drop", "resource", "before = 'write.sent'", "resource write accepted, late"},
    {"duplicate", "client-1", "before = 'release.sent'\nfor = '1s'",
     "redis-1 entry removed, mutual-exclusion violated, resource-exclusion violated, "
     "no-stale-write violated, own-release violated, loss-noticed violated"},
    {"duplicate", "redis-1", "before = 'acquire.sent'\nfor = '20s'", "redis-1 entry created"},
    {"duplicate", "resource", "before = 'write.sent'\nfor = '3s'",
     "resource write accepted, resource-exclusion violated, no-stale-write violated"},
    {"evict", "client-1", "at = '500ms'",
     "not applicable to client-1: only a Redis server evicts keys"},
    {"evict", "redis-1", "at = '500ms'",
     "redis-1 entry removed, mutual-exclusion violated, resource-exclusion violated, "
     "no-stale-write violated, loss-noticed violated"},
    {"evict", "resource", "at = '500ms'",
     "not applicable to resource: only a Redis server evicts keys"},
    {"fail-over", "client-1", "at = '500ms'",
     "not applicable to client-1: only a primary can fail over to a replica"},
    {"fail-over", "redis-1", "at = '500ms'", "redis-1 has no replica to promote"},
    {"fail-over", "resource", "at = '500ms'",
     "not applicable to resource: only a primary can fail over to a replica"},
    {"kill-session", "client-1", "at = '500ms'",
     "not applicable to client-1: Redis keeps no sessions"},
    {"kill-session", "redis-1", "at = '500ms'",
     "not applicable to redis-1: only a client has a session"},
    {"kill-session", "resource", "at = '500ms'",
     "not applicable to resource: only a client has a session"},
    {"slow", "client-1", "at = '500ms'\nstep = '1s'\nfor = '5s'", "client-1 release invoked, late"},
    {"slow", "redis-1", "at = '500ms'\nstep = '1s'\nfor = '5s'", "redis-1 queued, late"},
    {"slow", "resource", "at = '500ms'\nstep = '1s'\nfor = '5s'", "resource write accepted, late"},
    {"interrupt", "client-2", "after = 'acquire.sent'", "client-2 acquire failed"},
    {"interrupt", "redis-1", "at = '500ms'",
     "not applicable to redis-1: only a client has threads of its own"},
};

constexpr Row kReplicatedRows[] = {
    {"pause", "redis-1-replica-1", "at = '500ms'\nfor = '4s'", "no resource write accepted"},
    {"pause", "redis-1-sentinel-1", "at = '4100ms'\nfor = '4s'",
     "no redis-1-replica-1 entry created"},
    {"crash", "redis-1-replica-1", "at = '500ms'", "redis-1-replica-1 crashed, progress violated"},
    {"crash", "redis-1-sentinel-1", "at = '4100ms'", "redis-1-sentinel-1 crashed"},
    {"restart", "redis-1-replica-1", "at = '500ms'", "redis-1-replica-1 crashed"},
    {"restart", "redis-1-sentinel-1", "at = '4100ms'", "redis-1-sentinel-1 crashed"},
    {"end-thread", "redis-1-replica-1", "at = '500ms'",
     "not applicable to redis-1-replica-1: only a client has threads of its own"},
    {"end-thread", "redis-1-sentinel-1", "at = '500ms'",
     "not applicable to redis-1-sentinel-1: only a client has threads of its own"},
    {"step-clock", "redis-1-replica-1", "at = '500ms'\nstep = '1h'", "no resource write accepted"},
    {"step-clock", "redis-1-sentinel-1", "at = '4700ms'\nstep = '1h'",
     "no redis-1-replica-1 entry created"},
    {"set-clock-rate", "redis-1-replica-1", "at = '500ms'\nrate = 20.0",
     "no resource write accepted, mutual-exclusion violated"},
    {"set-clock-rate", "redis-1-sentinel-1", "at = '4100ms'\nrate = 1.5",
     "redis-1-replica-1 entry created, early"},
    {"partition", "redis-1-replica-1", "at = '500ms'\nfor = '4s'", "redis-1-replica-1 link cut"},
    {"partition", "redis-1-sentinel-1", "at = '500ms'\nfor = '9s'", "redis-1-sentinel-1 link cut"},
    {"heal", "redis-1-replica-1", "at = '1s'", "redis-1-replica-1 link healed"},
    {"heal", "redis-1-sentinel-1", "at = '3s'", "redis-1-sentinel-1 link healed"},
    {"hold", "redis-1-replica-1", "before = 'check.sent'\nfor = '900ms'",
     "resource write accepted, late"},
    {"hold", "redis-1-sentinel-1", "before = 'message.sent'\non = 'redis-1-replica-1'\nfor = '9s'",
     "no redis-1-replica-1 entry created"},
    {"delay", "redis-1-replica-1", "before = 'check.applied'\nfor = '900ms'",
     "resource write accepted, late"},
    {"delay", "redis-1-sentinel-1", "before = 'message.sent'\non = 'redis-1-replica-1'\nfor = '9s'",
     "no redis-1-replica-1 entry created"},
    {"drop", "redis-1-replica-1", "before = 'check.applied'", "no resource write accepted"},
    {"drop", "redis-1-sentinel-1", "before = 'check.applied'",
     "no step of a client is a message to redis-1-sentinel-1; give `drop` before = "
     "\"message.sent\""},
    // Asked twice, it says the same.
    {"duplicate", "redis-1-replica-1", "before = 'check.sent'\nfor = '1s'", "nothing"},
    {"duplicate", "redis-1-sentinel-1", "before = 'message.sent'\nfor = '1s'", "nothing"},
    {"evict", "redis-1-replica-1", "at = '500ms'",
     "not applicable to redis-1-replica-1: a replica forgets only what its primary tells it to "
     "forget"},
    {"evict", "redis-1-sentinel-1", "at = '500ms'",
     "not applicable to redis-1-sentinel-1: only a Redis server evicts keys"},
    {"fail-over", "redis-1-replica-1", "at = '500ms'",
     "not applicable to redis-1-replica-1: only a primary can fail over to a replica"},
    {"fail-over", "redis-1-sentinel-1", "at = '500ms'",
     "not applicable to redis-1-sentinel-1: only a primary can fail over to a replica"},
    {"kill-session", "redis-1-replica-1", "at = '500ms'",
     "not applicable to redis-1-replica-1: only a client has a session"},
    {"kill-session", "redis-1-sentinel-1", "at = '500ms'",
     "not applicable to redis-1-sentinel-1: only a client has a session"},
    {"slow", "redis-1-replica-1", "at = '500ms'\nstep = '900ms'\nfor = '5s'",
     "no resource write accepted, progress violated"},
    {"slow", "redis-1-sentinel-1", "at = '4100ms'\nstep = '500ms'\nfor = '5s'",
     "no redis-1-replica-1 entry created"},
};

// Client-1 works from 0s to 4s; client-2 watches the key meanwhile.
constexpr const char* kOnAStore = R"(format = 1
[lock]
algorithm = "lease-store-lock"
retry_every = "5s"
[clients]
count = 2
hold = "4s"
[expect]
violated = []
)";

constexpr Row kStoreRows[] = {
    {"pause", "store", "at = '500ms'\nfor = '5s'", "store entry altered, late"},
    {"crash", "store", "at = '500ms'\nfor = '1s'", "store crashed"},
    {"restart", "store", "at = '500ms'", "store crashed"},
    {"end-thread", "store", "at = '500ms'",
     "not applicable to store: only a client has threads of its own"},
    {"step-clock", "store", "at = '500ms'\nstep = '1h'",
     "not applicable to store: the lease store uses a clock that never steps"},
    {"set-clock-rate", "store", "at = '500ms'\nrate = 20.0",
     "store entry removed, mutual-exclusion violated"},
    {"partition", "store", "at = '500ms'\nfor = '4s'", "store link cut"},
    {"heal", "store", "at = '3s'", "store link healed"},
    {"hold", "store", "before = 'renew.applied'\nfor = '1s'", "client-1 released, late"},
    {"delay", "store", "before = 'acquire.applied'\nfor = '1s'", "store entry created, late"},
    {"drop", "store", "before = 'release.applied'", "client-1 release unknown"},
    // The session has its key already.
    {"duplicate", "store", "before = 'acquire.sent'\ncommand = 'ACQUIRE'\nfor = '1s'", "nothing"},
    {"evict", "store", "at = '500ms'", "not applicable to store: only a Redis server evicts keys"},
    {"fail-over", "store", "at = '500ms'",
     "not applicable to store: only a primary can fail over to a replica"},
    {"kill-session", "store", "at = '500ms'",
     "not applicable to store: only a client has a session"},
    {"kill-session", "client-1", "at = '500ms'", "store entry removed, mutual-exclusion violated"},
    {"slow", "store", "at = '500ms'\nstep = '1s'\nfor = '5s'", "store entry altered, late"},
};

void expect_to_be_seen(std::span<const Row> rows, const char* base, std::size_t faults_of_base) {
  for (const Row& row : rows) {
    std::string keys = fmt::format("{} = '{}'\n{}\n", row.verb, row.target, row.keys);
    std::string effect;
    try {
      // `heal` needs an earlier fault that it can end.
      const bool heals = std::string_view(row.verb) == "heal";
      const std::string ailment =
          fmt::format("partition = '{}'\nat = '500ms'\nfor = '9s'\n", row.target);
      const Seen without = run(with_fault(heals ? ailment : "", base));
      const Seen with = run(with_fault(heals ? ailment + "[[fault]]\n" + keys : keys, base));
      EXPECT_EQ(with.fired, faults_of_base + (heals ? 2 : 1)) << keys;
      EXPECT_NE(with.digest, without.digest) << keys;
      effect = first_difference(without, with) + with.violated;
    } catch (const BadInput& error) {
      effect = error.what();
      effect = effect.substr(effect.rfind("`: ") + 3);
    }
    EXPECT_EQ(effect, row.effect) << keys;
  }
}

TEST(Faults, CanBeSeenInTheHistoryWhateverTheyHit) { expect_to_be_seen(kRows, kThreeClients, 0); }

TEST(Faults, CanBeSeenInTheHistoryOfAGroup) { expect_to_be_seen(kReplicatedRows, kReplicated, 1); }

TEST(Faults, CanBeSeenInTheHistoryOfALeaseStore) { expect_to_be_seen(kStoreRows, kOnAStore, 0); }

TEST(Faults, PromoteAReplicaWhereThereIsOne) {
  constexpr const char* kPair = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
[clients]
hold = "2s"
[servers.redis]
replicas = 1
[expect]
violated = []
)";
  const auto difference = [](const std::string& keys) {
    return first_difference(run(with_fault("", kPair)), run(with_fault(keys, kPair)));
  };
  EXPECT_EQ(difference("fail-over = 'redis-1'\nat = '500ms'\n"), "redis-1 crashed");
  EXPECT_EQ(difference("fail-over = 'redis-1'\nat = '500ms'\nfor = '1s'\n"), "redis-1 crashed");
}

// The command that each plan of one fault catches.
std::string caught(const std::string& algorithm, const std::string& keys) {
  Document document(std::string(kThreeClients) + "[[fault]]\n" + keys, "faults.toml");
  document.set({.path = "lock.algorithm", .value = algorithm});
  Runner runner;
  const Run run = runner.run(document.scenario(shipped_vocabulary()), 1, true);
  if (run.fired.empty()) return "nothing";
  for (const sim::TraceRecord& record : run.trace.records) {
    const bool client = run.processes[record.process] == run.scenario.faults[0].target;
    if (record.kind != sim::TraceKind::sent || !client || record.at < run.fired[0].at) continue;
    const sim::Protocol& protocol = *run.trace.protocols[record.protocol];
    return std::string(protocol.command(run.trace.payload(record)));
  }
  return "nothing";
}

TEST(Faults, FindAStepByItsRoleWhateverItsCommand) {
  const std::string pause = "pause = 'client-1'\nbefore = 'release.sent'\nfor = '1s'\n";
  EXPECT_EQ(caught("set-px-blind-delete", pause), "DEL");
  EXPECT_EQ(caught("set-px-check-delete", pause), "DEL");
  EXPECT_EQ(caught("lua-check-delete", pause), "EVAL");
}

TEST(Faults, FindTheCommandThatNarrowsARoleOrNothing) {
  const std::string pause = "pause = 'client-1'\nbefore = 'release.sent'\nfor = '1s'\n";
  EXPECT_EQ(caught("set-px-check-delete", pause + "command = 'DEL'\n"), "DEL");
  EXPECT_EQ(caught("lua-check-delete", pause + "command = 'DEL'\n"), "nothing");
}

TEST(Faults, StrikeOnTheSideOfTheStepThatTheyName) {
  const auto sends_its_write = [](const std::string& keys) {
    const Seen seen = run(with_fault("crash = 'client-1'\n" + keys));
    return std::count_if(seen.history.begin(), seen.history.end(), [](const HistoryEvent& event) {
      return event.what == What::write_accepted && event.tenure == 1;
    });
  };
  EXPECT_EQ(sends_its_write("before = 'write.sent'\n"), 0);
  EXPECT_EQ(sends_its_write("after = 'write.sent'\n"), 1);
  EXPECT_EQ(sends_its_write("before = 'write.sent'\nnth = 2\n"), 1);
  EXPECT_EQ(sends_its_write("after = 'write.sent'\nnth = 2\n"), 2);
}

}  // namespace
}  // namespace picklock::scenarios
