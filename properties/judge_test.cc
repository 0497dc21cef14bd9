#include "properties/judge.h"

#include <gmock/gmock.h>

#include "testing/allocations.h"
#include "testing/judging.h"

namespace picklock::properties {
namespace {

constexpr Who kA = client(11, 1);
constexpr Who kB = client(12, 2);
constexpr Context kBound{.acquire_bound = 1s, .wakeup_bound = 1s, .overtakes = 0};

history::History all_wrong() {
  HistoryBuilder h;
  h.at(0s).asks(client(13, 3)).sleeps(client(13, 3)).at(2s).wakes(client(13, 3), kA);
  h.is_refused(client(13, 3)).asks(kB).queues(kB).sleeps(kB).asks(kA).queues(kA).creates(kA);
  h.holding(2).believes(kA).writes(kA).at(10s).expires(kA).wakes(kB, kA).creates(kB).believes(kB);
  h.asks(client(12, 4)).at(11s).writes(kB).version(2).write_is_rejected(kB);
  h.writes(kA).version(3, 1).removes(kA, kB);
  h.creates_for_ever(client(13, 5)).asks(client(13, 6)).lets_go(kA);
  h.asks(client(14, 7, 1)).fault().at(99s).horizon();
  return h.history;
}

TEST(Judge, ReportsEveryPropertyInOrder) {
  Judge judge;
  const Verdicts& verdicts = judge.judge({}, {});
  for (std::size_t i = 0; i < kPropertyCount; ++i) {
    EXPECT_EQ(verdicts[i].property, static_cast<Property>(i));
  }
}

TEST(Judge, FindsEveryPropertyBrokenInOneHistory) {
  EXPECT_THAT(violated_in(all_wrong(), kBound), testing::ElementsAreArray(kPropertyNames));
}

TEST(Judge, RemembersNothingOfTheHistoryBefore) {
  HistoryBuilder clean;
  clean.at(0s).acquires(kA).at(1s).releases(kA).horizon();
  Judge judge;
  judge.judge(all_wrong(), kBound);
  for (const Verdict& verdict : judge.judge(clean.history, kBound)) {
    EXPECT_THAT(verdict, Holds()) << picklock::name(verdict.property);
    EXPECT_THAT(verdict.witnesses, testing::IsEmpty());
  }
}

TEST(Judge, AllocatesNothingOnceItHasSeenAHistoryOfItsSize) {
  const history::History history = all_wrong();
  Judge judge;
  judge.judge(history, kBound);
  const std::size_t before = allocations();
  judge.judge(history, kBound);
  EXPECT_EQ(allocations(), before);
}

}  // namespace
}  // namespace picklock::properties
