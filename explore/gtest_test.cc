#include "explore/gtest.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "models/locks/set_px_lock.h"
#include "scenarios/bad_input.h"

namespace picklock::explore {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Outcome = Trial::Outcome;
using CarefulLock = models::locks::LuaCheckDelete;

class CarelessLock : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(picklock::Client& self, std::string_view key) override {
    const std::string token(self.name());
    const auto reply = self.redis().set(key, token, {.nx = true, .px = settings().ttl});
    if (!reply.answered()) return Acquired::unknown();
    if (!reply.ok()) return std::nullopt;
    return Lease{.key = std::string(key), .token = token, .ttl = settings().ttl};
  }
  Released release(picklock::Client& self, const Lease& lease) override {
    self.mark("about-to-delete");
    return self.redis().del(lease.key).answered() ? Released::ok : Released::unknown;
  }
};

// Careless until it is mended, as a class is while its author works on it.
class LockAtWork final : public CarelessLock {
 public:
  using CarelessLock::CarelessLock;
  Released release(picklock::Client& self, const Lease& lease) override {
    if (mended) return Released::ok;
    return CarelessLock::release(self, lease);
  }
  static inline bool mended = false;
};

class NobodysLock final : public Lock {
 public:
  using Lock::Lock;
  Acquired try_acquire(picklock::Client&, std::string_view) override { return std::nullopt; }
  Released release(picklock::Client&, const Lease&) override { return Released::ok; }
};

const TrialOptions kPauses{.runs = 1000, .faults = {.classes = {FaultClass::pause}, .most = 2}};

class OwnLock : public testing::Test {
 protected:
  OwnLock() {
    std::string pattern = testing::TempDir() + "picklock-gtest-XXXXXX";
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
  const Trial trial = random(scenarios::contention<CarelessLock>(), kPauses);
  ASSERT_EQ(trial.outcome, Outcome::violated);
  EXPECT_TRUE(fs::equivalent(trial.file, folder_ / "own-release-1.toml"));
  EXPECT_THAT(trial.letter, StartsWith("own-release violated, although promised\n"));
  EXPECT_THAT(trial.letter, HasSubstr("holds the lock\n"));
  EXPECT_THAT(trial.letter, HasSubstr(" ✗ own-release: "));
  EXPECT_THAT(trial.letter, HasSubstr("\n  faults   "));
  EXPECT_EQ(count(trial.letter, "; fired at "), 1U);
  // From here, or, where this program was started by its whole path, from anywhere.
  EXPECT_THAT(trial.letter, HasSubstr("\n  replay   PICKLOCK_REPLAY="));
  EXPECT_THAT(trial.letter, HasSubstr("/own-release-1.toml "));
  EXPECT_THAT(trial.letter, EndsWith("explore_test\n"));
}

TEST_F(OwnLock, IsExpectedToBeClean) {
  EXPECT_CLEAN(random(scenarios::contention<CarefulLock>(), {.runs = 200}));
  EXPECT_EQ(files(), 0);
  EXPECT_NONFATAL_FAILURE(EXPECT_CLEAN(random(scenarios::contention<CarelessLock>(), kPauses)),
                          "own-release violated, although promised\n");
  EXPECT_NONFATAL_FAILURE(EXPECT_CLEAN(random(scenarios::contention<NobodysLock>())),
                          "nothing was tried");
}

TEST_F(OwnLock, ComesOutTheSameAgainAndIsKeptOnce) {
  const auto scenario = scenarios::contention<CarelessLock>();
  EXPECT_EQ(random(scenario, kPauses).letter, random(scenario, kPauses).letter);
  EXPECT_EQ(files(), 1);
}

TEST_F(OwnLock, SaysWithinWhichBoundsNothingWasFound) {
  const Trial trial = random(scenarios::contention<CarefulLock>(), {.runs = 200});
  EXPECT_EQ(trial.outcome, Outcome::clean);
  EXPECT_THAT(trial.letter, AllOf(StartsWith("no promised property violated in 200 runs with "),
                                  HasSubstr("at 95% confidence")));
}

TEST_F(OwnLock, IsSearchedWithoutFaultsIfThatIsWanted) {
  const Trial trial =
      random(scenarios::contention<CarelessLock>(), {.runs = 20, .faults = {.classes = {}}});
  EXPECT_THAT(trial.letter, StartsWith("no promised property violated in 20 runs with 0 faults"));
}

TEST_F(OwnLock, AnswersToWhatItIsAskedFor) {
  TrialOptions options = kPauses;
  options.properties = {Property::mutual_exclusion};
  const Trial trial = random(scenarios::contention<CarefulLock>(), options);
  EXPECT_THAT(trial.letter, StartsWith("mutual-exclusion violated\n"));
}

// Its marks are nowhere declared; faults are drawn for them, and the files that they come to load.
TEST_F(OwnLock, IsHitAtItsMarks) {
  bool hit = false;
  for (std::uint64_t seed = 1; seed <= 40 && !hit; ++seed) {
    TrialOptions options = kPauses;
    options.seed = seed;
    const Trial trial = random(scenarios::contention<CarelessLock>(), options);
    EXPECT_EQ(trial.outcome, Outcome::violated) << seed;
    hit = hit || count(trial.letter, "its mark \"about-to-delete\"") > 0;
  }
  EXPECT_TRUE(hit);
}

TEST_F(OwnLock, IsVacuousIfItIsNeverGranted) {
  EXPECT_EQ(random(scenarios::contention<NobodysLock>()).outcome, Outcome::vacuous);
}

TEST_F(OwnLock, SaysThatItsFindCouldNotBeKept) {
  std::ofstream(folder_ / "file") << "in the way";
  setenv("PICKLOCK_OUT", (folder_ / "file").c_str(), 1);
  const Trial trial = random(scenarios::contention<CarelessLock>(), kPauses);
  EXPECT_EQ(trial.outcome, Outcome::violated);
  EXPECT_THAT(trial.letter, HasSubstr("  kept     not saved: nothing can be written to "));
}

TEST_F(OwnLock, RefusesWhatNoFileCouldSay) {
  auto scenario = scenarios::contention<CarelessLock>();
  scenario.lock.options.ttl = 0s;
  EXPECT_THROW(random(scenario), scenarios::BadInput);
  scenario = scenarios::contention<CarelessLock>();
  scenario.servers.redis.replicas = 0;
  scenario.network.links.clear();
  EXPECT_THROW(random(scenario, {.faults = {.classes = {FaultClass::failover}}}),
               scenarios::BadInput);
}

TEST_F(OwnLock, MayThrow) {
  class Thrower final : public Lock {
   public:
    using Lock::Lock;
    Acquired try_acquire(picklock::Client&, std::string_view) override {
      throw std::runtime_error("out of ideas");
    }
    Released release(picklock::Client&, const Lease&) override { return Released::ok; }
  };
  EXPECT_THROW(random(scenarios::contention<Thrower>()), std::runtime_error);
}

// ---------------------------------------------------------------- once more

TEST_F(OwnLock, TellsTheWholeTimelineOfAFile) {
  const auto scenario = scenarios::contention<LockAtWork>();
  const Trial found = random(scenario, kPauses);
  replay(found.file);
  const Trial trial = random(scenario, kPauses);
  EXPECT_TRUE(trial.replayed);
  EXPECT_EQ(trial.outcome, Outcome::violated);
  EXPECT_THAT(trial.letter,
              AllOf(StartsWith("own-release violated, in " + found.file + "\n"),
                    HasSubstr("client-1  client-2"), HasSubstr("the run ends"),
                    HasSubstr("\nProperties\n"), HasSubstr("\nFaults\n"), HasSubstr("\nrepeat ")));
  EXPECT_EQ(files(), 1);
}

TEST_F(OwnLock, IsCleanInAFileOnceItIsMended) {
  const auto scenario = scenarios::contention<LockAtWork>();
  replay(random(scenario, kPauses).file);
  LockAtWork::mended = true;
  const Trial trial = random(scenario, kPauses);
  EXPECT_EQ(trial.outcome, Outcome::clean);
  EXPECT_THAT(trial.letter,
              StartsWith("no property that the lock answers for is violated any more"));
}

TEST_F(OwnLock, SkipsAFileAboutAnotherLock) {
  replay(random(scenarios::contention<CarelessLock>(), kPauses).file);
  const Trial trial = random(scenarios::contention<CarefulLock>());
  EXPECT_EQ(trial.outcome, Outcome::skipped);
  EXPECT_THAT(trial.letter, HasSubstr(" is about picklock::explore::CarelessLock, not "));
}

TEST_F(OwnLock, RefusesAFileThatIsNotThere) {
  replay("no-such-file.toml");
  EXPECT_THROW(random(scenarios::contention<CarelessLock>()), scenarios::BadInput);
}

}  // namespace
}  // namespace picklock::explore
