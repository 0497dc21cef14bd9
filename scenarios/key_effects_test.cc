// Every key outside [lock] changes some run with every lock that a file may set it for, or is
// refused; others would seem to do what they do not. The keys of [lock] are in
// scenarios/option_effects_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/locks/catalogue.h"
#include "scenarios/document.h"
#include "scenarios/keys.h"
#include "scenarios/runner.h"
#include "scenarios/shipped.h"
#include "scenarios/world.h"
#include "sim/sanitizer.h"
#include "testing/effects.h"
#include "testing/whole.h"

namespace picklock::scenarios {
namespace {

// Values of keys that are no words, by the end of their paths.
const std::map<std::string_view, Changes> kValuesOfKeys = {
    {"clients.program", {"[\"/bin/true\"]"}},
    {"clients.folder", {"/tmp"}},
    {"clients.until", {"30s"}},
    {"arrive_every", {"300ms"}},
    {"break_after", {"2s"}},
    {"clients.gc.every", {"1s"}},
    {"clock_offset", {"30s"}},
    {"clock_rate_ppb", {"300000000"}},
    {"config", {"['min-replicas-to-write 1']", "['appendonly yes']"}},
    {"count", {"4"}},
    {"cycles", {"2"}},
    {"down_after", {"2s"}},
    {"expire_after", {"3"}},
    {"failover_timeout", {"2s"}},
    {"first_sequence", {"7"}},
    {"fsync", {"9ms"}},
    {"gc.every", {"1s"}},
    {"high", {"2ms"}},
    {"hold", {"6s"}},
    {"init_limit", {"1"}},
    {"keepalive", {"1s"}},
    {"keys", {"['a', 'b']"}},
    {"latency", {"3ms"}},
    {"leases", {"['1s']", "['5s', '7s']"}},
    {"lock_wait_timeout", {"1s"}},
    {"low", {"100ms"}},
    {"masters", {"5"}},
    {"max_connections", {"1"}},
    {"nested_after", {"1s"}},
    {"nested_for", {"1s"}},
    {"nodes", {"3"}},
    {"operators", {"1"}},
    {"primaries", {"2"}},
    {"promote_after", {"2s"}},
    {"quorum", {"1"}},
    {"replicas", {"1"}},
    {"restart_delay", {"5s"}},
    {"scan_every", {"1s"}},
    {"sentinels", {"3"}},
    {"servers", {"5", "['redis-1']", "['mysql-1']"}},
    {"priorities", {"3"}},
    {"priority_changes", {"[2, 5]"}},
    {"service", {"2ms"}},
    {"sync_limit", {"1"}},
    {"tail_high", {"2s"}},
    {"tail_one_in", {"2"}},
    {"think", {"700ms"}},
    {"threads", {"2"}},
    {"threads_arrive_every", {"700ms"}},
    {"tick", {"7s"}},
    {"wait_timeout", {"1s"}},
    {"write_timeout", {"100us"}},
    {"writes", {"1", "0"}},
};

// Changes without which the loader refuses a key, or it has nothing to act on.
const std::map<std::string_view, Changes> kNeededByKeys = {
    {"check_before_write", {"clients.writes=1"}},
    {"checks", {"servers.resource.fencing=ideal"}},
    {"equal_token", {"servers.resource.fencing=ideal"}},
    {"find_by", {"servers.redis.sentinels=3", "servers.redis.replicas=2"}},
    {"first_map", {"servers.redis.cluster.enabled=true", "servers.redis.masters=3"}},
    {"force", {"clients.operators=1"}},
    {"force_promises", {"servers.resource.nodes=3", "servers.resource.fencing=ideal"}},
    {"gc.high", {"gc.every=1s"}},
    {"gc.low", {"gc.every=1s"}},
    {"nested_after", {"clients.nested=true"}},
    {"nested_for", {"clients.nested=true"}},
    {"nodes", {"servers.resource.fencing=ideal"}},
    {"promote_after", {"servers.mysql.replicas=1"}},
    {"recover_by", {"servers.resource.nodes=3", "servers.resource.fencing=ideal"}},
    {"relative_expiry", {"servers.redis.replicas=1"}},
    {"restart_clock", {"servers.redis.restart_delay=5s"}},
    {"restarted_log", {"servers.resource.nodes=3", "servers.resource.fencing=ideal"}},
    {"scan_every", {"servers.redis.replicas=1"}},
    {"sentinel", {"servers.redis.sentinels=3", "servers.redis.replicas=2"}},
    {"order", {"network.latency=[\"1ms\", \"200ms\"]"}},
    {"priorities", {"network.latency=[\"1ms\", \"200ms\"]", "network.order=any"}},
    {"priority_changes",
     {"network.latency=[\"1ms\", \"200ms\"]", "network.order=any", "network.priorities=3"}},
    {"sentinels", {"servers.redis.replicas=1"}},
    {"sequence_wraps", {"servers.zookeeper.first_sequence=2147483647"}},
    {"spread", {"servers.mysql.primaries=2"}},
    {"tail_high", {"network.tail_one_in=2"}},
    {"think", {"clients.cycles=2"}},
    {"threads_arrive_every", {"clients.threads=2"}},
};

// Keys that act in rare combinations of faults only: a change of one in a shipped scenario.
struct Story {
  std::string_view key;
  std::string_view scenario;
  std::string_view value;
};

constexpr std::array<Story, 9> kStories = {{
    {"servers.resource.checks", "read-before-token-is-shown", "accesses"},
    {"servers.resource.equal_token", "equal-token-refuses-successor", "accept"},
    {"servers.resource.recover_by", "replicated-log-recovered-by-length", "epoch"},
    {"servers.resource.force_promises", "replicated-log-promise-not-forced", "true"},
    {"servers.resource.restarted_log", "replicated-log-cut-at-high-watermark", "whole"},
    {"servers.redis.restart_clock", "redlock-delayed-restart-wall-clock", "monotonic"},
    {"servers.redis.sentinel.failover_timeout", "sentinel-split-brain-double-grant", "1s"},
    {"servers.zookeeper.wall_clock_expiry", "zk-server-wall-clock-expiry", "false"},
    {"servers.mysql.keepalive", "mysql-half-open-connection", "0s"},
}};

// The tests of the servers show these: a session too many, words of errors and a timeout of 0.
constexpr std::array<std::string_view, 2> kOfServers = {"servers.zookeeper.max_connections",
                                                        "servers.mysql.variant"};

bool has_own_test(std::string_view key) {
  return std::any_of(kStories.begin(), kStories.end(),
                     [key](const Story& story) { return story.key == key; }) ||
         std::find(kOfServers.begin(), kOfServers.end(), key) != kOfServers.end();
}

bool ends_with_name(std::string_view path, std::string_view end) {
  return path == end || (path.ends_with(end) && path[path.size() - end.size() - 1] == '.');
}

std::string first_server(const models::Algorithm& lock) {
  const std::string key(lock.uses.server.key);
  return key == "lease_store" ? "store" : key + "-1";
}

std::vector<Situation> common_situations(const models::Algorithm& lock) {
  const std::string first = first_server(lock);
  std::vector<Situation> all = {
      {{}, ""},
      {{"clients.threads=2", "clients.cycles=2"}, ""},
      {{"clients.hold=20s", "clients.cycles=2"}, ""},
      {{"network.latency=[\"1ms\", \"200ms\"]"}, ""},
      {{}, fault("crash = 'client-1'\nat = '2s'\nfor = '1s'")},
      {{"clients.effect=database"}, ""},
      {{"clients.hold=40s"}, fault("crash = 'client-1'\nat = '2s'")},
      {{}, fault("partition = 'client-1'\nat = '700us'\nfor = '9s'")},
      {{"clients.hold=25s"}, fault("partition = 'client-1'\nat = '1500ms'\nfor = '22s'")},
      {{"clients.hold=9s"}, fault("restart = '" + first + "'\nat = '2500ms'\nkeeps = 'all'")},
      {{"clients.hold=9s"}, fault("restart = '" + first + "'\nat = '2500ms'\nkeeps = 'none'")},
      {{"clients.hold=9s"}, fault("restart = '" + first + "'\nat = '2500ms'\nkeeps = 'fsynced'")},
      {{"clients.hold=12s"}, fault("pause = '" + first + "'\nat = '2500ms'\nfor = '9s'")},
      {{"clients.hold=40s"}, fault("crash = '" + first + "'\nat = '2500ms'\nfor = '90s'")},
      {{"clients.hold=12s"}, fault("pause = 'client-1'\nbefore = 'write.sent'\nfor = '12s'")},
  };
  if (first == "redis-1")
    all.push_back(
        {{"servers.redis.replicas=1"}, fault("crash = 'redis-1'\nat = '5s'\nfor = '1s'")});
  // It comes back too late for an ensemble that waits for one tick.
  if (first == "zookeeper-1")
    all.push_back({{"servers.zookeeper.tick=500ms", "network.latency=[\"1ms\", \"450ms\"]",
                    "clients.hold=30s"},
                   fault("crash = 'zookeeper-1'\nat = '3s'\nfor = '2s'")});
  if (first == "mysql-1") {
    // A row stays locked until its change is on disk.
    all.push_back({{"servers.mysql.fsync=3s"}, ""});
    all.push_back({{"lock.rows=2", "network.latency=[\"1ms\", \"200ms\"]", "clients.count=4"}, ""});
    // The session that has the lock ends before the one that counts a fencing token for it, so the
    // next holder waits for the counter's row.
    all.push_back({{"servers.resource.fencing=in-script", "servers.mysql.wait_timeout=20s"},
                   fault("pause = 'client-1'\nat = '8200ms'\nfor = '90s'") +
                       "[[network.link]]\nfrom = 'client-1'\nto = 'mysql-1'\nlatency = '500ms'\n"});
  }
  for (Situation& one : all) {
    if (lock.uses.servers) one.changes.insert(one.changes.begin(), "servers.redis.masters=3");
  }
  return all;
}

struct OneKey {
  std::string path;
  std::string type;
  std::string fallback;
};

// Those of the tables that a run with this lock can have, but for tables of one process.
std::vector<OneKey> keys_for(const models::Algorithm& lock) {
  std::vector<keys::TableDoc> docs;
  for (const auto& key : scenario_keys()) {
    if (key.nested) key.nested("", docs);
  }
  std::vector<OneKey> all;
  for (const keys::TableDoc& doc : docs) {
    const std::string table = doc.header.substr(1, doc.header.size() - 2);
    const bool listed = table.starts_with("clients") || table.starts_with("network") ||
                        table.starts_with("servers.resource") ||
                        table.starts_with("servers." + std::string(lock.uses.server.key));
    if (!listed) continue;
    for (const keys::KeyDoc& key : doc.keys)
      all.push_back({table + "." + key.name, key.type, key.fallback});
  }
  return all;
}

Changes values_of(const OneKey& key) {
  const auto found = std::find_if(kValuesOfKeys.begin(), kValuesOfKeys.end(), [&](const auto& one) {
    return ends_with_name(key.path, one.first);
  });
  if (found != kValuesOfKeys.end()) return found->second;
  if (key.type == "true or false") return {key.fallback == "true" ? "false" : "true"};
  Changes words = words_of_type(key.type);
  std::erase_if(words, [&](const std::string& word) { return key.fallback == "\"" + word + "\""; });
  return words;
}

Changes needed_by(const OneKey& key) {
  const auto found = std::find_if(kNeededByKeys.begin(), kNeededByKeys.end(), [&](const auto& one) {
    return ends_with_name(key.path, one.first) ||
           key.path.find("." + std::string(one.first) + ".") != std::string::npos;
  });
  if (found == kNeededByKeys.end()) return {};
  Changes all = found->second;
  for (std::string& one : all) {
    if (one.starts_with("gc.")) one.insert(0, key.path.substr(0, key.path.rfind("gc.")));
  }
  return all;
}

struct ShownKey {
  std::string accepted;  // a value with which the file is accepted, and where
  bool has_effect = false;
};

// Digests without the key in question, which many keys have in common.
using Digests = std::map<Changes, std::vector<std::optional<std::uint64_t>>>;

ShownKey shown(const models::Algorithm& lock, const std::vector<Situation>& situations,
               const OneKey& key, Digests& without_key) {
  ShownKey shown;
  for (const bool with_needed : {false, true}) {
    const Changes needed = with_needed ? needed_by(key) : Changes{};
    if (with_needed && needed.empty()) break;
    std::vector<std::optional<std::uint64_t>>& known = without_key[needed];
    for (std::size_t i = 0; i < situations.size(); ++i) {
      const Situation& situation = situations[i];
      if (i == known.size()) known.push_back(digest(lock, situation, needed));
      const std::optional<std::uint64_t> without = known[i];
      if (!without) continue;
      for (const std::string& value : values_of(key)) {
        Changes with = needed;
        with.push_back(key.path + "=" + value);
        const std::optional<std::uint64_t> changed = digest(lock, situation, with);
        if (changed) shown.accepted = value;
        if (changed && changed != without) return {value, true};
      }
    }
  }
  return shown;
}

class KeyEffects : public ::testing::TestWithParam<const models::Algorithm*> {};

// One lock for each server, or every lock, which takes minutes: some situations are livelocks.
std::vector<const models::Algorithm*> tried_locks() {
  const bool every = tests_are_whole() && !sim::kSanitized;
  std::vector<const models::Algorithm*> some;
  for (const models::Algorithm* lock : models::locks::all()) {
    const bool known = std::any_of(some.begin(), some.end(), [lock](const models::Algorithm* one) {
      return one->uses.server == lock->uses.server;
    });
    if (every || !known) some.push_back(lock);
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, KeyEffects, ::testing::ValuesIn(tried_locks()),
                         [](const auto& lock) {
                           return shipped::test_name(std::string(lock.param->name));
                         });

TEST_P(KeyEffects, AreShownBySomeRunForEveryKeyThatAFileMayHave) {
  const models::Algorithm& lock = *GetParam();
  const std::vector<Situation> situations = common_situations(lock);
  Digests without_key;
  for (const OneKey& key : keys_for(lock)) {
    if (has_own_test(key.path)) continue;
    EXPECT_FALSE(values_of(key).empty()) << "no value for " << key.path;
    const ShownKey of_key = shown(lock, situations, key, without_key);
    EXPECT_TRUE(of_key.accepted.empty() || of_key.has_effect)
        << key.path << " = " << of_key.accepted << " has no effect";
  }
}

// A table that may be there several times, with and without a key that it may have.
struct OfOneProcess {
  std::string_view header;
  std::string_view key;
  std::string_view with;
  std::string_view without;
};

constexpr std::array<OfOneProcess, 7> kOfOneProcess = {{
    {"[[network.link]]", "latency", "latency = '9ms'", "latency = '1ms'"},
    {"[[network.link]]", "tail_one_in", "latency = '1ms'\ntail_one_in = 2\ntail_high = '2s'",
     "latency = '1ms'"},
    {"[[network.link]]", "tail_high", "latency = '1ms'\ntail_one_in = 2\ntail_high = '2s'",
     "latency = '1ms'\ntail_one_in = 2\ntail_high = '1500us'"},
    {"[[network.link]]", "both", "latency = '9ms'\nboth = false", "latency = '9ms'"},
    {"[[servers.redis.node]]", "clock_offset", "clock_offset = '7s'", ""},
    {"[[servers.redis.node]]", "clock_rate_ppb", "clock_rate_ppb = 500000000", ""},
    {"[[servers.redis.node]]", "config", "config = ['appendonly yes']", ""},
}};

TEST(KeyEffects, AreShownByARunForEveryKeyOfOneLinkOrServer) {
  const models::Algorithm& lock = *models::locks::named("lua-check-delete");
  const std::string failover = fault("fail-over = 'redis-1'\nat = '2s'");
  const auto digest_of = [&](const OfOneProcess& one, std::string_view keys) {
    const std::string_view which =
        one.header == "[[network.link]]" ? "from = 'client-1'\nto = 'redis-1'" : "name = 'redis-1'";
    return digest(lock,
                  {{"servers.redis.replicas=1"},
                   fmt::format("{}{}\n{}\n{}\n", failover, one.header, which, keys)},
                  {});
  };
  for (const OfOneProcess& one : kOfOneProcess) {
    const auto with = digest_of(one, one.with);
    EXPECT_TRUE(with) << one.header << ' ' << one.key;
    EXPECT_NE(with, digest_of(one, one.without)) << one.header << ' ' << one.key;
  }
}

TEST(KeyEffects, OfOneLinkOrServerAreAllTried) {
  std::vector<keys::TableDoc> docs;
  for (const auto& key : scenario_keys()) {
    if (key.nested) key.nested("", docs);
  }
  for (const keys::TableDoc& doc : docs) {
    if (!doc.header.starts_with("[[network") && !doc.header.starts_with("[[servers")) continue;
    for (const keys::KeyDoc& key : doc.keys) {
      const bool names = key.name == "from" || key.name == "to" || key.name == "name";
      const bool tried = std::any_of(
          kOfOneProcess.begin(), kOfOneProcess.end(),
          [&](const OfOneProcess& one) { return one.header == doc.header && one.key == key.name; });
      EXPECT_TRUE(names || tried) << doc.header << ' ' << key.name;
    }
  }
}

TEST(KeyEffects, AreShownByAShippedScenarioForKeysOfRareFaults) {
  const auto digest_with = [](const Story& story, bool changed) {
    Document document = shipped::document(std::string(story.scenario));
    if (changed) document.set(change_from(fmt::format("{}={}", story.key, story.value)));
    const Scenario scenario = document.scenario(shipped_vocabulary());
    World world;
    world.set(scenario);
    world.run(scenario.seed);
    return world.digest();
  };
  for (const Story& story : kStories)
    EXPECT_NE(digest_with(story, false), digest_with(story, true)) << story.key;
}

}  // namespace
}  // namespace picklock::scenarios
