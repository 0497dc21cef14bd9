#include "scenarios/setup.h"

#include <gtest/gtest.h>

#include <chrono>

#include "scenarios/bounds.h"
#include "scenarios/document.h"
#include "scenarios/keys.h"
#include "scenarios/premise.h"
#include "scenarios/runner.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using namespace std::chrono_literals;

const std::string kLua = "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n";
const std::string kRedlock =
    "format = 1\n[lock]\nalgorithm = 'redlock'\n[servers.redis]\nmasters = 5\n";

Scenario loaded(const std::string& text) { return parse(text, "a", shipped_vocabulary()); }

std::string error_of_setup(const std::string& text) {
  return testing::error_from([&] { parse(text, "a.toml", shipped_vocabulary()); });
}

TEST(Setup, OfOneClientHasItsOwnValuesAndThoseOfAll) {
  const Scenario scenario =
      loaded(kLua +
             "ttl = '8s'\n[clients]\nhold = '3s'\ncycles = 2\nthink = '1s'\n[[client]]\n"
             "name = 'client-2'\nhold = '6s'\nlock.retry_every = '1s'\n");
  ASSERT_EQ(setups(scenario).size(), 2U);
  EXPECT_EQ(unlike(scenario, 0), nullptr);
  const auto own = setup_of(scenario, *unlike(scenario, 1));
  EXPECT_EQ(own.clients.hold, 6s);
  EXPECT_EQ(own.clients.think, 1s);
  EXPECT_EQ(own.lock.options.ttl, 8s);
  EXPECT_EQ(own.lock.options.retry_every, 1s);
}

// A shrinker changes the values of all clients.
TEST(Setup, OfOneClientFollowsTheOthersInEveryOtherKey) {
  Scenario scenario = loaded(kLua + "[[client]]\nname = 'client-1'\nhold = '6s'\n");
  scenario.clients.think = 9s;
  scenario.clients.hold = 1s;
  scenario.lock.options.ttl = 7s;
  const auto own = setup_of(scenario, scenario.unlike[0]);
  EXPECT_EQ(own.clients.think, 9s);
  EXPECT_EQ(own.clients.hold, 6s);
  EXPECT_EQ(own.lock.options.ttl, 7s);
}

TEST(Setup, WithAnotherLockKeepsTheKeysThatBothHave) {
  const Scenario scenario =
      loaded(kLua +
             "renew = 'conditional'\ncommand_timeout = '9s'\n[[client]]\nname = 'client-1'\n"
             "lock.algorithm = 'naive-setnx'\nlock.retry_every = '2s'\n");
  const auto own = setup_of(scenario, scenario.unlike[0]);
  EXPECT_EQ(own.lock.algorithm, "naive-setnx");
  EXPECT_EQ(own.lock.key, scenario.lock.key);
  EXPECT_EQ(own.lock.options.command_timeout, 9s);
  EXPECT_EQ(own.lock.options.retry_every, 2s);
  EXPECT_EQ(own.lock.options.ttl, own.lock.preset.ttl);
  EXPECT_EQ(own.lock.options.renew, models::Renew::none) << "this lock has no such key";
}

TEST(Setup, HasEveryKeyOfTheCommonTables) {
  for (const auto& key : clients_keys()) EXPECT_TRUE(key.copy) << key.name;
  for (const auto& key : lock_keys()) EXPECT_TRUE(key.copy) << key.name;
}

TEST(Setup, OfAClientIsBoundedByTheLongestOfThem) {
  const std::string more = "[[client]]\nname = 'client-3'\nlock.ttl = '50s'\n";
  EXPECT_EQ(recovery_bound(loaded(kLua + more)), recovery_bound(loaded(kLua + "ttl = '50s'\n")));
  const std::string leases = "[clients]\nleases = ['1s', '50s']\n";
  EXPECT_EQ(recovery_bound(loaded(kLua + leases)), recovery_bound(loaded(kLua + "ttl = '50s'\n")));
}

TEST(Setup, CountsTheQuorumOfTheServersThatAClientKnows) {
  const Scenario scenario = loaded(
      kRedlock + "[[client]]\nname = 'client-1'\nservers = ['redis-5', 'redis-1', 'redis-2']\n");
  EXPECT_EQ(quorum_of(scenario, common_setup(scenario)), 3U);
  EXPECT_EQ(quorum_of(scenario, setup_of(scenario, scenario.unlike[0])), 2U);
  EXPECT_FALSE(share_one_lock(scenario));
}

TEST(Setup, OfTheUserBreaksThePremisesOfTheLock) {
  const auto broken = [](const std::string& own) {
    const Scenario scenario = loaded(kLua + "[[client]]\nname = 'client-2'\n" + own);
    return part_not_kept("", scenario, {});
  };
  EXPECT_EQ(broken("hold = '1s'\n"), "");
  EXPECT_EQ(broken("lock.ttl = '20s'\n"), "");
  EXPECT_EQ(broken("lock.algorithm = 'set-px-blind-delete'\n"),
            "all clients have the same lock on the same servers");
  EXPECT_EQ(broken("releases = false\n"), "every holder releases its lock");
  EXPECT_EQ(broken("progress = 'set'\n"), "nothing but the lock's commands sets its key");
  const std::string both = "keys = ['a', 'b']\n[[client]]\nname = 'client-1'\nkeys = ";
  EXPECT_EQ(broken(both + "['a', 'b']\n"), "");
  EXPECT_EQ(broken(both + "['b', 'a']\n"), "all clients acquire several locks in the same order");
}

TEST(OneClient, IsRefusedUnlessItIsAClientThatThereIs) {
  const std::string start = "[[client]]\nname = ";
  EXPECT_EQ(error_of_setup(kLua + start + "'client-9'\n"),
            "a.toml:5: key `client.1.name`: there is no client-9; the clients are client-1 to "
            "client-3");
  EXPECT_EQ(error_of_setup(kLua + start + "'cleint-2'\n"),
            "a.toml:5: key `client.1.name`: there is no process \"cleint-2\"; did you mean "
            "`client-2`?");
  EXPECT_EQ(error_of_setup(kLua + start + "'redis-1'\n"),
            "a.toml:5: key `client.1.name`: must be a client, not redis-1");
  EXPECT_EQ(error_of_setup(kLua + start + "'client-1'\n" + start + "'client-1'\n"),
            "a.toml:7: key `client.2.name`: client-1 is described twice");
  EXPECT_EQ(error_of_setup(kLua + "[[client]]\nhold = '1s'\n"),
            "a.toml:4: key `client.1.name`: must be given");
}

TEST(OneClient, CannotHaveWhatMakesNoSenseForOne) {
  const std::string one = kLua + "[[client]]\nname = 'client-2'\n";
  EXPECT_EQ(error_of_setup(one + "count = 2\n"),
            "a.toml:6: key `client.1.count`: is a number of clients; set it in [clients]");
  EXPECT_EQ(error_of_setup(one + "arrive_every = '1s'\n"),
            "a.toml:6: key `client.1.arrive_every`: is the time between two clients; one client "
            "has `arrives_at`");
  EXPECT_EQ(error_of_setup(one + "server_order = 'same'\n"),
            "a.toml:6: key `client.1.server_order`: compares clients with each other; the order of "
            "one client is that of `servers`");
  EXPECT_EQ(error_of_setup(one + "operators = 1\n"),
            "a.toml:6: key `client.1.operators`: is a number of clients; set it in [clients]");
}

TEST(OneClient, HasKeysByTheirNearestNameAndOfItsOwnLock) {
  const std::string one = kLua + "[[client]]\nname = 'client-2'\n";
  EXPECT_EQ(error_of_setup(one + "hodl = '2s'\n"),
            "a.toml:6: key `client.1.hodl`: there is no such key; did you mean `client.1.hold`?");
  EXPECT_EQ(error_of_setup(one + "lock.tttl = '2s'\n"),
            "a.toml:6: key `client.1.lock.tttl`: there is no such key; did you mean "
            "`client.1.lock.ttl`?");
  EXPECT_EQ(error_of_setup(one + "lock.steal = 'getset'\n"),
            "a.toml:6: key `client.1.lock.steal`: lua-check-delete does not use this key");
  EXPECT_EQ(error_of_setup(one + "lock.renew_every = '2s'\n"),
            "a.toml:6: key `client.1.lock.renew_every`: has no effect while `renew` is \"none\"");
  EXPECT_EQ(error_of_setup(one + "lock.algorithm = 'zk-ephemeral'\n"),
            "a.toml:6: key `client.1.lock.algorithm`: must be a lock on Redis: all clients have "
            "the same servers");
  EXPECT_EQ(error_of_setup(one + "lock.algorithm = 'lua-check-delte'\n"),
            "a.toml:6: key `client.1.lock.algorithm`: there is no algorithm \"lua-check-delte\"; "
            "did you mean `lua-check-delete`?");
}

TEST(OneClient, CannotChangeTheServersPartInTheLock) {
  EXPECT_EQ(error_of_setup("format = 1\n[lock]\nalgorithm = 'shedlock'\n[[client]]\n"
                           "name = 'client-2'\nlock.renew = 'conditional'\nlock.db_time = true\n"),
            "a.toml:7: key `client.1.lock.db_time`: must be the same for all clients: the servers' "
            "part in the lock depends on it");
}

TEST(OneClient, UsesSomeOfTheServers) {
  EXPECT_EQ(error_of_setup(kRedlock + "[clients]\nservers = ['redis-1', 'redis-9']\n"),
            "a.toml:7: key `clients.servers.2`: there is no redis-9; the servers are redis-1 to "
            "redis-5");
  EXPECT_EQ(error_of_setup(kRedlock + "[clients]\nservers = ['redis-1', 'redis-1']\n"),
            "a.toml:7: key `clients.servers.2`: redis-1 is listed twice");
  EXPECT_EQ(
      error_of_setup(kRedlock + "[[client]]\nname = 'client-1'\nservers = ['redis-1', 'redis-2']\n"
                                "lock.quorum = 3\n"),
      "a.toml:9: key `client.1.lock.quorum`: must be at most 2, the number of servers: "
      "otherwise no acquire could succeed");
  EXPECT_EQ(error_of_setup("format = 1\n[lock]\nalgorithm = 'mysql-get-lock'\n[clients]\n"
                           "servers = ['mysql-1']\n"),
            "a.toml:5: key `clients.servers`: not applicable to mysql-get-lock: its clients know "
            "every server");
}

// Every client of such a lock uses one server, but perhaps not the same.
TEST(OneClient, OfALockOnOneServerMayUseAnotherThanTheRest) {
  const std::string two =
      "format = 1\n[lock]\nalgorithm = 'lua-check-delete'\n[servers.redis]\nmasters = 2\n";
  EXPECT_EQ(error_of_setup(two),
            "a.toml:5: key `servers.redis.masters`: must be 1: lua-check-delete uses one server");
  const Scenario scenario = loaded(two +
                                   "[clients]\nservers = ['redis-1']\nhold = '4s'\n"
                                   "[[client]]\nname = 'client-2'\nservers = ['redis-2']\n");
  Runner runner;
  const auto run = runner.run(scenario, 1, false);
  EXPECT_EQ(run.verdicts[static_cast<std::size_t>(Property::mutual_exclusion)].outcome,
            properties::Outcome::violated);
}

TEST(OneClient, IsChangedByItsNumberAmongTheTables) {
  Document document(kLua + "[[client]]\nname = 'client-3'\nlock.ttl = '4s'\n", "a.toml");
  document.set(change_from("client.1.lock.ttl=5s"));
  document.set(change_from("client.1.cycles=2"));
  const Scenario scenario = document.scenario(shipped_vocabulary());
  const auto own = setup_of(scenario, scenario.unlike[0]);
  EXPECT_EQ(own.lock.options.ttl, 5s);
  EXPECT_EQ(own.clients.cycles, 2U);
}

TEST(OneClient, LosesTheKeysThatAChangedLockLacks) {
  Document document(kLua + "[[client]]\nname = 'client-3'\nlock.ttl = '4s'\n", "a.toml");
  document.set(change_from("lock.algorithm=naive-setnx"));
  EXPECT_TRUE(document.scenario(shipped_vocabulary()).unlike[0].lock_keys.empty());
}

TEST(Locks, AreHeldTogetherAndReleasedInReverse) {
  const Scenario scenario =
      loaded(kLua + "[clients]\ncount = 1\nhold = '1s'\nwrites = 1\nkeys = ['a', 'b']\n");
  Runner runner;
  const auto run = runner.run(scenario, 1, false);
  std::string story;
  for (const history::HistoryEvent& event : run.history) {
    if (event.what == history::What::acquire_ok) story += "+" + run.keys[event.key];
    if (event.what == history::What::release_invoked) story += "-" + run.keys[event.key];
    if (event.what == history::What::write_accepted) story += "w";
  }
  EXPECT_EQ(story, "+a+bww-b-a");
}

TEST(Locks, ThatAreNotAllGrantedAreGivenBack) {
  const Scenario scenario =
      loaded(kLua +
             "attempts = 1\n[clients]\ncount = 2\narrive_every = '0s'\nkeys = ['a', 'b']\n"
             "[[client]]\nname = 'client-2'\nkeys = ['b']\n");
  Runner runner;
  const auto run = runner.run(scenario, 1, false);
  EXPECT_EQ(run.grants, 2U);
  for (const properties::Verdict& verdict : run.verdicts)
    EXPECT_EQ(verdict.outcome, properties::Outcome::holds) << name(verdict.property);
}

TEST(Leases, AreThoseOfTheAcquiresInTurn) {
  const Scenario scenario = loaded(kLua +
                                   "[clients]\ncount = 1\ncycles = 3\nhold = '1s'\n"
                                   "leases = ['10s', '30s']\n");
  Runner runner;
  const auto run = runner.run(scenario, 1, false);
  std::vector<Duration> leases;
  for (const history::HistoryEvent& event : run.history) {
    if (event.what == history::What::entry_created)
      leases.push_back(std::chrono::floor<std::chrono::seconds>(event.until - event.at));
  }
  EXPECT_EQ(leases, (std::vector<Duration>{10s, 30s, 30s}));
}

TEST(Leases, AreRefusedWhereTheyAreThoseOfSessions) {
  EXPECT_EQ(error_of_setup("format = 1\n[lock]\nalgorithm = 'zk-ephemeral'\n[clients]\n"
                           "leases = ['10s']\n"),
            "a.toml:5: key `clients.leases`: an acquire of zk-ephemeral has no lease of its own");
  EXPECT_EQ(error_of_setup("format = 1\n[lock]\nalgorithm = 'naive-setnx'\n[clients]\n"
                           "leases = ['10s']\n"),
            "a.toml:5: key `clients.leases`: an acquire of naive-setnx has no lease of its own");
}

}  // namespace
}  // namespace picklock::scenarios
