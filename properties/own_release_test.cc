#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(1, 1);
constexpr Who kB = client(2, 2);

Verdict judged(const HistoryBuilder& built) {
  return verdict_of(Property::own_release, built.history);
}

TEST(OwnRelease, HoldsWhenEachRemovesItsOwn) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(1s).renews(kA).at(2s).releases(kA).acquires(kB).releases(kB).horizon();
  EXPECT_THAT(judged(h), Holds());
}

// docs/facts/failures.md A-01.
TEST(OwnRelease, CatchesADeleteOfTheSuccessorsEntry) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).asks(kB).creates(kB);
  const auto created = h.last();
  h.believes(kB).at(12s).lets_go(kA).removes(kA, kB);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), created));
}

TEST(OwnRelease, CatchesARenewalOfTheSuccessorsEntry) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).at(10s).expires(kA).acquires(kB).at(12s).alters(kA, kB);
  EXPECT_THAT(judged(h), IsViolatedBy(h.last(), 5U));
}

// docs/facts/failures.md A-29: one token, two tenures of one client.
TEST(OwnRelease, CatchesALateReleaseOfAnEarlierTenureOfTheSameClient) {
  const Who again = client(1, 2);
  HistoryBuilder h;
  h.at(0s).acquires(kA).lets_go(kA).at(10s).expires(kA).acquires(again).at(11s).removes(kA, again);
  EXPECT_EQ(judged(h).count, 1U);
}

TEST(OwnRelease, LetsEntriesGoByEveryOtherCause) {
  for (const history::Cause cause :
       {history::Cause::expiry, history::Cause::eviction, history::Cause::failover,
        history::Cause::session_end, history::Cause::restart}) {
    HistoryBuilder h;
    h.at(0s).acquires(kA).goes(kA, cause);
    h.history.back().tenure = kB.tenure;
    EXPECT_THAT(judged(h), Holds());
  }
}

TEST(OwnRelease, LetsNobodyRemoveAnEntryAndAnEntryBeNobodys) {
  HistoryBuilder h;
  h.at(0s).acquires(kA).removes(Who{}, kA).creates(Who{}).removes(kB, Who{}).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(OwnRelease, LetsTenuresShareAKeyThatIsNoLock) {
  const Who counter{.tenure = kA.tenure, .key = 5};
  HistoryBuilder h;
  h.at(0s).acquires(kA).creates(counter).releases(kA).acquires(kB).alters(kB, counter).horizon();
  EXPECT_THAT(judged(h), Holds());
}

TEST(OwnRelease, SaysNothingOfAMutexInsideAClient) {
  HistoryBuilder h;
  h.at(0s).asks(kA).locks_at_home(kA).asks(kB).removes(kB, kA, kA.process);
  EXPECT_THAT(verdict_of(Property::own_release, h.history, {.first_server = 5}), Holds());
}

// A row of a database may outlast its release: a client with a fast clock has dated it, and takes
// it again before that time.
TEST(OwnRelease, AllowsTakingWhatTheReleaseOfItsOwnerHasDated) {
  const auto dated = [](Role role, std::uint32_t holds) {
    HistoryBuilder h;
    h.at(0s).acquires(kA).at(1s).lets_go(kA).renews(kA).holding(holds);
    h.history.back().role = role;
    return h;
  };
  const auto taken = [](HistoryBuilder h) { return h.at(2s).asks(kB).alters(kB, kA); };
  EXPECT_THAT(judged(taken(dated(Role::release, 0).has_let_go(kA))), Holds());
  EXPECT_EQ(judged(taken(dated(Role::release, 0))).count, 1U) << "the owner was not told";
  EXPECT_EQ(judged(taken(dated(Role::release, 1).has_let_go(kA))).count, 1U) << "one hold is left";
  EXPECT_EQ(judged(taken(dated(Role::renew, 0).has_let_go(kA))).count, 1U) << "by a renewal";
}

}  // namespace
}  // namespace picklock::properties
