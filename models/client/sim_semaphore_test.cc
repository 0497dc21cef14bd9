#include "models/client/sim_semaphore.h"

#include <gmock/gmock.h>

#include "testing/small_world.h"

namespace picklock::models::sim_semaphore_tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using Woken = Semaphore::Woken;

// The recorded waits: "begun 0.0 until 5.0", "ended 1.0 by 2".
std::vector<std::string> waits(const SmallWorld& world) {
  std::vector<std::string> lines;
  for (const history::HistoryEvent& event : world.history()) {
    const auto ms = [](sim::Instant at) {
      return std::to_string(sim::nanoseconds(at) / 1'000'000) + "ms";
    };
    if (event.what == history::What::wait_begun) {
      lines.push_back("begun " + ms(event.at) +
                      (event.until == sim::kNever ? "" : " until " + ms(event.until)));
    }
    if (event.what == history::What::wait_ended)
      lines.push_back("ended " + ms(event.at) + " by " + std::to_string(event.owner));
  }
  return lines;
}

TEST(SimSemaphore, HandsOutTheOrderInWhichTheyCame) {
  SmallWorld world;
  SimSemaphore semaphore(world.machines[0], Awaits::threads);
  std::vector<std::pair<int, std::int64_t>> served;
  for (int i = 1; i <= 3; ++i) {
    world.client(1, [&, i](SmallWorld& all, Client& self) {
      self.sleep(i * 1ms);
      EXPECT_EQ(semaphore.acquire(Semaphore::kForever), Woken::by_permit);
      served.emplace_back(i, all.milliseconds());
    });
  }
  world.client(1, [&](SmallWorld&, Client& self) {
    self.sleep(10ms);
    semaphore.release();
    semaphore.release();
    self.sleep(10ms);
    semaphore.release();
  });
  world.run();
  EXPECT_THAT(served,
              testing::UnorderedElementsAre(std::pair(1, 10), std::pair(2, 10), std::pair(3, 20)));
}

TEST(SimSemaphore, KeepsPermitsThatNobodyWaitsFor) {
  SmallWorld world;
  SimSemaphore semaphore(world.machines[0], Awaits::threads);
  world.client(1, [&](SmallWorld&, Client&) {
    semaphore.release();
    semaphore.release();
    EXPECT_EQ(semaphore.acquire(0s), Woken::by_permit);
    EXPECT_EQ(semaphore.acquire(5s), Woken::by_permit);
    EXPECT_EQ(semaphore.acquire(0s), Woken::by_time);
  });
  world.run();
  EXPECT_EQ(world.milliseconds(), 0);
}

TEST(SimSemaphore, PassesOnThePermitOfOneWhoIsKilledWhenJustServed) {
  SmallWorld world;
  SimSemaphore semaphore(world.machines[0], Awaits::threads);
  sim::Thread& killed = world.client(1, [&](SmallWorld&, Client&) {
    semaphore.acquire(Semaphore::kForever);
    ADD_FAILURE() << "it is dead";
  });
  world.client(1, [&](SmallWorld& all, Client&) {
    EXPECT_EQ(semaphore.acquire(5s), Woken::by_permit);
    EXPECT_EQ(all.milliseconds(), 10);
    EXPECT_EQ(semaphore.acquire(0s), Woken::by_time);
  });
  world.client(1, [&](SmallWorld& all, Client& self) {
    self.sleep(10ms);
    semaphore.release();
    all.simulation.scheduler.threads().kill(killed);
  });
  world.run();
}

TEST(SimSemaphore, WaitsForItsPatienceAndNoLonger) {
  SmallWorld world;
  SimSemaphore semaphore(world.machines[0], Awaits::threads);
  world.client(1, [&](SmallWorld& all, Client&) {
    EXPECT_EQ(semaphore.acquire(250ms), Woken::by_time);
    EXPECT_EQ(all.milliseconds(), 250);
    semaphore.release();  // does not go to a waiter that has left
    EXPECT_EQ(semaphore.acquire(0s), Woken::by_permit);
  });
  world.run();
}

TEST(SimSemaphore, TellsAnInterruptFromAPermit) {
  SmallWorld world;
  SimSemaphore semaphore(world.machines[0], Awaits::threads);
  sim::Thread& thread = world.client(1, [&](SmallWorld& all, Client&) {
    EXPECT_EQ(semaphore.acquire(Semaphore::kForever), Woken::by_interrupt);
    EXPECT_EQ(all.milliseconds(), 100);
    EXPECT_EQ(semaphore.acquire(1s), Woken::by_time);
  });
  world.client(1, [&](SmallWorld& all, Client& self) {
    self.sleep(100ms);
    all.simulation.scheduler.threads().interrupt(thread);
  });
  world.run();
}

TEST(SimSemaphore, DoesNotWaitWhereItsThreadWasInterruptedBefore) {
  SmallWorld world;
  SimSemaphore semaphore(world.machines[0], Awaits::threads);
  world.client(1, [&](SmallWorld& all, Client&) {
    sim::Scheduler& scheduler = all.simulation.scheduler;
    scheduler.threads().interrupt(*scheduler.running());
    EXPECT_EQ(semaphore.acquire(Semaphore::kForever), Woken::by_interrupt);
  });
  world.run();
  EXPECT_EQ(world.milliseconds(), 0);
}

TEST(SimSemaphore, HasWaitsForNewsAloneOnRecord) {
  SmallWorld world;
  SimSemaphore news(world.machines[0], Awaits::news);
  SimSemaphore threads(world.machines[0], Awaits::threads);
  world.client(1, [&](SmallWorld&, Client&) {
    threads.acquire(1s);
    news.acquire(5s);
    news.release();
    news.acquire(5s);  // does not wait
  });
  world.run();
  EXPECT_THAT(waits(world), ElementsAre("begun 1000ms until 6000ms", "ended 6000ms by 0"));
}

TEST(SimSemaphore, HasOnRecordWhoseMessageItWas) {
  SmallWorld world({.clients = 2});
  SimSemaphore semaphore(world.machines[0], Awaits::news);
  world.client(1, [&](SmallWorld&, Client& self) {
    EXPECT_TRUE(redis::server(self).subscribe(
        "channel", [&](std::string_view) { semaphore.release(); }, 1s));
    EXPECT_EQ(semaphore.acquire(Semaphore::kForever), Woken::by_permit);
  });
  history::TenureId speaker = 0;
  world.client(2, [&](SmallWorld& all, Client& self) {
    self.sleep(1s);
    speaker = all.simulation.scheduler.running()->tag;
    const std::string_view publish[] = {"PUBLISH", "channel", "0"};
    redis::server(self).call(Role::none, publish);
  });
  world.run();
  ASSERT_EQ(waits(world).size(), 2U);
  EXPECT_THAT(waits(world)[0], testing::Not(testing::HasSubstr("until")));
  EXPECT_EQ(waits(world)[1], "ended 1001ms by " + std::to_string(speaker));
  EXPECT_EQ(world.machines[0].speaker(), 0U);
}

}  // namespace
}  // namespace picklock::models::sim_semaphore_tests
