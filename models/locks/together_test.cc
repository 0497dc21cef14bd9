#include "models/locks/together.h"

#include <gmock/gmock.h>

#include "testing/small_world.h"

namespace picklock::models::locks::together_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

using Answers = std::vector<std::pair<std::size_t, int>>;

// Each call returns 10 + i after (3 - i) s, so the last one returns first.
int slowly(Client& self, std::size_t i) {
  self.sleep((3 - static_cast<int>(i)) * 1s);
  return 10 + static_cast<int>(i);
}

TEST(Together, ReturnsOnceAllHaveAnsweredInTheOrderOfTheirAnswers) {
  SmallWorld world;
  Answers answers;
  world.client(1, [&](SmallWorld& all, Client& self) {
    answers = Together<int>::ask(self, 3, slowly);
    EXPECT_EQ(all.milliseconds(), 3000);
  });
  world.run();
  EXPECT_THAT(answers, ElementsAre(Pair(2, 12), Pair(1, 11), Pair(0, 10)));
}

TEST(Together, ReturnsAsSoonAsItHasHeardEnough) {
  SmallWorld world;
  Answers answers;
  world.client(1, [&](SmallWorld& all, Client& self) {
    answers =
        Together<int>::ask(self, 3, slowly, [](const Answers& come) { return come.size() == 2; });
    EXPECT_EQ(all.milliseconds(), 2000);
    self.sleep(5s);
  });
  world.run();
  EXPECT_THAT(answers, ElementsAre(Pair(2, 12), Pair(1, 11)));
}

TEST(Together, AsksNobodyWhereThereIsNobody) {
  SmallWorld world;
  world.client(1, [](SmallWorld&, Client& self) {
    EXPECT_TRUE(Together<int>::ask(self, 0, slowly).empty());
  });
  world.run();
  EXPECT_EQ(world.milliseconds(), 0);
}

// The interrupt stays pending until a wait that it can end.
TEST(Together, HearsAllThoughItsThreadIsInterrupted) {
  SmallWorld world({.clients = 2});
  Answers answers;
  sim::Thread& asking = world.client(1, [&](SmallWorld& all, Client& self) {
    answers = Together<int>::ask(self, 3, slowly);
    EXPECT_EQ(all.milliseconds(), 3000);
    EXPECT_FALSE(self.sleep_interruptibly(1s));
  });
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1500ms);
    all.simulation.scheduler.threads().interrupt(asking);
  });
  world.run();
  EXPECT_EQ(answers.size(), 3U);
}

TEST(Together, ActsForWhoeverAsks) {
  SmallWorld world;
  world.client(1, [](SmallWorld&, Client& self) {
    const Tenancy mine = self.witness().tenancy();
    const auto asked = Together<bool>::ask(self, 2, [mine](Client& thread, std::size_t) {
      return thread.witness().tenancy() == mine && thread.thread() == 1;
    });
    EXPECT_THAT(asked, ElementsAre(Pair(0, true), Pair(1, true)));
  });
  world.run();
}

}  // namespace
}  // namespace picklock::models::locks::together_tests
