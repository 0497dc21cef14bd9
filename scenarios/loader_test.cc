#include "scenarios/loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include "models/lease_store/spec.h"
#include "models/locks/lease_store_lock.h"
#include "models/mysql/spec.h"
#include "models/redis/spec.h"
#include "models/servers/verbs.h"
#include "models/zookeeper/spec.h"
#include "scenarios/runner.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/writer.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;
using testing::error_from;
using testing::error_of;
using testing::head;
using testing::kPause;
using testing::with_fault;

// The line of the complete file on which this text begins.
int line_of(std::string_view text) {
  const std::string_view file = testing::kComplete;
  const std::string_view before = file.substr(0, file.find(text));
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

TEST(Loader, FillsInDefaults) {
  const Scenario scenario = testing::parsed("format = 1\nlock.algorithm = \"lua-check-delete\"\n");
  EXPECT_EQ(scenario.name, "story");
  EXPECT_EQ(scenario.file, "");
  EXPECT_EQ(scenario.seed, 1U);
  EXPECT_EQ(scenario.lock.options.ttl, 10s);
  EXPECT_EQ(scenario.clients.count, 3U);
  EXPECT_TRUE(scenario.faults.empty());
  EXPECT_TRUE(scenario.expect.violated.empty());
}

TEST(Loader, ReadsEveryKeyOutsideThePlan) {
  const Scenario s = testing::parsed(testing::kComplete);
  EXPECT_EQ(s.title, "everything");
  EXPECT_EQ(s.source, "failures.md A-02");
  EXPECT_TRUE(s.control);
  EXPECT_EQ(s.seed, 77U);
  EXPECT_EQ(s.ties, Ties::permuted);

  EXPECT_EQ(s.lock.algorithm, "set-px-check-delete");
  EXPECT_EQ(s.lock.key, "lock:1");
  EXPECT_EQ(s.lock.options.ttl, 1500ms);
  EXPECT_EQ(s.lock.options.retry_every, 250us);
  EXPECT_EQ(s.lock.options.retry_jitter, 10ns);
  EXPECT_EQ(s.lock.options.acquire_timeout, 2min);
  EXPECT_EQ(s.lock.options.command_timeout, 1h);
  EXPECT_EQ(s.lock.options.resend, 2U);
  EXPECT_EQ(s.lock.options.value, models::TokenPer::client);
  EXPECT_EQ(s.lock.options.renew, models::Renew::conditional);
  EXPECT_EQ(s.lock.options.renew_every, 2s);
  EXPECT_EQ(s.lock.options.recognise_own, models::RecogniseOwn::after_unknown);
  EXPECT_EQ(s.lock.options.wait_replicas, 2U);
  EXPECT_EQ(s.lock.options.wait_timeout, 3s);
  EXPECT_EQ(s.lock.options.check_at, models::CheckAt::replica);
  EXPECT_EQ(s.lock.options.attempts, 7U);
  EXPECT_EQ(s.lock.options.resend_delay, 11ms);
  EXPECT_EQ(s.lock.options.resend_delay_most, 12ms);
  EXPECT_EQ(s.lock.options.connections, 3U);
  EXPECT_TRUE(s.lock.options.keep_timed_out);
  EXPECT_EQ(s.lock.options.connects, models::Connects::at_start);
  EXPECT_EQ(s.lock.options.resubscribe_every, 13ms);
  EXPECT_EQ(s.lock.options.clock, ClientClock::wall);
  EXPECT_TRUE(s.lock.options.deadline);
  EXPECT_FALSE(s.lock.options.tell_loss);
  EXPECT_EQ(s.lock.options.local_mutex, models::LocalMutex::freed);

  const redis::Spec& redis = s.servers.of<redis::Spec>();
  EXPECT_EQ(redis.masters, 3U);
  EXPECT_EQ(redis.replicas, 2U);
  EXPECT_EQ(redis.sentinels, 3U);
  EXPECT_EQ(redis.sentinel.quorum, 1U);
  EXPECT_EQ(redis.sentinel.down_after, 5s);
  EXPECT_EQ(redis.sentinel.failover_timeout, 1min);
  EXPECT_EQ(redis.config, std::vector<std::string>{"min-replicas-to-write 1"});
  ASSERT_EQ(redis.nodes.size(), 1U);
  EXPECT_EQ(redis.nodes[0].name, "redis-2-replica-1");
  EXPECT_EQ(redis.nodes[0].clock_offset, 4s);
  EXPECT_EQ(redis.nodes[0].clock_rate_ppb, 300);
  EXPECT_EQ(redis.nodes[0].config,
            (std::vector<std::string>{"replica-priority 50", "maxmemory 100mb"}));
  EXPECT_EQ(redis.service, 20us);
  EXPECT_EQ(redis.clock_offset, -3s);
  EXPECT_EQ(redis.clock_rate_ppb, -200'000);
  EXPECT_EQ(redis.gc.every, 10s);
  EXPECT_EQ(redis.gc.low, 2ms);
  EXPECT_EQ(redis.gc.high, 4s);
  EXPECT_EQ(s.servers.resource.fencing, Fencing::ideal);
  EXPECT_EQ(s.servers.resource.service, 1ms);

  EXPECT_EQ(s.network.latency.low, 500us);
  EXPECT_EQ(s.network.latency.high, 2ms);
  EXPECT_EQ(s.network.latency.tail_one_in, 1000U);
  EXPECT_EQ(s.network.latency.tail_high, 1s);
  EXPECT_EQ(s.network.order, Order::any);
  EXPECT_EQ(s.network.priorities, 7u);
  EXPECT_EQ(s.network.priority_changes, (std::vector<std::uint64_t>{3, 20}));
  EXPECT_EQ(s.network.break_after, 15min);
  ASSERT_EQ(s.network.links.size(), 1U);
  const Link& link = s.network.links[0];
  EXPECT_EQ(link.from, "client-1");
  EXPECT_EQ(link.to, "redis-2");
  EXPECT_EQ(link.latency.low, 7ms);
  EXPECT_EQ(link.latency.high, 7ms);
  EXPECT_EQ(link.latency.tail_one_in, 9U);
  EXPECT_EQ(link.latency.tail_high, 8ms);
  EXPECT_FALSE(link.both);
  EXPECT_EQ(link.line, line_of("[[network.link]]\nfrom = \"client-1\""));

  EXPECT_EQ(s.clients.count, 4U);
  EXPECT_EQ(s.clients.arrive_every, 0s);
  EXPECT_EQ(s.clients.hold, 5s);
  EXPECT_EQ(s.clients.writes, 3U);
  EXPECT_EQ(s.clients.cycles, 20U);
  EXPECT_EQ(s.clients.think, 1s);
  EXPECT_EQ(s.clients.write_timeout, 2s);
  EXPECT_EQ(s.clients.threads, 2U);
  EXPECT_EQ(s.clients.threads_arrive_every, 18ms);
  EXPECT_EQ(s.clients.operators, 1U);
  EXPECT_EQ(s.clients.force, ForceUnlock::conditional);
  EXPECT_EQ(s.clients.server_order, ServerOrder::alternating);
  EXPECT_EQ(s.clients.scan_every, 19ms);
  EXPECT_EQ(s.clients.nested_after, 20ms);
  EXPECT_EQ(s.clients.nested_for, 21ms);
  EXPECT_EQ(s.clients.find_by, FindBy::monitors);
  EXPECT_TRUE(s.clients.check_before_write);
  EXPECT_TRUE(s.clients.nested);
  EXPECT_EQ(s.clients.progress, Progress::set_keepttl);
  EXPECT_EQ(s.clients.gc.every, 20s);
  EXPECT_EQ(s.clients.gc.low, 3ms);
  EXPECT_EQ(s.clients.gc.high, 5s);

  EXPECT_EQ(s.expect.violated, (std::vector{Property::own_release, Property::mutual_exclusion}));
  EXPECT_EQ(s.expect.longest_wait, std::pair(Duration(9s), Duration(11s)));
  EXPECT_EQ(s.expect.digest, 0xdeadbeefU);
  EXPECT_GT(s.expect.line, 0);
}

TEST(Loader, ReadsEveryKeyOfThePlan) {
  const Scenario s = testing::parsed(testing::kComplete);
  ASSERT_FALSE(s.faults.empty());
  const auto fault = [&](sim::Verb verb) {
    for (const sim::Fault& each : s.faults) {
      if (each.verb == verb) return each;
    }
    ADD_FAILURE() << "no " << verbs::name(verb);
    return sim::Fault{};
  };

  const sim::Fault pause = fault(sim::Verb::pause);
  EXPECT_EQ(pause.target, "client-1");
  EXPECT_EQ(pause.lasts, 8s);
  EXPECT_EQ(pause.line, line_of("[[fault]]\npause = \"client-1\""));
  EXPECT_EQ(pause.trigger.at, std::nullopt);
  EXPECT_EQ(pause.trigger.side, sim::Side::before);
  EXPECT_EQ(pause.trigger.role, Role::release);
  EXPECT_EQ(pause.trigger.phase, sim::Phase::sent);
  EXPECT_EQ(pause.trigger.nth, 2U);
  EXPECT_EQ(pause.trigger.by, "client-2");
  EXPECT_EQ(pause.trigger.on, "redis-1");
  EXPECT_EQ(pause.trigger.command, "DEL");

  const sim::Fault crash = fault(sim::Verb::crash);
  EXPECT_EQ(crash.trigger.side, sim::Side::after);
  EXPECT_EQ(crash.trigger.mark, "owner-checked");
  EXPECT_TRUE(crash.host);
  EXPECT_TRUE(crash.silent);
  EXPECT_EQ(crash.keeps, sim::Keeps::all);

  EXPECT_EQ(fault(sim::Verb::restart).trigger.at, sim::kStart + 3200ms);
  EXPECT_EQ(fault(sim::Verb::restart).lasts, std::nullopt);
  EXPECT_EQ(fault(sim::Verb::end_thread).trigger.phase, sim::Phase::replied);
  EXPECT_EQ(fault(sim::Verb::step_clock).step, -2s);
  EXPECT_EQ(fault(sim::Verb::set_clock_rate).rate_ppb, 10'000'000);
  const sim::Fault partition = fault(sim::Verb::partition);
  EXPECT_EQ(partition.from, (std::vector<std::string>{"redis-1", "redis-2"}));
  EXPECT_TRUE(partition.outbound);
  EXPECT_FALSE(partition.inbound);
  EXPECT_EQ(fault(sim::Verb::hold).trigger.role, Role::check);
  EXPECT_EQ(fault(sim::Verb::hold).trigger.phase, sim::Phase::applied);
  EXPECT_EQ(fault(sim::Verb::delay).target, "resource");
  EXPECT_EQ(fault(models::kEvict).key, "lock:2");
  EXPECT_EQ(fault(sim::Verb::slow).step, 5ms);
}

TEST(Loader, ReadsWhoTakesOver) {
  const sim::Fault fault = testing::parsed(testing::kFailOver).faults.at(0);
  EXPECT_EQ(fault.verb, models::kFailOver);
  EXPECT_EQ(fault.target, "redis-3");
  EXPECT_EQ(fault.to, "redis-3-replica-2");
  EXPECT_EQ(fault.lasts, 1s);
}

TEST(Loader, ReadsWhatBelongsToALeaseStore) {
  const Scenario s = testing::parsed(testing::kLeaseStore);
  EXPECT_EQ(s.lock.options.of<models::locks::LeaseStoreOptions>().lock_delay, 15s);
  EXPECT_EQ(s.servers.of<lease_store::Spec>().expire_after, 2U);
  EXPECT_EQ(s.servers.of<lease_store::Spec>().tick, 1s);
  EXPECT_EQ(s.servers.of<lease_store::Spec>().service, 30us);
  EXPECT_EQ(s.servers.of<lease_store::Spec>().clock_rate_ppb, 500);
  EXPECT_EQ(s.faults.at(0).verb, models::kKillSession);
  EXPECT_EQ(s.faults.at(1).target, "store");
}

TEST(Loader, ReadsWhatBelongsToAnEnsemble) {
  const Scenario s = testing::parsed(testing::kZooKeeper);
  const zookeeper::Spec& zookeeper = s.servers.of<zookeeper::Spec>();
  EXPECT_EQ(zookeeper.servers, 5U);
  EXPECT_EQ(zookeeper.tick, 1s);
  EXPECT_EQ(zookeeper.init_limit, 4U);
  EXPECT_EQ(zookeeper.sync_limit, 3U);
  EXPECT_EQ(zookeeper.fsync, 2ms);
  EXPECT_FALSE(zookeeper.force_sync);
  EXPECT_EQ(zookeeper.max_connections, 7U);
  EXPECT_TRUE(zookeeper.wall_clock_expiry);
  EXPECT_EQ(zookeeper.gc.every, 10s);
  EXPECT_EQ(s.faults.at(1).keeps, sim::Keeps::fsynced);
  EXPECT_EQ(s.faults.at(2).target, "zookeeper-2");
}

TEST(Loader, RefusesWhatMeansNothingToAnEnsemble) {
  const std::string lock = "format = 1\n[lock]\nalgorithm = \"zk-ephemeral\"\n";
  EXPECT_EQ(
      error_of(lock + "[servers.redis]\nmasters = 1\n"),
      "story.toml:4: key `servers.redis`: zk-ephemeral runs on ZooKeeper: see [servers.zookeeper]");
  EXPECT_EQ(error_of(lock + "[[fault]]\npause = \"zookeeper-4\"\nat = \"1s\"\nfor = \"1s\"\n"),
            "story.toml:5: key `fault.1.pause`: there is no zookeeper-4; the servers are "
            "zookeeper-1 to zookeeper-3");
  EXPECT_EQ(error_of(lock + "[[fault]]\nfail-over = \"zookeeper-1\"\nat = \"1s\"\n"),
            "story.toml:5: key `fault.1.fail-over`: not applicable to zookeeper-1: an ensemble "
            "elects its leader by itself: crash the leader instead");
  EXPECT_EQ(error_of(lock + "[[fault]]\nduplicate = \"client-1\"\nbefore = \"release.sent\"\nfor = "
                            "\"1s\"\n"),
            "story.toml:5: key `fault.1.duplicate`: a ZooKeeper client sends nothing a second "
            "time: only a step of `write` or `read` can be duplicated");
  EXPECT_EQ(error_of(lock + "[servers.resource]\nfencing = \"after\"\n"),
            "story.toml:5: key `servers.resource.fencing`: zk-ephemeral has no counter beside its "
            "key; use \"in-script\", which takes the zxid of each grant");
}

TEST(Loader, ReadsWhatBelongsToAMySqlServer) {
  const Scenario s = testing::parsed(testing::kMySql);
  const mysql::Spec& mysql = s.servers.of<mysql::Spec>();
  EXPECT_EQ(mysql.replicas, 2U);
  EXPECT_EQ(mysql.settings.variant, mysql::Variant::mysql);
  EXPECT_EQ(mysql.settings.isolation, mysql::Isolation::read_committed);
  EXPECT_EQ(mysql.settings.lock_wait_timeout, 40s);
  EXPECT_EQ(mysql.settings.wait_timeout, 600s);
  EXPECT_EQ(mysql.settings.keepalive, 60s);
  EXPECT_EQ(mysql.settings.fsync, 2ms);
  EXPECT_FALSE(mysql.settings.flush_at_commit);
  EXPECT_EQ(mysql.settings.promote_after, 5s);
  EXPECT_EQ(s.clients.effect, Effect::database);
  EXPECT_EQ(s.faults.at(1).to, "mysql-3");
}

TEST(Loader, RefusesWhatMeansNothingToAMySqlServer) {
  const std::string lock = "format = 1\n[lock]\nalgorithm = \"mysql-row-lock\"\n";
  EXPECT_EQ(
      error_of(lock + "[servers.zookeeper]\nservers = 1\n"),
      "story.toml:4: key `servers.zookeeper`: mysql-row-lock runs on MySQL: see [servers.mysql]");
  EXPECT_EQ(error_of(lock + "[[fault]]\nfail-over = \"mysql-1\"\nat = \"1s\"\n"),
            "story.toml:5: key `fault.1.fail-over`: mysql-1 has no replica to promote");
  EXPECT_EQ(error_of(lock + "[servers.mysql]\nreplicas = 1\n[[fault]]\nfail-over = \"mysql-2\"\n"
                            "at = \"1s\"\n"),
            "story.toml:7: key `fault.1.fail-over`: not applicable to mysql-2: only a primary can "
            "fail over to a replica");
  EXPECT_EQ(error_of(lock + "[clients]\neffect = \"database\"\n[servers.resource]\n"
                            "fencing = \"ideal\"\n"),
            "story.toml:5: key `clients.effect`: must be \"resource\": the resource is fenced, and "
            "\"database\" writes nothing to it");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n"
                     "[clients]\neffect = \"database\"\n"),
            "story.toml:5: key `clients.effect`: must be \"resource\": lua-check-delete keeps no "
            "database session open that could write");
}

TEST(Loader, KnowsACoordinatorWhereOneFreesTheLock) {
  const std::string lock = "format = 1\n[lock]\nalgorithm = \"zk-ephemeral\"\n";
  const std::string revoke = "[servers.resource]\nfencing = \"revoke\"\n";
  const std::string pause =
      "[[fault]]\npause = \"coordinator\"\nbefore = \"write.sent\"\nfor = \"1s\"\n";
  const Scenario s = testing::parsed(lock + "freed_by = \"coordinator\"\n" + revoke + pause);
  EXPECT_EQ(s.servers.resource.fencing, Fencing::revoke);
  EXPECT_EQ(s.faults[0].target, "coordinator");
  EXPECT_EQ(error_of(lock + revoke),
            "story.toml:5: key `servers.resource.fencing`: needs a coordinator that revokes "
            "access: use a lock on ZooKeeper with `freed_by = \"coordinator\"`");
  EXPECT_EQ(error_of(lock + pause),
            "story.toml:5: key `fault.1.pause`: there is no process \"coordinator\"; the processes "
            "are client-1 to client-3, zookeeper-1 to zookeeper-3, resource");
  EXPECT_EQ(error_of(lock + "freed_by = \"coordinator\"\n[[fault]]\nevict = \"coordinator\"\n"
                            "at = \"1s\"\n"),
            "story.toml:6: key `fault.1.evict`: not applicable to coordinator: only a Redis server "
            "evicts keys");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n"
                     "freed_by = \"coordinator\"\n"),
            "story.toml:4: key `lock.freed_by`: lua-check-delete does not use this key");
}

// A server that no client uses would seem to influence the result.
TEST(Loader, RefusesServersThatTheLockDoesNotLiveOn) {
  const std::string store = "format = 1\n[lock]\nalgorithm = \"lease-store-lock\"\n";
  EXPECT_EQ(error_of(store + "[servers.redis]\nmasters = 1\n"),
            "story.toml:4: key `servers.redis`: lease-store-lock runs on a lease store: see "
            "[servers.lease_store]");
  EXPECT_EQ(error_of(head() + "[servers.lease_store]\ntick = \"1s\"\n"),
            "story.toml:6: key `servers.lease_store`: set-px-check-delete runs on Redis: see "
            "[servers.redis]");
  EXPECT_EQ(error_of(store + "[[fault]]\npause = \"redis-1\"\nat = \"1s\"\nfor = \"1s\"\n"),
            "story.toml:5: key `fault.1.pause`: there is no process \"redis-1\"; the processes are "
            "client-1 to client-3, store, resource");
  EXPECT_EQ(error_of(with_fault("pause = \"store\"\nat = \"1s\"\nfor = \"1s\"\n")),
            "story.toml:7: key `fault.1.pause`: there is no process \"store\"; the processes are "
            "client-1 to client-3, redis-1, resource");
}

TEST(Loader, RefusesWhatMeansNothingToALeaseStore) {
  const std::string store = "format = 1\n[lock]\nalgorithm = \"lease-store-lock\"\n";
  EXPECT_EQ(error_of(store + "renew = \"blind\"\n"),
            "story.toml:4: key `lock.renew`: lease-store-lock does not use this key");
  EXPECT_EQ(error_of(store + "[servers.resource]\nfencing = \"after\"\n"),
            "story.toml:5: key `servers.resource.fencing`: lease-store-lock has no counter beside "
            "its key; use \"in-script\", which takes the revision of each grant");
  EXPECT_EQ(error_of(store + "[clients]\nprogress = \"set\"\n"),
            "story.toml:5: key `clients.progress`: must be \"none\": the key of lease-store-lock "
            "holds nothing but the lock");
  EXPECT_EQ(error_of(store + "[[fault]]\nrestart = \"store\"\nat = \"1s\"\nkeeps = \"none\"\n"),
            "story.toml:7: key `fault.1.keeps`: must be \"all\": a lease store forgets nothing");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\nlock_delay = "
                     "\"15s\"\n"),
            "story.toml:4: key `lock.lock_delay`: set-px-check-delete does not use this key");
}

TEST(Loader, ReadsTwinsAndNeighbours) {
  const Scenario s = testing::parsed(testing::kComplete);
  ASSERT_EQ(s.twins.size(), 2U);
  EXPECT_EQ(s.twins[0].changes.at(0).path, "fault.1.before");
  EXPECT_EQ(s.twins[0].changes.at(0).value, "\"check.sent\"");
  EXPECT_EQ(s.twins[0].expect.violated, std::vector{Property::not_stuck});
  EXPECT_EQ(s.twins[0].expect.longest_wait, std::pair(Duration(1s), Duration(1s)));
  EXPECT_EQ(s.twins[0].expect.digest, ~std::uint64_t{0});
  EXPECT_EQ(s.twins[1].changes.at(0).path, "network.latency");
  EXPECT_EQ(s.twins[1].changes.at(0).value, "[\"1ms\", \"2ms\"]");

  ASSERT_EQ(s.neighbours.size(), 1U);
  const Neighbour& neighbour = s.neighbours[0];
  EXPECT_EQ(neighbour.fault, 1U);
  EXPECT_EQ(neighbour.trigger.side, sim::Side::after);
  EXPECT_EQ(neighbour.trigger.phase, sim::Phase::applied);
  EXPECT_EQ(neighbour.trigger.command, "GET");
  EXPECT_EQ(neighbour.trigger.nth, 2U) << "as in the fault itself";
  EXPECT_EQ(neighbour.trigger.by, "client-2");
}

TEST(Loader, ReadsRatesDigitByDigit) {
  const auto rate = [](const std::string& text) {
    return testing::parsed(
               with_fault("set-clock-rate = \"redis-1\"\nat = \"1s\"\nrate = " + text + "\n"))
        .faults[0]
        .rate_ppb;
  };
  EXPECT_EQ(rate("1"), 0);
  EXPECT_EQ(rate("2"), 1'000'000'000);
  EXPECT_EQ(rate("1.01"), 10'000'000);
  EXPECT_EQ(rate("0.999999999"), -1);
  EXPECT_EQ(rate("1.000000001"), 1);
  EXPECT_EQ(rate("1e-3"), -999'000'000);
  EXPECT_EQ(rate("999.123456789"), 998'123'456'789);
  EXPECT_EQ(rate("1000.0"), 999'000'000'000);
}

TEST(Loader, WantsTheFormatFirst) {
  EXPECT_EQ(error_of(""),
            "story.toml:1: key `format`: is missing: a scenario file starts with `format = 1`");
  EXPECT_EQ(error_of("nonsense = 3\nformat = 2\n"),
            "story.toml:2: key `format`: must be 1, the only format that this program reads");
  EXPECT_EQ(error_of("format = \"1\"\n"),
            "story.toml:1: key `format`: must be a whole number, not text");
}

TEST(Loader, NamesTheLineThatIsNotToml) {
  EXPECT_EQ(error_of("format = 1\n[lock\n"),
            "story.toml:2: is not TOML: expected ']', saw the end of the line (in a table header)");
  EXPECT_EQ(error_of("format = 1\nformat = 1\n"), "story.toml:2: `format` is given twice");
  EXPECT_EQ(error_of(head() + "[lock]\nttl = \"3s\"\n"), "story.toml:6: `lock` is given twice");
  EXPECT_EQ(error_of("format = 1\ntitle = story\n"),
            "story.toml:2: is not TOML: this is not a value; text needs quotes");
  EXPECT_EQ(error_of("format = 1\ntitle = \"a story\n"),
            "story.toml:2: is not TOML: a text has no closing quote on its line, or has a control "
            "character");
  EXPECT_EQ(error_of("format = 1\nseed = 99999999999999999999\n"),
            "story.toml:2: is not TOML: '99999999999999999999' is not representable in 64 bits (in "
            "a decimal integer)");
  EXPECT_EQ(error_of("format = 1\ntitle = \n"),
            "story.toml:2: is not TOML: expected value, saw the end of the line (in a key-value "
            "pair)");
  EXPECT_EQ(error_of("\xff\xfe" + std::string("f\0o\0", 4)),
            "story.toml:1: is not TOML: the file is not UTF-8 text");
  EXPECT_EQ(error_of("\xef\xbb\xbf"
                     "format = 2\r\n"),
            "story.toml:1: key `format`: must be 1, the only format that this program reads")
      << "a byte order mark and CRLF are TOML";
  EXPECT_EQ(error_of(std::string("format = 1\n\0", 12)),
            "story.toml:2: is not TOML: expected keys, tables, whitespace or comments, saw "
            "'\\u0000' (in a root table)");
}

TEST(Loader, NamesTheNearestKeyWhenOneIsUnknown) {
  EXPECT_EQ(error_of(head() + "hodl = \"3s\"\n"),
            "story.toml:6: key `clients.hodl`: there is no such key; did you mean `clients.hold`?");
  EXPECT_EQ(error_of(head() + "[lokc]\nttl = \"3s\"\n"),
            "story.toml:6: key `lokc`: there is no such key; did you mean `lock`?");
  EXPECT_EQ(
      error_of(with_fault("pase = \"client-1\"\n")),
      "story.toml:7: key `fault.1.pase`: there is no such key; did you mean `fault.1.pause`?");
  EXPECT_EQ(
      error_of(head() + "\"gc.every\" = \"3s\"\n"),
      "story.toml:6: key `clients.gc.every`: there is no such key; docs/scenario-format.md lists "
      "them all");
}

TEST(Loader, EscapesAndCutsWhatTheFileSays) {
  EXPECT_EQ(error_of("format = 1\n\"a\\n\\u001b\" = 1\n"),
            "story.toml:2: key `a\\n\\x1b`: there is no such key; the keys here are "
            "format, title, source, control, seed, ties, lock, servers, network, clients, client, "
            "fault, expect, twin, neighbour, complete");
  EXPECT_EQ(error_of("format = 1\n" + std::string(1000, 'k') + " = 1\n"),
            "story.toml:2: key `" + std::string(100, 'k') +
                "...`: there is no such key; the keys here are format, title, source, control, "
                "seed, ties, "
                "lock, servers, network, clients, client, fault, expect, twin, neighbour, "
                "complete");
  EXPECT_EQ(error_of("format = 1\nlock.algorithm = 'lua-check-delete'\n[complete]\nplans = 3\n"),
            "story.toml:3: key `complete.faults`: must be given");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"" + std::string(1000, 'k') + "\"\n"),
            "story.toml:3: key `lock.algorithm`: there is no algorithm \"" + std::string(60, 'k') +
                "...\"; `picklock list algorithms` lists them all");
}

TEST(Loader, NamesTheTypeItWants) {
  EXPECT_EQ(
      error_of(head() + "hold = 3\n"),
      "story.toml:6: key `clients.hold`: must be a duration in quotes, such as \"1.5s\", not a "
      "whole number");
  EXPECT_EQ(
      error_of(head() + "think = 2020-01-01\n"),
      "story.toml:6: key `clients.think`: must be a duration in quotes, such as \"1.5s\", not a "
      "date or time");
  EXPECT_EQ(error_of(head() + "writes = 1.0\n"),
            "story.toml:6: key `clients.writes`: must be a whole number, not a number with a "
            "decimal point");
  EXPECT_EQ(error_of("control = \"yes\"\n" + head()),
            "story.toml:1: key `control`: must be true or false, not text");
  EXPECT_EQ(error_of("title = true\n" + head()),
            "story.toml:1: key `title`: must be text in quotes, not true or false");
  EXPECT_EQ(error_of("title = \"\"\n" + head()), "story.toml:1: key `title`: must not be empty");
  EXPECT_EQ(error_of("format = 1\nlock = 3\n"),
            "story.toml:2: key `lock`: must be a table, not a whole number");
  EXPECT_EQ(
      error_of("format = 1\n[fault]\npause = \"client-1\"\n"),
      "story.toml:2: key `fault`: must be an array of tables: write [[fault]] before each of them");
  EXPECT_EQ(error_of("format = 1\nfault = [1]\n"),
            "story.toml:2: key `fault.1`: must be a table, not a whole number");
}

TEST(Loader, KeepsNumbersAndTimesWithinBounds) {
  const std::string lock = "format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n";
  EXPECT_EQ(error_of(lock + "ttl = \"-10s\"\n"),
            "story.toml:4: key `lock.ttl`: must not be negative, but is \"-10s\"");
  EXPECT_EQ(error_of(lock + "ttl = \"0s\"\n"),
            "story.toml:4: key `lock.ttl`: must be more than 0s, not \"0s\"");
  EXPECT_EQ(error_of(lock + "retry_jitter = \"-1ns\"\n"),
            "story.toml:4: key `lock.retry_jitter`: must not be negative, but is \"-1ns\"");
  EXPECT_EQ(
      error_of(lock + "ttl = \"101years\"\n"),
      "story.toml:4: key `lock.ttl`: must be a duration such as \"1.5s\", not \"101years\"; the "
      "units are ns, us, ms, s, m, h");
  EXPECT_EQ(error_of(lock + "ttl = \"10\"\n"),
            "story.toml:4: key `lock.ttl`: must have a unit, as in \"10s\", not \"10\"; the units "
            "are ns, us, ms, s, m, h");
  EXPECT_EQ(error_of(lock + "ttl = \"10 sec\"\n"),
            "story.toml:4: key `lock.ttl`: must be a duration such as \"1.5s\", not \"10 sec\"; "
            "did you mean `10s`?");
  EXPECT_EQ(error_of(lock + "[clients]\ncount = 0\n"),
            "story.toml:5: key `clients.count`: must be from 1 to 100000, not 0");
  EXPECT_EQ(
      error_of(lock + "[clients]\ncount = 100000\n"),
      "story.toml:5: key `clients.count`: makes 100000 threads of clients, more than a run can "
      "have, which is 4000");
  EXPECT_EQ(
      error_of(lock + "[clients]\ncount = 201\nthreads = 100\n"),
      "story.toml:6: key `clients.threads`: makes 20100 threads of clients, more than a run can "
      "have, which is 4000");
  EXPECT_EQ(error_of(lock + "[clients]\ncount = 1000000000000\n"),
            "story.toml:5: key `clients.count`: must be from 1 to 100000, not 1000000000000");
  EXPECT_EQ(error_of(lock + "[clients.gc]\nlow = \"2s\"\n"),
            "story.toml:4: key `clients.gc.high`: is 1s, less than `low`, which is 2s");
  EXPECT_EQ(error_of(lock + "[network]\nlatency = [\"2ms\", \"1ms\"]\n"),
            "story.toml:5: key `network.latency`: the maximum is less than the minimum");
  EXPECT_EQ(error_of(lock + "[network]\ntail_one_in = 100\n"),
            "story.toml:4: key `network.tail_high`: is 0s, less than the ordinary latency, which "
            "is up to 0.0005s");
  std::string many = head();
  for (int i = 0; i < 1001; ++i) many += "[[fault]]\n";
  EXPECT_EQ(
      error_of(many),
      "story.toml:1006: key `fault.1001`: is one too many: a file may have at most 1000 of these");
}

TEST(Loader, KnowsTheAlgorithms) {
  EXPECT_EQ(error_of("format = 1\n"),
            "story.toml:1: key `lock.algorithm`: must be given; `picklock list algorithms` lists "
            "them all");
  EXPECT_EQ(error_of("format = 1\n[lock]\nttl = \"3s\"\n"),
            "story.toml:2: key `lock.algorithm`: must be given; `picklock list algorithms` lists "
            "them all");
  EXPECT_EQ(
      error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delet\"\n"),
      "story.toml:3: key `lock.algorithm`: there is no algorithm \"lua-check-delet\"; did you mean "
      "`lua-check-delete`?");
}

TEST(Loader, ReadsARedisCluster) {
  const Scenario s = testing::parsed(testing::kCluster);
  EXPECT_TRUE(s.servers.of<redis::Spec>().relative_expiry);
  EXPECT_TRUE(s.servers.of<redis::Spec>().cluster.enabled);
  EXPECT_EQ(s.servers.of<redis::Spec>().cluster.first_map, redis::FirstMap::none);
}

TEST(Loader, RefusesARedisClusterThatCannotWork) {
  const auto redis = [](const std::string& keys) {
    return "format = 1\nlock.algorithm = 'lua-check-delete'\n[servers.redis]\n" + keys;
  };
  EXPECT_EQ(error_of(redis("masters = 3\nreplicas = 1\nsentinels = 3\n[servers.redis.cluster]\n"
                           "enabled = true\n")),
            "story.toml:6: key `servers.redis.sentinels`: must be 0: the nodes of a Redis Cluster "
            "watch each other");
  EXPECT_EQ(
      error_of(redis("[servers.redis.cluster]\nfirst_map = 'none'\n")),
      "story.toml:5: key `servers.redis.cluster.first_map`: has no effect unless `enabled` is "
      "true");
}

// Line 6 on, before the faults.
std::string error_of_redis(const std::string& redis, const std::string& fault = {}) {
  return error_of(head() + "[servers.redis]\n" + redis + fault);
}

TEST(Loader, SaysWhyAPrimaryCannotFailOver) {
  const std::string fail_over = "[[fault]]\nfail-over = \"redis-1\"\nat = \"3s\"\n";
  EXPECT_EQ(error_of(head() + fail_over),
            "story.toml:7: key `fault.1.fail-over`: redis-1 has no replica to promote");
  EXPECT_EQ(error_of_redis("replicas = 1\nsentinels = 1\n", fail_over),
            "story.toml:10: key `fault.1.fail-over`: redis-1 has Sentinels, which alone decide on "
            "a failover: crash its host instead");
  EXPECT_EQ(error_of_redis("replicas = 1\n", fail_over + fail_over),
            "story.toml:12: key `fault.2.fail-over`: redis-1 has already failed over by then and "
            "stays down");
  EXPECT_EQ(error_of_redis("replicas = 1\n", fail_over + "to = \"client-1\"\n"),
            "story.toml:11: key `fault.1.to`: must be a replica of redis-1, not client-1");
  EXPECT_EQ(error_of_redis("replicas = 1\n",
                           "[[fault]]\nfail-over = \"redis-1-replica-1\"\nat = \"3s\"\n"),
            "story.toml:9: key `fault.1.fail-over`: not applicable to redis-1-replica-1: only a "
            "primary can fail over to a replica");
}

TEST(Loader, KnowsWhichReplicasAndSentinelsThereAre) {
  const auto paused = [](const std::string& who) {
    return "[[fault]]\npause = \"" + who + "\"\nat = \"3s\"\nfor = \"1s\"\n";
  };
  EXPECT_EQ(error_of_redis("replicas = 1\nsentinels = 3\n", paused("redis-1-sentinel-3")), "loads");
  EXPECT_EQ(error_of_redis("replicas = 2\n", paused("redis-1-replica-3")),
            "story.toml:9: key `fault.1.pause`: there is no redis-1-replica-3; the replicas "
            "are redis-1-replica-1 to redis-1-replica-2");
  EXPECT_EQ(error_of_redis("replicas = 2\n", paused("redis-1-sentinel-1")),
            "story.toml:9: key `fault.1.pause`: there is no redis-1-sentinel-1: there are no "
            "Sentinels");
  EXPECT_EQ(error_of_redis("replicas = 1\n", paused("redis-1-replca-1")),
            "story.toml:9: key `fault.1.pause`: there is no process \"redis-1-replca-1\"; did you "
            "mean `redis-1-replica-1`?");
}

TEST(Loader, ReadsRedisConfAsTheServerWould) {
  EXPECT_EQ(error_of_redis("config = [\"min-replicas-to-write 1\", \"min-slaves 1\"]\n"),
            "story.toml:7: key `servers.redis.config.2`: redis.conf has no parameter "
            "\"min-slaves\"; did you mean `min-slaves-max-lag`?");
  EXPECT_EQ(error_of_redis("config = [\"maxmemori 1mb\"]\n"),
            "story.toml:7: key `servers.redis.config.1`: redis.conf has no parameter "
            "\"maxmemori\"; did you mean `maxmemory`?");
  EXPECT_EQ(error_of_redis("config = [\"maxmemory plenty\"]\n"),
            "story.toml:7: key `servers.redis.config.1`: Redis refuses it: ERR CONFIG SET failed "
            "(possibly related "
            "to argument 'maxmemory') - argument must be a memory value");
}

// redis.conf would add one `save` to another; here one line has them all.
TEST(Loader, TakesEachParameterOfRedisConfOnce) {
  EXPECT_EQ(error_of_redis("config = [\"save 60 1\", \"save 10 100\"]\n"),
            "story.toml:7: key `servers.redis.config.2`: save is given twice");
  EXPECT_EQ(error_of_redis("config = [\"appendonly yes\"]\n"
                           "node = [{ name = \"redis-1\", config = [\"appendonly no\"] }]\n"),
            "loads");
}

TEST(Loader, RefusesSettingsThatNobodyCouldMeet) {
  EXPECT_EQ(error_of_redis("sentinels = 3\n"),
            "story.toml:7: key `servers.redis.sentinels`: must be 0: a primary without replicas "
            "has nothing that Sentinels could promote");
  EXPECT_EQ(error_of_redis("replicas = 1\nsentinels = 3\nsentinel.quorum = 4\n"),
            "story.toml:9: key `servers.redis.sentinel.quorum`: must be at most 3, the number of "
            "Sentinels: otherwise no server is ever found down");
  EXPECT_EQ(error_of_redis("replicas = 1\nnode = [{ name = \"resource\" }]\n"),
            "story.toml:8: key `servers.redis.node.1.name`: must be a Redis server or Sentinel, "
            "not resource");
  EXPECT_EQ(error_of_redis("node = [{ name = \"redis-1\" }, { name = \"redis-1\" }]\n"),
            "story.toml:7: key `servers.redis.node.2.name`: redis-1 is described twice");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\n"
                     "wait_replicas = 1\n"),
            "story.toml:4: key `lock.wait_replicas`: must be at most 0, the number of replicas: "
            "otherwise no acquire could succeed");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\n"
                     "quorum = 9\n"),
            "story.toml:4: key `lock.quorum`: must be at most 1, the number of servers: otherwise "
            "no acquire could succeed");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\n"
                     "quorum = 4\n[servers.redis]\nmasters = 3\n"),
            "story.toml:4: key `lock.quorum`: must be at most 3, the number of servers: otherwise "
            "no acquire could succeed");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"set-px-check-delete\"\n"
                     "check_at = \"replica\"\n"),
            "story.toml:4: key `lock.check_at`: there is no replica; set `servers.redis.replicas`");
  EXPECT_EQ(error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n"
                     "check_at = \"replica\"\n[servers.redis]\nreplicas = 1\n"),
            "story.toml:4: key `lock.check_at`: lua-check-delete never checks whether it still "
            "holds the lock");
  EXPECT_EQ(
      error_of("format = 1\n[lock]\nalgorithm = \"lua-check-delete\"\n"
               "[clients]\ncheck_before_write = true\nfind_by = \"sentinel\"\n"),
      "story.toml:6: key `clients.find_by`: there are no Sentinels; set `servers.redis.sentinels`");
}

TEST(Loader, RefusesServersThatTheLockNeverSpeaksTo) {
  EXPECT_EQ(
      error_of("format = 1\n[lock]\nalgorithm = \"set-px-blind-delete\"\n"
               "[servers.redis]\nmasters = 2\n"),
      "story.toml:5: key `servers.redis.masters`: must be 1: set-px-blind-delete uses one server");
}

TEST(Loader, ChecksExpectations) {
  EXPECT_EQ(error_of(head() + "[expect]\nviolated = [\"own-relase\"]\n"),
            fmt::format("story.toml:7: key `expect.violated.1`: \"own-relase\" is not one of {}; "
                        "did you mean `own-release`?",
                        fmt::join(kPropertyNames, ", ")));
  EXPECT_EQ(error_of(head() + "[expect]\nviolated = [\"not-stuck\", \"not-stuck\"]\n"),
            "story.toml:7: key `expect.violated.2`: this property is listed twice");
  EXPECT_EQ(error_of(head() + "[expect]\nviolated = \"not-stuck\"\n"),
            "story.toml:7: key `expect.violated`: must be an array in square brackets, not text");
  for (const char* wait : {"[\"3s\"]", "\"3s\""}) {
    EXPECT_EQ(error_of(head() + "[expect]\nlongest_wait = " + wait + "\n"),
              "story.toml:7: key `expect.longest_wait`: must be two durations, the minimum and the "
              "maximum, such as [\"9s\", \"11s\"]");
  }
  EXPECT_EQ(error_of(head() + "[expect]\nlongest_wait = [\"3s\", \"2s\"]\n"),
            "story.toml:7: key `expect.longest_wait`: the maximum is less than the minimum");
  EXPECT_EQ(
      error_of(head() + "[expect]\ndigest = \"0x00000000000000\"\n"),
      "story.toml:7: key `expect.digest`: must be 16 hexadecimal digits, not \"0x00000000000000\"");
}

TEST(Loader, ATwinMayChangeSeveralKeysThatBelongTogether) {
  const Document document(
      "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n[[twin]]\n"
      "lock.algorithm = 'redlock'\nlock.validity = 'never'\nservers.redis.masters = 5\n"
      "seed = 3\nviolated = []\n",
      "story.toml");
  const Scenario scenario = document.scenario(shipped_vocabulary());
  ASSERT_EQ(scenario.twins.size(), 1U);
  EXPECT_EQ(in_words(scenario.twins[0].changes),
            "lock.algorithm = \"redlock\", lock.validity = \"never\", servers.redis.masters = 5, "
            "seed = 3");
  const Scenario twin = document.twin(0, shipped_vocabulary());
  EXPECT_EQ(twin.lock.algorithm, "redlock");
  EXPECT_EQ(twin.seed, 3U);
  EXPECT_EQ(primaries(twin), 5U);
  EXPECT_EQ(file_text(scenario),
            file_text(parse(file_text(scenario), "story.toml", shipped_vocabulary())));
}

TEST(Loader, ATwinIsToldInShortWords) {
  const auto words = [](const std::string& change) {
    const Document document(
        "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n[[fault]]\nset-clock-rate = "
        "'client-1'\n"
        "rate = 1.1\nat = '1s'\n[[twin]]\nviolated = []\n" +
            change,
        "story.toml");
    return in_words(document.scenario(shipped_vocabulary()).twins.at(0).changes);
  };
  EXPECT_EQ(words("fault.1.rate = 0.9\n"), "fault.1.rate = 0.9");
  EXPECT_EQ(words("fault.1.rate = 2.0\n"), "fault.1.rate = 2.0");
  EXPECT_EQ(words("lock.release_script.lua = \"\\nlocal one = 1\\nreturn one\\n\"\n"),
            "lock.release_script.lua = \"local one = 1 ...\"");
  EXPECT_EQ(words("lock.release_script.lua = \"return 1\"\n"),
            "lock.release_script.lua = \"return 1\"");
}

TEST(Loader, ChecksTwinsAndNeighbours) {
  EXPECT_EQ(error_of(head() + "[[twin]]\nlock.algorithm = \"lua\"\n"),
            "story.toml:6: key `lock.algorithm`: there is no algorithm \"lua\"; did you mean "
            "`lua-check-delete`? (in the twin of line 6)");
  EXPECT_EQ(
      error_of(head() + "[[twin]]\nlock.ttl = \"-3s\"\n"),
      "story.toml:6: key `lock.ttl`: must not be negative, but is \"-3s\" (in the twin of line 6)");
  EXPECT_EQ(error_of(head() + "[[twin]]\nviolated = []\n"),
            "story.toml:6: key `twin.1`: a twin must change a key, such as `lock.algorithm`; "
            "this one changes none");
  EXPECT_EQ(error_of(head() + "[[twin]]\nlock.ttl = \"3s\"\nlock.key = 3\n"),
            "story.toml:6: key `lock.key`: must be text in quotes, not a whole number (in the "
            "twin of line 6)");
  EXPECT_EQ(error_of(head() + "[[twin]]\nlok.ttl = \"3s\"\n"),
            "story.toml:7: key `twin.1.lok`: there is no such key; did you mean `lock`?");
  EXPECT_EQ(error_of(head() + "[[twin]]\nexpect.violated = []\n"),
            "story.toml:7: key `twin.1.expect`: a twin cannot change this key; it can only change "
            "what the run itself uses");
  EXPECT_EQ(
      error_of(head() + "[[twin]]\nfault.2.for = \"3s\"\n"),
      "story.toml:6: key `fault.2.for`: there is no `fault` to change (in the twin of line 6)");
  EXPECT_EQ(
      error_of(with_fault(kPause + "before = \"check.sent\"\n[[twin]]\n"
                                   "lock.algorithm = \"lua-check-delete\"\n")),
      "story.toml:9: key `fault.1.before`: lua-check-delete has no step \"check\"; it has acquire, "
      "release, write (in the twin of line 10)");
  EXPECT_EQ(error_of(head() + "[[neighbour]]\nbefore = \"write.sent\"\n"),
            "story.toml:6: key `neighbour.1`: there is no fault 1; the file has 0");
  EXPECT_EQ(error_of(with_fault("drop = \"client-1\"\nbefore = \"check.sent\"\n[[neighbour]]\n"
                                "fault = 1\nafter = \"check.replied\"\n")),
            "story.toml:11: key `neighbour.1.after`: is too late for `drop`: the reply has arrived "
            "by then; \"sent\" means the request and \"applied\" the reply");
}

TEST(Loader, BoundsSizeAndDepthBeforeItParses) {
  EXPECT_EQ(error_of(std::string(10'000'000, 'x')), "story.toml: is larger than 1 MiB");
  EXPECT_EQ(error_of("a = " + std::string(100'000, '[')),
            "story.toml:1: is nested more than 16 levels deep");
  std::string dots = "a";
  for (int i = 0; i < 100'000; ++i) dots += ".a";
  EXPECT_EQ(error_of(dots + " = 1\n"), "story.toml:1: is nested more than 16 levels deep");
  EXPECT_EQ(error_of("format = 1\n[" + dots + "]\n"),
            "story.toml:2: is nested more than 16 levels deep");
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "picklock-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string error_loading(const std::string& name) const {
    return error_from([&] { load(path(name), testing::vocabulary()); });
  }
  std::string error_finding(const std::string& word) const {
    return error_from([&] { find_scenario(word, folder_.string()); });
  }

  std::filesystem::path folder_;
};

TEST_F(Files, AreLoadedWithTheirName) {
  write("my-story.toml", testing::kComplete);
  const Scenario scenario = load(path("my-story.toml"), testing::vocabulary());
  EXPECT_EQ(scenario.name, "my-story");
  EXPECT_EQ(scenario.file, path("my-story.toml"));
}

TEST_F(Files, ThatCannotBeReadAreRefused) {
  EXPECT_EQ(error_loading("none.toml"), path("none.toml") + ": there is no such file");
  EXPECT_EQ(error_loading(""), path("") + ": is a directory, not a scenario file");
  EXPECT_EQ(error_from([] { load("/dev/null", testing::vocabulary()); }),
            "/dev/null: is not a regular file");
  write("big.toml", std::string(10'000'000, '#'));
  EXPECT_EQ(error_loading("big.toml"), path("big.toml") + ": is larger than 1 MiB");
  write("x\n.toml", "");
  EXPECT_EQ(
      error_loading("x\n.toml"),
      path("x\\n.toml") + ":1: key `format`: is missing: a scenario file starts with `format = 1`");
}

TEST_F(Files, CanBePipes) {
  ASSERT_EQ(mkfifo(path("pipe.toml").c_str(), 0600), 0);
  std::thread writer([this] { write("pipe.toml", testing::kComplete); });
  const Scenario scenario = load(path("pipe.toml"), testing::vocabulary());
  writer.join();
  EXPECT_EQ(scenario.name, "pipe");
  EXPECT_EQ(scenario.file, "") << "there is no file with its text";
}

TEST_F(Files, WithoutPermissionAreRefused) {
  write("secret.toml", testing::kComplete);
  ASSERT_EQ(chmod(path("secret.toml").c_str(), 0), 0);
  if (std::ifstream(path("secret.toml"))) GTEST_SKIP() << "this user may read everything";
  EXPECT_EQ(error_loading("secret.toml"),
            path("secret.toml") + ": cannot be read: Permission denied");
}

TEST_F(Files, AreFoundByPathOrByShippedName) {
  write("gc-pause.toml", "");
  EXPECT_EQ(find_scenario(path("gc-pause.toml"), "/nowhere"), path("gc-pause.toml"));
  EXPECT_EQ(find_scenario("gc-pause", folder_.string()), path("gc-pause.toml"));
}

TEST_F(Files, AreFoundByNameInTheFolderOfTheirFamily) {
  std::filesystem::create_directories(path("redis"));
  write("redis/gc-pause.toml", "");
  EXPECT_EQ(find_scenario("gc-pause", folder_.string()), path("redis/gc-pause.toml"));
}

TEST_F(Files, ThatAreNotFoundHaveANearestName) {
  EXPECT_EQ(error_finding("gc-pase"),
            "gc-pase: there is no such file, and there are no shipped scenarios in " +
                folder_.string() + "; set PICKLOCK_SCENARIO_PATH to their folder");
  write("gc-pause.toml", "");
  write("lost-reply.toml", "");
  write("notes.txt", "");
  const std::string line =
      ": there is no such file and no shipped scenario of that name; did you mean `";
  EXPECT_EQ(error_finding("gc-pase"), "gc-pase" + line + "gc-pause`?");
  EXPECT_EQ(error_finding("elsewhere/lost-repl.toml"),
            "elsewhere/lost-repl.toml" + line + "lost-reply`?");
  const std::string hint =
      ": there is no such file and no shipped scenario of that name; `picklock list scenarios` "
      "lists them all";
  EXPECT_EQ(error_finding("x\n"), "x\\n" + hint);
  EXPECT_EQ(error_finding(""), hint);
}

TEST_F(Files, OfALockAreFoundByItsName) {
  std::filesystem::create_directories(path("plain"));
  write("plain/redis-lock.toml", "");
  write("redis-clock.toml", "");
  const std::string line =
      ": there is no such file and no shipped scenario of that name; did you mean `";
  EXPECT_EQ(error_finding("redis-lock"), "redis-lock" + line + "plain/redis-lock`?");
  EXPECT_EQ(error_finding("plain/redis-loc"), "plain/redis-loc" + line + "plain/redis-lock`?");
  EXPECT_EQ(error_finding("redis-clok"), "redis-clok" + line + "redis-clock`?");
}

TEST(Loader, RefusesOptionsThatTheLockDoesNotLookAt) {
  const auto error_with = [](const std::string& lock, const std::string& line) {
    return error_of("format = 1\nlock.algorithm = \"" + lock + "\"\nlock." + line + "\n");
  };
  EXPECT_EQ(error_with("lua-check-delete", "renew = \"blind\""),
            "story.toml:3: key `lock.renew`: lua-check-delete does not use this key");
  EXPECT_EQ(error_with("set-px-blind-delete", "recognise_own = \"always\""),
            "story.toml:3: key `lock.recognise_own`: set-px-blind-delete does not use this key");
  EXPECT_EQ(error_with("lua-check-delete", "ttl = \"500us\""),
            "story.toml:3: key `lock.ttl`: must be a multiple of 1ms, the unit of a lease "
            "of lua-check-delete, not 500us");
  EXPECT_EQ(error_with("set-px-blind-delete", "ttl = \"1500ms\""),
            "story.toml:3: key `lock.ttl`: must be a multiple of 1s, the unit of a lease of "
            "set-px-blind-delete, not 1500ms");
}

TEST(Loader, RefusesATokenOfTheGrantFromALockThatCannotMintOne) {
  const std::string fencing = "[servers.resource]\nfencing = \"in-script\"\n";
  EXPECT_EQ(error_of(head() + fencing),
            "story.toml:7: key `servers.resource.fencing`: what set-px-check-delete sends to take "
            "its lock mints no token; use \"none\", \"after\" or \"ideal\"");
  EXPECT_EQ(error_of("format = 1\nlock.algorithm = \"lua-check-delete\"\n" + fencing), "loads");
}

}  // namespace
}  // namespace picklock::scenarios
