#include "models/lease_store/lease_store.h"

#include <gmock/gmock.h>

#include "models/lease_store/cluster.h"
#include "models/lease_store/kind.h"
#include "models/lease_store/spec.h"
#include "models/servers/verbs.h"
#include "picklock/lease_store.h"
#include "testing/small_world.h"

namespace picklock::lease_store::lease_store_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Spec kAtOnce{.expire_after = 1, .tick = 0ms};

models::SmallWorld::Setup with_store(const Spec& spec = kAtOnce, std::uint32_t clients = 2) {
  models::SmallWorld::Setup setup{.clients = clients, .other = &kKind};
  setup.specs.of<Spec>() = spec;
  return setup;
}

// The store's answer to a client that requests the key now.
Granted asks_at(Client& store, std::string_view session) { return store.acquire("lock", session); }

// The time in ms at which client 2, which waits, got a key that client 1 had acquired at once and
// then treated as `deed` says.
std::int64_t granted_ms(models::SmallWorld::Setup setup,
                        const std::function<void(Client& store)>& deed, Duration lock_delay = {},
                        const sim::Plan& plan = {}) {
  models::SmallWorld world{setup};
  std::int64_t at = -1;
  world.client(1, [&](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().open(10s, lock_delay);
    self.connection<Client>().acquire("lock", "s1");
    if (deed) deed(self.connection<Client>());
  });
  world.client(2, [&](models::SmallWorld& all, picklock::Client& self) {
    self.sleep(100ms);
    const std::string session = self.connection<Client>().open(100s, 0s).session;
    while (asks_at(self.connection<Client>(), session).status == Status::refused) {
      EXPECT_NE(self.connection<Client>().watch("lock", 90s), Status::unknown);
    }
    at = all.milliseconds();
  });
  world.run(plan);
  return at;
}

TEST(LeaseStore, GrantsAKeyToOneSessionAtATime) {
  models::SmallWorld world{with_store()};
  std::vector<Status> told;
  for (std::uint32_t client : {1U, 2U}) {
    world.client(client, [&told, client](models::SmallWorld&, picklock::Client& self) {
      const std::string session = self.connection<Client>().open(10s, 0s).session;
      if (client == 2) self.sleep(1s);
      told.push_back(asks_at(self.connection<Client>(), session).status);
    });
  }
  world.run();
  EXPECT_THAT(told, ElementsAre(Status::done, Status::refused));
}

TEST(LeaseStore, GrantsAKeyAgainToTheSessionThatHoldsIt) {
  models::SmallWorld world{with_store()};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    const std::string session = self.connection<Client>().open(10s, 0s).session;
    for (int i = 0; i < 2; ++i) EXPECT_EQ(asks_at(self.connection<Client>(), session).revision, 1);
  });
  world.run();
  EXPECT_EQ(world.tenures.grants(), 1U);
}

TEST(LeaseStore, GivesEveryGrantALargerRevision) {
  models::SmallWorld world{with_store()};
  std::vector<std::int64_t> revisions;
  world.client(1, [&](models::SmallWorld&, picklock::Client& self) {
    Client& store = self.connection<Client>();
    const std::string session = store.open(10s, 0s).session;
    for (const char* key : {"lock", "other", "lock"}) {
      revisions.push_back(store.acquire(key, session).revision);
      store.release(key, session);
    }
  });
  world.run();
  EXPECT_THAT(revisions, ElementsAre(1, 2, 3));
}

TEST(LeaseStore, ReleasesForNobodyButTheHolder) {
  models::SmallWorld world{with_store()};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    Client& store = self.connection<Client>();
    store.open(10s, 0s);
    store.open(10s, 0s);
    store.acquire("lock", "s1");
    EXPECT_EQ(store.release("lock", "s2"), Status::refused);
    EXPECT_EQ(store.release("lock", "s1"), Status::done);
    EXPECT_EQ(store.release("lock", "s1"), Status::refused);
  });
  world.run();
}

TEST(LeaseStore, EndsASessionThatNobodyKeepsAlive) {
  EXPECT_NEAR(static_cast<double>(granted_ms(with_store(), {})), 10'002, 2);
}

TEST(LeaseStore, KeepsASessionAsLongAsItIsKeptAlive) {
  models::SmallWorld world{with_store()};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().open(10s, 0s);
    for (int i = 0; i < 5; ++i) {
      self.sleep(9s);
      EXPECT_EQ(self.connection<Client>().keep_alive("s1"), Status::done);
    }
    self.sleep(11s);
    EXPECT_EQ(self.connection<Client>().keep_alive("s1"), Status::gone);
  });
  world.run();
}

TEST(LeaseStore, LooksForSessionsThatAreOverAtEveryTick) {
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    models::SmallWorld::Setup setup = with_store({.expire_after = 1, .tick = 1s});
    setup.seed = seed;
    const std::int64_t at = granted_ms(setup, {});
    least = std::min(least, at);
    most = std::max(most, at);
  }
  EXPECT_GT(least, 10'000);
  EXPECT_LT(least, 10'200);
  EXPECT_GT(most, 10'800);
  EXPECT_LT(most, 11'005);
}

// Consul: the TTL is a lower bound.
TEST(LeaseStore, MayLetASessionLiveForSeveralTimesItsTtl) {
  EXPECT_NEAR(static_cast<double>(granted_ms(with_store({.expire_after = 2, .tick = 0ms}), {})),
              20'002, 2);
}

TEST(LeaseStore, KeepsASessionForEverWhoseEndNoClockCanShow) {
  models::SmallWorld world{with_store({.expire_after = 10, .tick = 500ms}, 1)};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().open(Duration::max(), Duration::max());
    self.connection<Client>().acquire("lock", "s1");
    self.sleep(24h * 365 * 100);
    EXPECT_EQ(self.connection<Client>().keep_alive("s1"), Status::done);
  });
  world.run();
  for (const history::HistoryEvent& event : world.history()) EXPECT_EQ(event.until, sim::kNever);
}

TEST(LeaseStore, CountsByItsOwnClock) {
  models::SmallWorld::Setup setup = with_store();
  setup.server_rate_ppb = 1'000'000'000;
  EXPECT_NEAR(static_cast<double>(granted_ms(setup, {})), 5'002, 2);
}

TEST(LeaseStore, DoesNotCareForItsWallClock) {
  sim::Fault jump = models::fault_at(1s, sim::Verb::step_clock, "store");
  jump.step = 1h;
  EXPECT_NEAR(static_cast<double>(granted_ms(with_store(), {}, {}, {jump})), 10'002, 2);
}

TEST(LeaseStore, GrantsAReleasedKeyAtOnceWhateverTheLockDelay) {
  const auto release = [](Client& store) { store.release("lock", "s1"); };
  EXPECT_LT(granted_ms(with_store(), release, 15s), 110);
}

TEST(LeaseStore, GrantsTheKeyOfAnEndedSessionWhenTheLockDelayIsOver) {
  EXPECT_NEAR(static_cast<double>(granted_ms(with_store(), {}, 15s)), 25'002, 2);
}

TEST(LeaseStore, DelaysTheKeyOfAClosedSessionAsWell) {
  const auto close = [](Client& store) { store.close("s1"); };
  EXPECT_NEAR(static_cast<double>(granted_ms(with_store(), close, 15s)), 15'002, 2);
}

TEST(LeaseStore, EndsTheSessionsOfAClientWhenTold) {
  const std::int64_t at =
      granted_ms(with_store(), {}, {}, {models::fault_at(3s, models::kKillSession, "client-1")});
  EXPECT_NEAR(static_cast<double>(at), 3'001, 2);
}

TEST(LeaseStore, EndsTheSessionsOfNoOtherClient) {
  const std::int64_t at = granted_ms(with_store(kAtOnce, 3), {}, {},
                                     {models::fault_at(3s, models::kKillSession, "client-3")});
  EXPECT_NEAR(static_cast<double>(at), 10'002, 2);
}

TEST(LeaseStore, AnswersAWatchWhenItsTimeIsOver) {
  models::SmallWorld world{with_store()};
  std::int64_t at = 0;
  world.client(1, [&](models::SmallWorld& all, picklock::Client& self) {
    self.connection<Client>().open(10s, 0s);
    self.connection<Client>().acquire("lock", "s1");
    EXPECT_EQ(self.connection<Client>().watch("lock", 2s), Status::refused);
    at = all.milliseconds();
  });
  world.run();
  EXPECT_NEAR(static_cast<double>(at), 2'004, 2);
}

TEST(LeaseStore, ForgetsAWatchWhoseClientHasHungUp) {
  models::SmallWorld world{with_store()};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().open(10s, 0s);
    self.connection<Client>().acquire("lock", "s1");
    self.sleep(2s);
    self.connection<Client>().release("lock", "s1");
  });
  world.client(2, [](models::SmallWorld&, picklock::Client& self) {
    self.sleep(500ms);
    self.connection<Client>().watch("lock", 60s);
    ADD_FAILURE() << "it has crashed by then";
  });
  world.run({models::fault_at(1s, sim::Verb::crash, "client-2")});
}

// The store could not receive keep-alives while it was away.
TEST(LeaseStore, RemembersSessionsAndGivesThemTheirTimeAnewWhenItRestarts) {
  models::SmallWorld world{with_store(kAtOnce, 1)};
  sim::Fault restart = models::fault_at(8s, sim::Verb::crash, "store", 1s);
  restart.keeps = sim::Keeps::none;
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    Client& store = self.connection<Client>();
    store.open(10s, 0s);
    store.acquire("lock", "s1");
    self.sleep(15s);
    EXPECT_EQ(store.acquire("lock", "s1").revision, 1);
    self.sleep(5s);
    EXPECT_EQ(store.open(10s, 0s).session, "s2");
    EXPECT_EQ(store.acquire("lock", "s2").revision, 2);
  });
  world.run({restart});
}

TEST(LeaseStore, RemembersALockDelayWhenItRestarts) {
  sim::Fault restart = models::fault_at(12s, sim::Verb::crash, "store", 1s);
  models::SmallWorld world{with_store()};
  std::int64_t at = 0;
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().open(10s, 15s);
    self.connection<Client>().acquire("lock", "s1");
  });
  world.client(2, [&](models::SmallWorld& all, picklock::Client& self) {
    self.sleep(20s);
    const std::string session = self.connection<Client>().open(100s, 0s).session;
    EXPECT_EQ(asks_at(self.connection<Client>(), session).status, Status::refused);
    EXPECT_EQ(self.connection<Client>().watch("lock", 60s), Status::done);
    at = all.milliseconds();
  });
  world.run({restart});
  EXPECT_NEAR(static_cast<double>(at), 25'002, 2);
}

// The crash leaves no watch for which the store still owes an answer.
TEST(LeaseStore, MayCrashAtTheVeryMomentAtWhichItAnswersAWatch) {
  models::SmallWorld world{with_store()};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().open(10s, 0s);
    self.connection<Client>().acquire("lock", "s1");
    self.sleep(2s);
    EXPECT_EQ(self.connection<Client>().release("lock", "s1"), Status::unknown);
  });
  std::vector<Status> told;
  world.client(2, [&](models::SmallWorld&, picklock::Client& self) {
    self.sleep(1s);
    told.push_back(self.connection<Client>().watch("lock", 60s));
    self.sleep(5s);
    told.push_back(self.connection<Client>().watch("lock", 60s));
  });
  sim::Fault crash =
      models::fault_where_applied(sim::Side::after, Role::watch, sim::Verb::crash, 1s);
  crash.target = "store";
  crash.trigger.by = "client-2";
  world.run({crash});
  EXPECT_THAT(told, ElementsAre(Status::unknown, Status::done));
}

TEST(LeaseStore, TellsTheHistoryWhatBecomesOfItsEntries) {
  models::SmallWorld world{with_store(kAtOnce, 1)};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    Client& store = self.connection<Client>();
    store.open(10s, 0s);
    store.acquire("lock", "s1");
    self.sleep(1s);
    store.keep_alive("s1");
    store.release("lock", "s1");
    store.acquire("lock", "s1");
    self.sleep(20s);
  });
  world.run();
  EXPECT_THAT(world.effects(), ElementsAre(HasSubstr("entry created command by 1 of 0 until 10."),
                                           HasSubstr("entry altered command by 1 of 1 until 11."),
                                           HasSubstr("entry removed command by 1 of 1"),
                                           HasSubstr("entry created command by 1 of 0 until 11."),
                                           HasSubstr("entry removed session end by 0 of 1")));
}

TEST(LeaseStore, TellsTheHistoryWhenASessionReallyEnds) {
  models::SmallWorld world{with_store({.expire_after = 2, .tick = 500ms}, 1)};
  world.client(1, [](models::SmallWorld&, picklock::Client& self) {
    self.connection<Client>().open(10s, 0s);
    self.connection<Client>().acquire("lock", "s1");
    self.sleep(30s);
  });
  world.run();
  sim::Instant said{};
  sim::Instant ended{};
  for (const history::HistoryEvent& event : world.history()) {
    if (event.what == history::What::entry_created) said = event.until;
    if (event.what == history::What::entry_removed) ended = event.at;
  }
  EXPECT_EQ(ended, said);
}

TEST(LeaseStore, AnswersWhatItDoesNotUnderstand) {
  models::SmallWorld world{with_store(kAtOnce, 1)};
  sim::Caller caller;
  world.client(1, [&](models::SmallWorld& all, picklock::Client&) {
    LeaseStore& store = all.cluster<Cluster>().store();
    caller.reset(all.simulation, all.simulation.scheduler.processes().at(0), store.process(), store,
                 protocol());
    const sim::Answer answer =
        caller.call(Role::acquire, 1s, [](sim::Payload& payload) { payload.append("HELLO"); });
    EXPECT_EQ(answer.bytes(), "ERROR no such request");
  });
  world.run();
}

}  // namespace
}  // namespace picklock::lease_store::lease_store_tests
