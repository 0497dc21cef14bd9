
#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "picklock/test.h"
#include "testing/whole.h"

namespace picklock {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Outcome = SearchResult::Outcome;

class CarelessLock : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token(self.name());
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return Lease{.key = std::string(key), .token = token, .ttl = settings().ttl};
  }
  Released release(Client& self, const Lease& lease) override {
    self.mark("about-to-delete");
    return redis::server(self).del(lease.key).answered() ? Released::ok : Released::unknown;
  }
};

class ComparingLock final : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    const std::string token = self.fresh_token();
    const auto reply = redis::server(self).set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return Lease{.key = std::string(key), .token = token, .ttl = settings().ttl};
  }
  Released release(Client& self, const Lease& lease) override {
    static const redis::Script compare_and_delete(
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end "
        "return 0");
    const auto reply = redis::server(self).eval(compare_and_delete, {lease.key}, {lease.token});
    if (!reply.answered()) return Released::unknown;
    return reply.is_integer(1) ? Released::ok : Released::not_held;
  }
};

// Careless until it is mended, as a class is while its author works on it.
class LockAtWork final : public CarelessLock {
 public:
  using CarelessLock::CarelessLock;
  Released release(Client& self, const Lease& lease) override {
    if (mended) return Released::ok;
    return CarelessLock::release(self, lease);
  }
  static inline bool mended = false;
};

// A lock that ends the lease that it has just been granted, in the first and in a later step.
template <bool kDeletes>
class LockThatEndsItsLease final : public CarelessLock {
 public:
  using CarelessLock::CarelessLock;
  Acquired try_acquire(Client& self, std::string_view key) override {
    Acquired acquired = CarelessLock::try_acquire(self, key);
    if (!acquired) return acquired;
    if (kDeletes) {
      redis::server(self).del(key);
    } else {
      redis::server(self).pexpire(key, 1ms);
    }
    return acquired;
  }
};

class NobodysLock final : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(Client&, std::string_view) override { return std::nullopt; }
  Released release(Client&, const Lease&) override { return Released::ok; }
};

const SearchSettings kPauses{.runs = 1000, .faults = {.classes = {FaultClass::pause}, .most = 2}};

class OwnLock : public ::testing::Test {
 protected:
  OwnLock() {
    std::string pattern = ::testing::TempDir() + "picklock-gtest-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    setenv("PICKLOCK_OUT", folder_.c_str(), 1);
    unsetenv("PICKLOCK_REPLAY");
    LockAtWork::mended = false;
  }
  ~OwnLock() override {
    unsetenv("PICKLOCK_OUT");
    unsetenv("PICKLOCK_REPLAY");
    fs::remove_all(folder_);
  }

  static void replay(const std::string& file) { setenv("PICKLOCK_REPLAY", file.c_str(), 1); }

  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// ---------------------------------------------------------------- a search

TEST_F(OwnLock, FailsWithTheStoryOfWhatItFinds) {
  const SearchResult trial = search(contention<CarelessLock>(), kPauses);
  ASSERT_EQ(trial.outcome, Outcome::violated);
  EXPECT_TRUE(fs::equivalent(trial.file, folder_ / "own-release-1.toml"));
  EXPECT_THAT(trial.text, StartsWith("own-release violated, although promised\n"));
  EXPECT_THAT(trial.text, HasSubstr("holds the lock\n"));
  EXPECT_THAT(trial.text, HasSubstr(" ✗ own-release: "));
  EXPECT_THAT(trial.text, HasSubstr("\n  faults   "));
  EXPECT_EQ(count(trial.text, "; fired at "), 1U);
  // From here, or, where this program was started by its whole path, from anywhere.
  EXPECT_THAT(trial.text, HasSubstr("\n  replay   PICKLOCK_REPLAY="));
  EXPECT_THAT(trial.text, HasSubstr("/own-release-1.toml "));
  EXPECT_THAT(trial.text, EndsWith("explore_test\n"));
}

TEST_F(OwnLock, IsExpectedToBeClean) {
  EXPECT_CLEAN(search(contention<ComparingLock>(), {.runs = 200}));
  EXPECT_EQ(files(), 0);
  EXPECT_NONFATAL_FAILURE(EXPECT_CLEAN(search(contention<CarelessLock>(), kPauses)),
                          "own-release violated, although promised\n");
  EXPECT_NONFATAL_FAILURE(EXPECT_CLEAN(search(contention<NobodysLock>())), "nothing was tried");
}

TEST_F(OwnLock, ComesOutTheSameAgainAndIsKeptOnce) {
  const auto scenario = contention<CarelessLock>();
  EXPECT_EQ(search(scenario, kPauses).text, search(scenario, kPauses).text);
  EXPECT_EQ(files(), 1);
}

TEST_F(OwnLock, SaysWithinWhichBoundsNothingWasFound) {
  const SearchResult trial = search(contention<ComparingLock>(), {.runs = 200});
  EXPECT_EQ(trial.outcome, Outcome::clean);
  EXPECT_THAT(trial.text, AllOf(StartsWith("no promised property violated in 200 runs with "),
                                HasSubstr("at 95% confidence")));
}

TEST_F(OwnLock, IsSearchedWithoutFaultsIfThatIsWanted) {
  const SearchResult trial =
      search(contention<CarelessLock>(), {.runs = 20, .faults = {.classes = {}}});
  EXPECT_THAT(trial.text, StartsWith("no promised property violated in 20 runs with 0 faults"));
}

TEST_F(OwnLock, AnswersToWhatItIsAskedFor) {
  SearchSettings options = kPauses;
  options.properties = {Property::mutual_exclusion};
  const SearchResult trial = search(contention<ComparingLock>(), options);
  EXPECT_THAT(trial.text, StartsWith("mutual-exclusion violated\n"));
}

// Its marks are nowhere declared; faults are drawn for them, and the files that they come to load.
TEST_F(OwnLock, IsHitAtItsMarks) {
  if (tests_are_short()) GTEST_SKIP() << "up to forty searches";
  bool hit = false;
  for (std::uint64_t seed = 1; seed <= 40 && !hit; ++seed) {
    SearchSettings options = kPauses;
    options.seed = seed;
    const SearchResult trial = search(contention<CarelessLock>(), options);
    EXPECT_EQ(trial.outcome, Outcome::violated) << seed;
    hit = hit || count(trial.text, "its mark \"about-to-delete\"") > 0;
  }
  EXPECT_TRUE(hit);
}

TEST_F(OwnLock, IsVacuousIfItIsNeverGranted) {
  EXPECT_EQ(search(contention<NobodysLock>()).outcome, Outcome::vacuous);
}

// The lease is the lock's own work: that it ends too early is no condition that the user broke.
TEST_F(OwnLock, AnswersForALeaseThatItEndsItself) {
  for (const SearchResult& result :
       {search(contention<LockThatEndsItsLease<true>>(), {.runs = 10}),
        search(contention<LockThatEndsItsLease<false>>(), {.runs = 10})}) {
    EXPECT_EQ(result.outcome, Outcome::violated);
    EXPECT_THAT(result.text, StartsWith("mutual-exclusion violated, although promised\n"));
    EXPECT_THAT(result.text, HasSubstr("found    in the run without faults, seed 1\n"));
  }
}

TEST_F(OwnLock, IsToldOfTwoHoldersWithoutAFaultWhateverItPromises) {
  const SearchResult result =
      search(contention<ComparingLock>({.ttl = 5s, .hold = 8s}), {.runs = 10});
  EXPECT_EQ(result.outcome, Outcome::violated);
  EXPECT_THAT(result.text, StartsWith("mutual-exclusion violated, although no fault struck\n"));
}

TEST_F(OwnLock, SaysThatItsFindCouldNotBeKept) {
  std::ofstream(folder_ / "file") << "in the way";
  setenv("PICKLOCK_OUT", (folder_ / "file").c_str(), 1);
  const SearchResult trial = search(contention<CarelessLock>(), kPauses);
  EXPECT_EQ(trial.outcome, Outcome::violated);
  EXPECT_THAT(trial.text, HasSubstr("  kept     not saved: nothing can be written to "));
}

TEST_F(OwnLock, RefusesWhatNoFileCouldSay) {
  EXPECT_THROW(contention<CarelessLock>({.ttl = 0s}), BadInput);
  auto scenario = contention<CarelessLock>();
  EXPECT_THROW(scenario.set("lock.ttl", "0s"), BadInput);
  EXPECT_EQ(scenario.text(), contention<CarelessLock>().text());
  scenario.set("network.link", "[]").set("servers.redis.replicas", "0");
  EXPECT_THROW(search(scenario, {.faults = {.classes = {FaultClass::failover}}}), BadInput);
}

class NamedByItsClient final : public CarelessLock {
 public:
  using CarelessLock::CarelessLock;
  static constexpr std::string_view value = "client";
};

TEST_F(OwnLock, IsContendedForAsTheTestAndTheClassSay) {
  const std::string text = contention<NamedByItsClient>({.servers = 3, .keys = {"a", "b"}}).text();
  EXPECT_THAT(text, AllOf(HasSubstr("\nvalue = \"client\"\n"), HasSubstr("\nmasters = 3\n"),
                          HasSubstr("\nkeys = [\"a\", \"b\"]\n"), Not(HasSubstr("replicas"))));
  EXPECT_THAT(contention<NamedByItsClient>().text(), HasSubstr("\nreplicas = 1\n"));
  EXPECT_THROW(contention<NamedByItsClient>({.servers = 0}), BadInput);
  EXPECT_THROW(contention<NamedByItsClient>({.keys = {"a", "a"}}), BadInput);
}

// An option that the class cannot see would seem to be without effect.
TEST_F(OwnLock, RefusesAnOptionThatItsSettingsDoNotHave) {
  auto scenario = contention<CarelessLock>();
  EXPECT_THROW(scenario.set("lock.renew", "blind"), BadInput);
  EXPECT_THROW(scenario.set("lock.unlock_latch", "false"), BadInput);
  scenario.set("lock.acquire_timeout", "5s").set("lock.resend", "1");
}

TEST_F(OwnLock, MayThrow) {
  class Thrower final : public Lock {
   public:
    using Lock::Lock;
    Acquired try_acquire(Client&, std::string_view) override {
      throw std::runtime_error("out of ideas");
    }
    Released release(Client&, const Lease&) override { return Released::ok; }
  };
  EXPECT_THROW(search(contention<Thrower>()), std::runtime_error);
}

// ---------------------------------------------------------------- once more

TEST_F(OwnLock, TellsTheWholeTimelineOfAFile) {
  const auto scenario = contention<LockAtWork>();
  const SearchResult found = search(scenario, kPauses);
  replay(found.file);
  const SearchResult trial = search(scenario, kPauses);
  EXPECT_TRUE(trial.replayed);
  EXPECT_EQ(trial.outcome, Outcome::violated);
  EXPECT_THAT(trial.text,
              AllOf(StartsWith("own-release violated, in " + found.file + "\n"),
                    HasSubstr("client-1  client-2"), HasSubstr("the run ends"),
                    HasSubstr("\nProperties\n"), HasSubstr("\nFaults\n"), HasSubstr("\nrepeat ")));
  EXPECT_EQ(files(), 1);
}

TEST_F(OwnLock, IsCleanInAFileOnceItIsMended) {
  const auto scenario = contention<LockAtWork>();
  replay(search(scenario, kPauses).file);
  LockAtWork::mended = true;
  const SearchResult trial = search(scenario, kPauses);
  EXPECT_EQ(trial.outcome, Outcome::clean);
  EXPECT_THAT(trial.text, StartsWith("no property that the lock answers for is violated any more"));
}

TEST_F(OwnLock, SkipsAFileAboutAnotherLock) {
  replay(search(contention<CarelessLock>(), kPauses).file);
  const SearchResult trial = search(contention<ComparingLock>());
  EXPECT_EQ(trial.outcome, Outcome::skipped);
  EXPECT_THAT(trial.text, HasSubstr(" is about picklock::CarelessLock, not "));
}

TEST_F(OwnLock, RefusesAFileThatIsNotThere) {
  replay("no-such-file.toml");
  EXPECT_THROW(search(contention<CarelessLock>()), BadInput);
}

// ---------------------------------------------------------------- one run

TEST_F(OwnLock, RunsOnceUnderTheFaultsThatItsScenarioHas) {
  auto scenario = contention<CarelessLock>({.cycles = 1});
  EXPECT_AS_EXPECTED(run(scenario));
  const std::string fault =
      "[[fault]]\npause = \"client-1\"\nbefore = \"release.sent\"\nfor = \"8s\"\n";
  const Scenario paused = Scenario::from_text(scenario.text() + fault, &own_lock<CarelessLock>());
  const RunResult result = run(paused);
  EXPECT_TRUE(result.violated(Property::own_release));
  EXPECT_FALSE(result.violated(Property::no_deadlock));
  EXPECT_FALSE(result.as_expected());
  EXPECT_GE(result.grants, 3U);
  EXPECT_NONFATAL_FAILURE(EXPECT_AS_EXPECTED(result), "own-release");
  std::string violated;
  for (const Verdict& verdict : result.verdicts) {
    if (verdict.outcome == Verdict::Outcome::violated)
      violated += "\"" + std::string(name(verdict.property)) + "\",";
  }
  Scenario expected = paused;
  expected.set("expect.violated", "[" + violated + "]");
  EXPECT_AS_EXPECTED(run(expected));
  EXPECT_EQ(run(expected).digest, result.digest);
  EXPECT_EQ(run(Scenario::from_text(expected.text(), &own_lock<CarelessLock>())).digest,
            result.digest);
}

TEST_F(OwnLock, RunsAShippedScenarioAndItsTwins) {
  setenv("PICKLOCK_SCENARIO_PATH", "scenarios", 1);
  const Scenario story = Scenario::shipped("check-then-delete-gap");
  EXPECT_AS_EXPECTED(run(story));
  EXPECT_TRUE(run(story).violated(Property::own_release));
  EXPECT_THROW(Scenario::shipped("check-then-delet-gap"), BadInput);
  EXPECT_THROW(Scenario::from_text("format = 1\n[lock]\nalgorithm = \"MyLock\"\n"), BadInput);
  unsetenv("PICKLOCK_SCENARIO_PATH");
}

}  // namespace
}  // namespace picklock
