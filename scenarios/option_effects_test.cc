// Every key of [lock] that a lock accepts changes some run; others would seem to do what they do
// not (docs/architecture.md "Expectations"). A key is tried in a few situations, until one shows
// it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/locks/catalogue.h"
#include "scenarios/shipped.h"
#include "testing/effects.h"

namespace picklock::scenarios {
namespace {

using OptionKey = keys::Key<models::LockOptions>;

// Values of keys that are no words. Those of other keys go by their types (other_values).
const std::map<std::string_view, Changes> kValues = {
    {"acquire_timeout", {"500ms", "3s"}},
    {"attempts", {"1", "2"}},
    {"command_timeout", {"20ms", "2s"}},
    {"connect_timeout", {"100us"}},
    {"connections", {"2", "1"}},
    {"drift_extra", {"9900ms", "4s"}},
    {"drift_ppm", {"999000"}},
    {"hold_at_least", {"6s"}},
    {"lock_delay", {"9s"}},
    {"lost_after_percent", {"10"}},
    {"place_expires", {"200ms"}},
    {"quorum", {"1"}},
    {"renew_every", {"200ms"}},
    {"resend", {"2", "0"}},
    {"resend_delay", {"200ms"}},
    {"resend_delay_most", {"300ms"}},
    {"resubscribe_every", {"3s"}},
    {"retry_every", {"1s"}},
    {"retry_jitter", {"700ms"}},
    {"rows", {"2"}},
    {"ttl", {"2s"}},
    {"wait_at_least", {"7s"}},
    {"wait_at_most", {"300ms", "0s"}},
    {"wait_replicas", {"1"}},
    {"wait_timeout", {"50ms"}},
};

// Changes without which the loader refuses a key, or it has nothing to act on.
const std::map<std::string_view, Changes> kNeeded = {
    {"after_error", {"lock.rows=2", "lock.row_order=alternating"}},
    {"extend_missing", {"lock.renew=conditional", "lock.renew_every=300ms"}},
    {"extends", {"lock.renew=conditional", "lock.renew_every=300ms"}},
    {"named_by", {"lock.recognise_own=always"}},
    {"owner_data", {"lock.recognise_own=always"}},
    {"check_at", {"servers.redis.replicas=1", "clients.check_before_write=true"}},
    {"connects", {"lock.connections=2"}},
    {"fence_by", {"servers.resource.fencing=in-script"}},
    {"renew_after_error", {"lock.timer_per_lock=true", "lock.resend=0"}},
    {"renew_every", {"lock.renew=conditional"}},
    {"resend_delay", {"lock.resend=2"}},
    {"resend_delay_most", {"lock.resend=2", "lock.resend_delay=200ms"}},
    {"row_order", {"lock.rows=2"}},
    {"sync_replicas", {"servers.redis.replicas=1"}},
    {"tell_loss", {"lock.renew=conditional", "lock.renew_every=300ms"}},
    {"tokens", {"servers.resource.fencing=in-script"}},
    {"wait_replicas", {"servers.redis.replicas=1"}},
    {"wait_timeout",
     {"lock.wait_replicas=1", "lock.sync_replicas=true", "servers.redis.replicas=1"}},
};

// A client loses several replies in a row.
std::string drops(std::string_view step) {
  std::string all;
  for (int nth = 1; nth <= 4; ++nth)
    all += fault(fmt::format("drop = 'client-1'\nbefore = '{}'\nnth = {}", step, nth));
  return all;
}

// Those in which a key is most likely to show its effect, before all others.
std::vector<Situation> situations_for(std::string_view key) {
  const std::string steps = fault("step-clock = 'client-2'\nat = '1600ms'\nstep = '-20s'") +
                            fault("step-clock = 'client-3'\nat = '2500ms'\nstep = '30s'");
  if (key == "clock")
    return {
        {{"lock.if_locked=nowait", "lock.acquire_timeout=6s", "clients.hold=9s"}, steps},
        {{"lock.acquire_timeout=3s"},
         fault("step-clock = 'client-1'\nat = '300us'\nstep = '20s'") + drops("acquire.applied")}};
  if (key == "validity")
    return {{{"lock.ttl=1s", "lock.command_timeout=3s", "network.latency=550ms"}, ""},
            {{"lock.ttl=2s", "lock.renew=none", "network.latency=400ms"}, ""},
            {{"lock.ttl=1s", "lock.renew=none", "network.latency=200ms"}, ""}};
  if (key == "deadline")
    return {{{"lock.ttl=3s", "clients.hold=9s"},
             fault("partition = 'client-1'\nat = '1s'\nfor = '9s'")}};
  if (key == "extends" || key == "extend_missing")
    return {{{"clients.hold=3s"},
             fault("evict = 'redis-1'\nat = '1s'") + fault("evict = 'redis-2'\nat = '1s'")},
            {{"clients.hold=3s"},
             fault("pause = 'redis-1'\nat = '1s'\nfor = '9s'") +
                 fault("pause = 'redis-2'\nat = '1s'\nfor = '9s'")}};
  if (key == "renew_after_error")
    return {
        {{"lock.ttl=3s", "clients.hold=9s"}, fault("drop = 'client-1'\nbefore = 'renew.applied'")}};
  if (key.starts_with("resend"))
    return {{{}, drops("acquire.applied")}, {{}, drops("release.applied")}};
  if (key == "guaranteed_delete")
    return {{{"lock.resend=0"}, drops("release.applied")},
            {{"lock.resend=0"}, drops("release.sent")}};
  if (key == "retry_missing")
    return {{{"lock.retry_every=2s", "clients.count=2", "clients.hold=2s"},
             fault("delay = 'client-2'\nbefore = 'watch.sent'\nfor = '5s'")}};
  if (key == "order_by")
    return {
        {{"servers.zookeeper.first_sequence=-2"}, ""},
        {{"servers.zookeeper.first_sequence=2147483646", "servers.zookeeper.sequence_wraps=true"},
         ""},
        {{"servers.zookeeper.first_sequence=-2", "clients.arrive_every=0s"}, ""}};
  if (key == "pool_resets") return {{{"clients.releases=false", "clients.cycles=2"}, ""}};
  if (key == "tell_loss")
    return {{{"lock.ttl=3s", "clients.hold=9s"},
             fault("evict = 'redis-1'\nat = '1s'") + fault("evict = 'redis-2'\nat = '1s'")}};
  if (key == "reconnect")
    return {{{}, fault("kill-session = 'client-1'\nafter = 'acquire.replied'")},
            {{"servers.resource.fencing=in-script"},
             fault("kill-session = 'client-1'\nafter = 'acquire.replied'\nnth = 2")}};
  return {};
}

std::vector<Situation> situations() {
  const std::string steps = fault("step-clock = 'client-1'\nat = '1500ms'\nstep = '20s'") +
                            fault("step-clock = 'client-2'\nat = '1600ms'\nstep = '-20s'") +
                            fault("step-clock = 'client-3'\nat = '2500ms'\nstep = '30s'");
  return {
      {{}, ""},
      {{"clients.threads=2", "network.latency=[\"1ms\", \"200ms\"]"}, ""},
      {{"clients.cycles=2", "clients.hold=20s"}, ""},
      {{"lock.acquire_timeout=6s", "clients.hold=9s"}, steps},
      {{"lock.deadline=true", "clients.hold=9s"}, steps},
      {{"clients.hold=25s", "lock.renew=conditional"}, steps},
      {{}, steps},
      {{}, fault("drop = 'client-2'\nbefore = 'acquire.applied'")},
      {{}, fault("drop = 'client-1'\nafter = 'acquire.applied'")},
      {{}, fault("drop = 'client-1'\nbefore = 'release.applied'")},
      {{"clients.cycles=2"}, fault("delay = 'client-1'\nbefore = 'release.sent'\nfor = '8s'")},
      {{}, fault("delay = 'client-2'\nbefore = 'acquire.sent'\nfor = '8s'")},
      {{"clients.hold=12s"}, fault("pause = 'client-1'\nbefore = 'write.sent'\nfor = '9s'")},
      {{"clients.hold=25s"}, fault("partition = 'client-1'\nat = '1500ms'\nfor = '22s'")},
      {{"clients.hold=9s"}, fault("crash = 'client-1'\nat = '2s'\nfor = '1s'")},
  };
}

// The situations for an option of the servers themselves.
std::vector<Situation> situations_of(const models::Algorithm& lock, std::string_view option) {
  const std::string key(lock.uses.server.key);
  const std::string first = key == "redis"       ? "redis-1"
                            : key == "mysql"     ? "mysql-1"
                            : key == "zookeeper" ? "zookeeper-1"
                                                 : "store";
  std::vector<Situation> all = situations_for(option);
  for (Situation& one : situations()) all.push_back(std::move(one));
  all.push_back(
      {{"clients.hold=9s"}, fault("restart = '" + first + "'\nat = '2500ms'\nkeeps = 'all'")});
  all.push_back(
      {{"clients.hold=12s"}, fault("pause = '" + first + "'\nat = '2500ms'\nfor = '9s'")});
  all.push_back(
      {{"clients.hold=40s", "lock.ttl=9s"}, fault("drop = 'client-1'\nbefore = 'renew.applied'")});
  if (key == "redis") {
    all.push_back({{"clients.hold=9s", "servers.redis.replicas=1"},
                   fault("pause = 'redis-1-replica-1'\nat = '500us'\nfor = '20s'")});
    all.push_back({{"clients.hold=12s"}, fault("evict = 'redis-1'\nat = '2s'")});
    all.push_back({{}, fault("drop = 'client-2'\nbefore = 'subscribe.applied'")});
  }
  // Waiters behind a place that is left over try as fast as the network allows.
  if (models::takes(lock, "place_expires")) {
    for (Situation& one : all) one.changes.insert(one.changes.begin(), "network.latency=25ms");
  }
  if (lock.uses.servers) {
    for (Situation& one : all) one.changes.push_back("servers.redis.masters=3");
  }
  return all;
}

Changes other_values(const OptionKey& key) {
  if (const auto listed = kValues.find(key.name); listed != kValues.end()) return listed->second;
  if (key.type == "true or false") return {"true", "false"};
  if (key.type.starts_with("whole number")) return {"2", "1"};
  if (key.type.starts_with("duration")) return {"300ms", "3s"};
  return words_of_type(key.type);
}

struct Shown {
  bool accepted = false;
  bool has_effect = false;
};

// The digests of runs without the key, by their situation and the changes that the key needs.
using Known = std::map<std::string, std::optional<std::uint64_t>>;

std::optional<std::uint64_t> digest_without(const models::Algorithm& lock,
                                            const Situation& situation, const Changes& needed,
                                            Known& known) {
  const std::string name = fmt::format("{} {} {}", situation.faults,
                                       fmt::join(situation.changes, " "), fmt::join(needed, " "));
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  return known[name] = digest(lock, situation, needed);
}

Shown shown(const models::Algorithm& lock, const OptionKey& key, Known& known) {
  Shown shown;
  const auto listed = kNeeded.find(key.name);
  const Changes needed = listed == kNeeded.end() ? Changes{} : listed->second;
  for (const Situation& situation : situations_of(lock, key.name)) {
    const std::optional<std::uint64_t> without = digest_without(lock, situation, needed, known);
    if (!without) continue;
    for (const std::string& value : other_values(key)) {
      Changes with = needed;
      with.push_back(fmt::format("lock.{}={}", key.name, value));
      const std::optional<std::uint64_t> changed = digest(lock, situation, with);
      shown.accepted = shown.accepted || changed;
      if (changed && changed != without) return {true, true};
    }
  }
  return shown;
}

class OptionEffects : public ::testing::TestWithParam<const models::Algorithm*> {};

INSTANTIATE_TEST_SUITE_P(Catalogue, OptionEffects,
                         ::testing::ValuesIn(models::locks::all().begin(),
                                             models::locks::all().end()),
                         [](const auto& lock) {
                           return shipped::test_name(std::string(lock.param->name));
                         });

TEST_P(OptionEffects, AreShownBySomeRunForEveryKeyThatTheLockAccepts) {
  const models::Algorithm& lock = *GetParam();
  Known known;
  for (const OptionKey& key : lock.keys) {
    if (key.name.ends_with("_script")) continue;  // scenarios/script_files_test.cc
    const Shown of_key = shown(lock, key, known);
    EXPECT_TRUE(of_key.accepted) << key.name << " was never accepted";
    EXPECT_TRUE(of_key.has_effect) << key.name << " has no effect";
  }
}

}  // namespace
}  // namespace picklock::scenarios
