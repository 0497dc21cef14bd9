// Redlock and its kin on several simulated servers (docs/facts/algorithms.md 3). Messages take 500
// us each way.
#include "models/locks/quorum_lock.h"

#include <gmock/gmock.h>

#include <set>

#include "testing/small_world.h"

namespace picklock::models::locks::quorum_lock_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Client 1 acts, on so many servers; the first `taken` of them have the key already.
class Quorum {
 public:
  explicit Quorum(std::uint32_t servers, std::uint32_t taken = 0,
                  Duration command_timeout = std::chrono::seconds(3))
      : world({.clients = 2,
               .servers = servers,
               .command_timeout = command_timeout,
               .tracing = true}),
        taken_(taken) {}

  sim::Thread& play(std::function<void(Client& self)> body) {
    return world.client(1, [this, run = std::move(body)](SmallWorld&, Client& self) {
      for (std::uint32_t i = 0; i < taken_; ++i) redis::server(self, i).set("lock", "other");
      run(self);
    });
  }
  // The value of the key on every server.
  static std::vector<std::string> values(Client& self) {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < redis::server_count(self); ++i)
      all.push_back(redis::server(self, i).get("lock").text);
    return all;
  }
  // The requests that begin with this command.
  std::vector<std::string> sent(std::string_view command) const {
    std::vector<std::string> all = world.sent();
    std::erase_if(all, [command](const std::string& line) {
      const std::size_t at = line.find(' ', line.find(' ') + 1) + 1;
      return !std::string_view(line).substr(at).starts_with(command);
    });
    return all;
  }
  std::vector<std::int64_t> losses() const {
    std::vector<std::int64_t> ms;
    for (const history::HistoryEvent& event : world.history()) {
      if (event.what == history::What::loss_learned)
        ms.push_back(sim::nanoseconds(event.at) / 1'000'000);
    }
    return ms;
  }

  SmallWorld world;

 private:
  std::uint32_t taken_;
};

// One attempt, on so many servers, some of them taken.
bool granted(std::uint32_t servers, std::uint32_t taken, LockOptions options = {}) {
  Quorum all(servers, taken);
  QuorumLock lock(options);
  bool granted = false;
  all.play([&](Client& self) { granted = bool{lock.try_acquire(self, "lock")}; });
  all.world.run();
  return granted;
}

TEST(QuorumLock, IsGrantedByMoreThanHalf) {  // 3
  EXPECT_TRUE(granted(5, 2));
  EXPECT_FALSE(granted(5, 3));
  EXPECT_TRUE(granted(4, 1));
  EXPECT_FALSE(granted(4, 2));
}

TEST(QuorumLock, IsGrantedByAsManyAsItIsTold) {
  EXPECT_TRUE(granted(5, 3, {.own = QuorumOptions{.quorum = 2}}));
  EXPECT_FALSE(granted(5, 1, {.own = QuorumOptions{.quorum = 5}}));
}

TEST(QuorumLock, SetsOneValueOnAllOfThemAtOnce) {  // 3
  Quorum all(3);
  QuorumLock lock(LockOptions{.ttl = 10s});
  std::string token;
  all.play([&](Client& self) {
    token = lock.acquire(self, "lock").lease().token;
    EXPECT_THAT(Quorum::values(self), testing::Each(token));
  });
  all.world.run();
  EXPECT_THAT(all.sent("SET"),
              testing::UnorderedElementsAre("0.0 redis-1 SET lock " + token + " NX PX 10000",
                                            "0.0 redis-2 SET lock " + token + " NX PX 10000",
                                            "0.0 redis-3 SET lock " + token + " NX PX 10000"));
}

TEST(QuorumLock, AsksOneAfterTheOtherIfToldTo) {
  Quorum all(3);
  QuorumLock lock(LockOptions{.own = QuorumOptions{.asks = Asks::in_turn}});
  all.play([&](Client& self) { EXPECT_TRUE(lock.acquire(self, "lock")); });
  all.world.run();
  EXPECT_THAT(all.sent("SET"),
              ElementsAre(testing::StartsWith("0.0 redis-1"), testing::StartsWith("0.001 redis-2"),
                          testing::StartsWith("0.002 redis-3")));
}

TEST(QuorumLock, AsksNoFurtherInTurnThanItMustHear) {
  Quorum all(5);
  QuorumLock lock(
      LockOptions{.own = QuorumOptions{.asks = Asks::in_turn, .hears = Hears::majority}});
  all.play([&](Client& self) { EXPECT_TRUE(lock.acquire(self, "lock")); });
  all.world.run();
  EXPECT_EQ(all.sent("SET").size(), 3U);
}

// ---------------------------------------------------------------- validity (3)

// The outcome on servers that take so long for a command.
Acquired after(Duration service, LockOptions options) {
  Quorum all(3);
  for (std::size_t i = 1; i <= 3; ++i) all.world.server(i).process().set_service(service);
  options.ttl = 1s;
  QuorumLock lock(options);
  Acquired acquired = std::nullopt;
  all.play([&](Client& self) { acquired = lock.try_acquire(self, "lock"); });
  all.world.run();
  return acquired;
}

// A hundredth of the lease and 2 ms are subtracted: 988 ms are left.
TEST(QuorumLock, IsRefusedWhereItsLeaseIsOverByItsLastAnswer) {
  EXPECT_TRUE(after(986ms, {}));
  EXPECT_FALSE(after(987ms, {}));
}

TEST(QuorumLock, TakesOffNoDriftWhereItIsNotTold) {  // 3.3: without the 2 ms
  EXPECT_TRUE(after(988ms, {.own = QuorumOptions{.drift_extra = {}}}));
  EXPECT_FALSE(after(989ms, {.own = QuorumOptions{.drift_extra = {}}}));
  EXPECT_TRUE(after(998ms, {.own = QuorumOptions{.drift_ppm = 0, .drift_extra = {}}}));
  EXPECT_FALSE(after(999ms, {.own = QuorumOptions{.drift_ppm = 0, .drift_extra = {}}}));
}

TEST(QuorumLock, TakesAnOldGrantForGoodWhereItDoesNotLookAfterwards) {  // B-04, C-12
  EXPECT_TRUE(after(1500ms, {.own = QuorumOptions{.validity = Validity::never}}));
  EXPECT_TRUE(after(1500ms, {.own = QuorumOptions{.validity = Validity::before_answers}}));
}

TEST(QuorumLock, CountsItsDeadlineFromTheBeginningOfTheAttempt) {
  EXPECT_EQ(after(500ms, {.deadline = true}).lease().deadline, 988ms);
  EXPECT_EQ(after(500ms, {}).lease().deadline, 0s);
}

// ---------------------------------------------------------------- failed attempts

TEST(QuorumLock, TakesBackEverythingAfterAnAttemptThatFails) {  // 3, step 5
  Quorum all(5, 3);
  QuorumLock lock(LockOptions{.attempts = 1});
  all.play([&](Client& self) {
    EXPECT_FALSE(lock.acquire(self, "lock"));
    EXPECT_THAT(Quorum::values(self), ElementsAre("other", "other", "other", "", ""));
  });
  all.world.run();
  EXPECT_EQ(all.sent("EVAL").size(), 5U);
}

TEST(QuorumLock, TakesBackFromThoseThatHaveGrantedAloneIfToldTo) {
  Quorum all(5, 3);
  QuorumLock lock(LockOptions{.attempts = 1, .own = QuorumOptions{.undo_at = UndoAt::granted}});
  all.play([&](Client& self) { EXPECT_FALSE(lock.acquire(self, "lock")); });
  all.world.run();
  EXPECT_EQ(all.sent("EVAL").size(), 2U);
}

TEST(QuorumLock, HasOneValueForAllAttemptsOfAnAcquire) {  // 3.1, 3.3
  Quorum all(3, 2);
  QuorumLock lock(LockOptions{.retry_every = 100ms, .attempts = 3});
  all.play([&](Client& self) { EXPECT_FALSE(lock.acquire(self, "lock")); });
  all.world.run();
  std::set<std::string> commands;
  for (const std::string& line : all.sent("SET lock "))
    commands.insert(line.substr(line.find("SET")));
  commands.erase("SET lock other");
  EXPECT_EQ(commands.size(), 1U);
  EXPECT_EQ(all.sent("SET lock ").size(), 2U + 9U);
  EXPECT_EQ(all.sent("EVAL").size(), 9U);
}

// The second attempt takes the key that the first has left behind for another client's.
TEST(QuorumLock, StandsInItsOwnWayWhereItTakesBackAfterTheLastAttemptOnly) {  // 3.2
  for (const UndoAfter when : {UndoAfter::each_attempt, UndoAfter::last_attempt}) {
    Quorum all(3, 2);
    QuorumLock lock(
        LockOptions{.retry_every = 100ms, .attempts = 2, .own = QuorumOptions{.undo_after = when}});
    const bool each = when == UndoAfter::each_attempt;
    all.play([&](Client& self) { EXPECT_EQ(bool{lock.acquire(self, "lock")}, each); });
    all.world.client(2, [each](SmallWorld&, Client& self) {
      self.sleep(50ms);
      EXPECT_EQ(redis::server(self, 2).exists("lock").integer, each ? 0 : 1);
      redis::server(self, 0).del("lock");
    });
    all.world.run();
  }
}

// ---------------------------------------------------------------- how many answers it needs

Duration heard(std::uint32_t slow, LockOptions options) {
  Quorum all(5);
  for (std::uint32_t i = 1; i <= slow; ++i) all.world.server(i).process().set_service(2s);
  QuorumLock lock(options);
  Duration taken{};
  all.play([&](Client& self) {
    EXPECT_TRUE(lock.try_acquire(self, "lock"));
    taken = self.monotonic_now();
    self.sleep(5s);
  });
  all.world.run();
  return taken;
}

TEST(QuorumLock, WaitsForEveryAnswerUnlessAMajorityIsEnough) {  // 3.1, 3.2
  EXPECT_EQ(heard(1, {}), 2001ms);
  EXPECT_EQ(heard(2, {.own = QuorumOptions{.hears = Hears::majority}}), 1ms);
  EXPECT_EQ(heard(3, {.own = QuorumOptions{.hears = Hears::majority}}), 2001ms);
}

TEST(QuorumLock, IsRefusedAtOnceByAMajority) {
  Quorum all(3, 2);
  all.world.server(3).process().set_service(2s);
  QuorumLock lock(
      LockOptions{.own = QuorumOptions{.hears = Hears::majority, .undo_at = UndoAt::granted}});
  all.play([&](Client& self) {
    EXPECT_FALSE(lock.try_acquire(self, "lock"));
    EXPECT_EQ(self.monotonic_now(), 3ms);
  });
  all.world.run();
}

// A tie: there is no majority, and nothing ends the wait for it.
TEST(QuorumLock, WaitsForEverForAMajorityOfAnEvenNumber) {  // 3.2
  Quorum all(2, 1);
  QuorumLock lock(LockOptions{.attempts = 1, .own = QuorumOptions{.hears = Hears::majority}});
  bool ended = false;
  all.play([&](Client& self) {
    lock.acquire(self, "lock");
    ended = true;
  });
  all.world.client(2, [](SmallWorld&, Client& self) { self.sleep(1h); });
  all.world.run();
  EXPECT_FALSE(ended);
}

// Otherwise three unreachable servers of five would leave it waiting for their majority.
TEST(QuorumLock, TakesWhoeverDoesNotAnswerForARefusal) {  // 3.2
  Quorum all(5);
  for (std::size_t server : {2U, 3U, 4U}) all.world.server(server).process().set_service(1h);
  QuorumLock lock(LockOptions{.attempts = 1, .own = QuorumOptions{.hears = Hears::majority}});
  bool ended = false;
  all.play([&](Client& self) {
    EXPECT_FALSE(lock.acquire(self, "lock"));
    ended = true;
  });
  all.world.client(2, [](SmallWorld&, Client& self) { self.sleep(1min); });
  all.world.run();
  EXPECT_TRUE(ended);
}

// The time of an attempt counts: here, one attempt and its undoing.
TEST(QuorumLock, GivesUpWithItsPatienceThoughAnAttemptTookLong) {
  Quorum all(3);
  for (std::size_t server : {1U, 2U, 3U}) all.world.server(server).process().set_service(1h);
  QuorumLock lock(LockOptions{.acquire_timeout = 1s});
  all.play([&](Client& self) {
    EXPECT_FALSE(lock.acquire(self, "lock"));
    EXPECT_LT(self.monotonic_now(), 7s);
  });
  all.world.run();
}

// ---------------------------------------------------------------- scripts (3.1, 3.2)

TEST(QuorumLock, SpeaksByScriptsAloneIfToldTo) {
  Quorum all(3);
  QuorumLock lock(LockOptions{.ttl = 10s, .own = QuorumOptions{.speaks = Speaks::scripts}});
  all.play([&](Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    EXPECT_GT(redis::server(self).pttl("lock").integer, 9990);
    EXPECT_FALSE(lock.try_acquire(self, "lock"));
    EXPECT_THAT(Quorum::values(self), testing::Each(acquired.lease().token));
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
    EXPECT_THAT(Quorum::values(self), testing::Each(""));
  });
  all.world.run();
  EXPECT_THAT(all.sent("SET"), ElementsAre());
}

TEST(QuorumLock, NamesItsScriptsAndSendsThemWholeWhereTheyAreNotKnown) {
  Quorum all(1);
  QuorumLock lock(LockOptions{.own = QuorumOptions{.speaks = Speaks::script_names}});
  all.play([&](Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    EXPECT_TRUE(acquired);
    EXPECT_FALSE(lock.try_acquire(self, "lock"));
  });
  all.world.run();
  EXPECT_EQ(all.sent("EVALSHA").size(), 3U);
  EXPECT_EQ(all.sent("EVAL ").size(), 2U);  // to acquire, and to release a failed attempt
}

// ---------------------------------------------------------------- release

// The key is gone from some servers, and others do not answer.
Released released(std::uint32_t gone, std::uint32_t silent) {
  Quorum all(5, 0, 250ms);
  QuorumLock lock{LockOptions{}};
  Released outcome{};
  all.play([&](Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    for (std::uint32_t i = 0; i < gone; ++i) redis::server(self, i).del("lock");
    self.sleep(1s);
    outcome = lock.release(self, acquired.lease());
  });
  sim::Plan plan;
  const std::string_view names[] = {"redis-5", "redis-4", "redis-3"};
  for (std::uint32_t i = 0; i < silent; ++i)
    plan.push_back(fault_at(500ms, sim::Verb::pause, names[i], 10s));
  all.world.run(plan);
  return outcome;
}

TEST(QuorumLock, KnowsWhatBecameOfAReleaseByAMajority) {
  EXPECT_EQ(released(0, 0), Released::ok);
  EXPECT_EQ(released(2, 0), Released::ok);
  EXPECT_EQ(released(0, 2), Released::ok);
  EXPECT_EQ(released(3, 0), Released::not_held);
  EXPECT_EQ(released(3, 2), Released::not_held);
  EXPECT_EQ(released(0, 3), Released::unknown);
  EXPECT_EQ(released(2, 1), Released::unknown);
}

TEST(QuorumLock, IsForcedOpenByAMajority) {
  for (const bool conditional : {false, true}) {
    Quorum all(3, 2);
    QuorumLock lock{LockOptions{}};
    all.play([&](Client& self) {
      EXPECT_EQ(lock.force_release(self, "lock", conditional), Released::ok);
      EXPECT_THAT(Quorum::values(self), testing::Each(""));
      EXPECT_EQ(lock.force_release(self, "lock", conditional), Released::not_held);
    });
    all.world.run();
  }
}

// docs/facts/algorithms.md 3.2.
TEST(QuorumLock, TriesTheReleaseOfALostLockOnceOrAsOftenAsAnAcquire) {
  for (const auto& [releases, times] :
       {std::pair(Releases::once, 1U), {Releases::as_acquired, 4U}}) {
    LockOptions options{.ttl = 1s, .attempts = 4};
    options.of<QuorumOptions>().releases = releases;
    Quorum all(3);
    QuorumLock lock(options);
    all.play([&](Client& self) {
      const Acquired acquired = lock.acquire(self, "lock");
      self.sleep(2s);
      EXPECT_EQ(lock.release(self, acquired.lease()), Released::not_held);
    });
    all.world.run();
    EXPECT_EQ(all.sent("EVAL").size(), 3 * times);
  }
}

// ---------------------------------------------------------------- extension

LockOptions extended(LockOptions options = {}) {
  options.ttl = 9s;
  options.renew = Renew::conditional;
  return options;
}

TEST(QuorumLock, ExtendsEveryThirdOfItsLeaseUntilItIsGivenBack) {
  Quorum all(3);
  QuorumLock lock(extended());
  all.play([&](Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    self.sleep(20s);
    EXPECT_EQ(lock.release(self, acquired.lease()), Released::ok);
    self.sleep(20s);
  });
  all.world.run();
  EXPECT_EQ(all.sent("EVAL").size(), 3U * 6 + 3U);
  EXPECT_THAT(all.losses(), ElementsAre());
}

TEST(QuorumLock, ExtendsWithTheKeyOnAMajority) {
  Quorum all(3);
  QuorumLock lock(extended());
  all.play([&](Client& self) {
    lock.acquire(self, "lock");
    redis::server(self, 0).del("lock");
    self.sleep(10s);
    EXPECT_EQ(redis::server(self, 0).exists("lock").integer, 0);
    EXPECT_EQ(redis::server(self, 1).exists("lock").integer, 1);
  });
  all.world.run();
  EXPECT_THAT(all.losses(), ElementsAre());
}

TEST(QuorumLock, IsLostOnceAMajorityDoesNotHaveTheKey) {
  for (const bool tells : {true, false}) {
    Quorum all(3);
    QuorumLock lock(extended({.tell_loss = tells}));
    all.play([&](Client& self) {
      lock.acquire(self, "lock");
      redis::server(self, 0).del("lock");
      redis::server(self, 1).del("lock");
      self.sleep(10s);
    });
    all.world.run();
    EXPECT_EQ(all.losses(), tells ? std::vector<std::int64_t>{3002} : std::vector<std::int64_t>{});
    EXPECT_EQ(all.sent("EVAL").size(), 3U);
  }
}

// Extended at 3 s, until 11.9 s; then no server answers, and the third attempt is too late.
TEST(QuorumLock, IsLostOnceNoMajorityHasExtendedItInTime) {
  Quorum all(3, 0, 250ms);
  QuorumLock lock(extended({.deadline = true}));
  all.play([&](Client& self) {
    lock.acquire(self, "lock");
    self.sleep(20s);
  });
  all.world.run({fault_at(4s, sim::Verb::partition, "redis-1", 16s),
                 fault_at(4s, sim::Verb::partition, "redis-2", 16s)});
  EXPECT_THAT(all.losses(), ElementsAre(testing::AllOf(testing::Ge(11'900), testing::Le(13'000))));
  std::vector<std::int64_t> passed;
  for (const history::HistoryEvent& event : all.world.history()) {
    if (event.what == history::What::deadline_passed)
      passed.push_back(sim::nanoseconds(event.at) / 1'000'000);
  }
  EXPECT_THAT(passed, ElementsAre(3001 + 9000 - 92));
}

TEST(QuorumLock, TakesAgainInSilenceWhatHasExpiredIfToldTo) {  // 3.4
  Quorum all(3);
  QuorumLock lock(extended({.own = QuorumOptions{.extend_missing = true}}));
  all.play([&](Client& self) {
    const Acquired acquired = lock.acquire(self, "lock");
    for (std::size_t i = 0; i < 3; ++i) redis::server(self, i).del("lock");
    self.sleep(5s);
    EXPECT_THAT(Quorum::values(self), testing::Each(acquired.lease().token));
  });
  all.world.run();
  EXPECT_THAT(all.losses(), ElementsAre());
}

TEST(QuorumLock, TakesNothingAgainThatIsAnothers) {
  Quorum all(3);
  QuorumLock lock(extended({.own = QuorumOptions{.extend_missing = true}}));
  all.play([&](Client& self) {
    lock.acquire(self, "lock");
    for (std::size_t i = 0; i < 3; ++i) redis::server(self, i).set("lock", "other");
    self.sleep(5s);
    EXPECT_THAT(Quorum::values(self), testing::Each("other"));
  });
  all.world.run();
  EXPECT_EQ(all.losses().size(), 1U);
}

// ---------------------------------------------------------------- fencing tokens

// Two clients take the lock in turn. redis-1 has counted further than the other servers, and is
// down when the second client comes.
std::vector<std::int64_t> tokens(Tokens kind) {
  SmallWorld world({.clients = 2, .servers = 3, .command_timeout = 50ms, .tracing = true});
  const LockOptions options{.ttl = 10s,
                            .command_timeout = 50ms,
                            .mint = Mint::in_script,
                            .own = QuorumOptions{.tokens = kind}};
  QuorumLock first(options), second(options);
  std::vector<std::int64_t> numbers;
  world.client(1, [&](SmallWorld&, Client& self) {
    redis::server(self, 0).set("lock:fence", "6");
    const Acquired acquired = first.acquire(self, "lock");
    numbers.push_back(acquired.lease().fence);
    first.release(self, acquired.lease());
  });
  world.client(2, [&](SmallWorld&, Client& self) {
    self.sleep(1s);
    numbers.push_back(second.acquire(self, "lock").lease().fence);
  });
  world.run({fault_at(900ms, sim::Verb::crash, "redis-1")});
  return numbers;
}

TEST(QuorumTokens, OfALaterGrantAreSmallerWhereServersCountAlone) {
  EXPECT_THAT(tokens(Tokens::largest), ElementsAre(7, 2));
}

TEST(QuorumTokens, GrowWhereAMajorityHasRaisedItsCounters) {
  EXPECT_THAT(tokens(Tokens::raised), ElementsAre(7, 8));
}

// A server that has lost the key may have granted anew, so it must not raise its counter.
TEST(QuorumTokens, AreNoGrantIfNoMajorityHasRaisedItsCounters) {
  Quorum all(3);
  QuorumLock lock(LockOptions{
      .ttl = 10s, .mint = Mint::in_script, .own = QuorumOptions{.tokens = Tokens::raised}});
  bool granted = true;
  all.play([&](Client& self) { granted = bool{lock.try_acquire(self, "lock")}; });
  all.world.client(2, [](SmallWorld&, Client& self) {
    // Its commands arrive between the two rounds.
    self.sleep(200us);
    const std::string_view forget[] = {"DEL", "lock"};
    redis::server(self, 0).post(Role::none, forget);
    redis::server(self, 1).post(Role::none, forget);
  });
  all.world.run();
  EXPECT_FALSE(granted);
}

TEST(QuorumTokens, AreNotMintedUnlessTheyAreWanted) {
  Quorum all(3);
  QuorumLock lock(LockOptions{.ttl = 10s});
  std::int64_t fence = -1;
  all.play([&](Client& self) { fence = lock.acquire(self, "lock").lease().fence; });
  all.world.run();
  EXPECT_EQ(fence, 0);
  EXPECT_THAT(all.sent("EVAL"), ElementsAre());
}

FaultClasses excludes_under(const LockOptions& options) {
  return promise(redlock(), Property::mutual_exclusion, options)->under;
}

// docs/facts/failures.md, F2b and F8.
TEST(QuorumPromises, DoNotCoverAnUndoingThatComesLateOrTwiceWhileAnotherAttemptMayFollow) {
  const FaultClasses often = excludes_under(as_it_comes(redlock()));
  EXPECT_FALSE(often.has(FaultClass::late_command));
  EXPECT_FALSE(often.has(FaultClass::lost_reply));
  EXPECT_TRUE(often.has(FaultClass::crash));
  LockOptions once = as_it_comes(redlock());
  once.attempts = 1;
  EXPECT_TRUE(excludes_under(once).covers({FaultClass::late_command, FaultClass::lost_reply}));
  LockOptions last = as_it_comes(redlock());
  last.of<QuorumOptions>().undo_after = UndoAfter::last_attempt;
  EXPECT_TRUE(excludes_under(last).covers({FaultClass::late_command, FaultClass::lost_reply}));
}

}  // namespace
}  // namespace picklock::models::locks::quorum_lock_tests
