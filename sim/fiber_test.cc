#include "sim/fiber.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace picklock::sim {
namespace {

// After a body the main fiber continues.
class BackToMain final : public FiberSchedule {
 public:
  Fiber* after_body(Fiber&) override { return nullptr; }
};

class FiberTest : public testing::Test {
 protected:
  FiberTest() { pool.set_schedule(&schedule); }

  Fiber* start(Fiber::Body body, void* argument) {
    Fiber* fiber = pool.take();
    fiber->assign(body, argument);
    FiberPool::switch_to(nullptr, fiber);
    return fiber;
  }

  BackToMain schedule;
  FiberPool pool;
};

TEST_F(FiberTest, RunsItsBodyWhenSwitchedToAndNotBefore) {
  int runs = 0;
  Fiber* fiber = pool.take();
  fiber->assign([](void* count) { ++*static_cast<int*>(count); }, &runs);
  EXPECT_EQ(runs, 0);
  FiberPool::switch_to(nullptr, fiber);
  EXPECT_EQ(runs, 1);
}

struct Walk {
  std::string path{};
  Fiber* fibers[2] = {};
};

TEST_F(FiberTest, GoesOnWhereItWasParked) {
  Walk walk;
  for (int i = 0; i < 2; ++i) walk.fibers[i] = pool.take();
  walk.fibers[0]->assign(
      [](void* argument) {
        auto& w = *static_cast<Walk*>(argument);
        w.path += 'a';
        FiberPool::switch_to(w.fibers[0], w.fibers[1]);
        w.path += 'c';
        FiberPool::switch_to(w.fibers[0], nullptr);
        w.path += 'e';
      },
      &walk);
  walk.fibers[1]->assign(
      [](void* argument) {
        auto& w = *static_cast<Walk*>(argument);
        w.path += 'b';
        FiberPool::switch_to(w.fibers[1], w.fibers[0]);
        w.path += 'g';
      },
      &walk);
  FiberPool::switch_to(nullptr, walk.fibers[0]);
  walk.path += 'd';
  FiberPool::switch_to(nullptr, walk.fibers[0]);
  walk.path += 'f';
  FiberPool::switch_to(nullptr, walk.fibers[1]);
  EXPECT_EQ(walk.path, "abcdefg");
}

TEST_F(FiberTest, IsReusedByTheNextBody) {
  int runs = 0;
  for (int i = 0; i < 100'000; ++i) start([](void* count) { ++*static_cast<int*>(count); }, &runs);
  EXPECT_EQ(runs, 100'000);
  EXPECT_EQ(pool.alive(), 1u);
  EXPECT_EQ(pool.stacks_mapped(), 64u);
}

TEST_F(FiberTest, GivesItsStackBackWhenTrimmed) {
  int runs = 0;
  std::size_t mapped = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<Fiber*> crowd;
    for (int i = 0; i < 300; ++i) crowd.push_back(pool.take());
    for (Fiber* fiber : crowd) {
      fiber->assign([](void* count) { ++*static_cast<int*>(count); }, &runs);
      FiberPool::switch_to(nullptr, fiber);
    }
    EXPECT_EQ(pool.alive(), 300u);
    pool.trim();
    EXPECT_EQ(pool.alive(), 0u);
    if (round == 0) mapped = pool.stacks_mapped();
  }
  EXPECT_EQ(runs, 30'000);
  EXPECT_EQ(pool.stacks_mapped(), mapped);
}

// Only a turn of the dispatcher frees an ended fiber's stack. So the stack of a fiber that ends
// here is not reused until the dispatcher runs.
TEST_F(FiberTest, SwitchesWithoutATurnOfTheDispatcher) {
  std::vector<Fiber*> all;
  while (all.size() < 64) all.push_back(pool.take());
  ASSERT_EQ(pool.stacks_mapped(), 64u);
  const std::unique_ptr<Fiber> ended(all.back());
  all.pop_back();
  ended->assign(nullptr, nullptr);
  FiberPool::switch_to(nullptr, ended.get());

  static constexpr int kSwitches = 100'000;
  Walk walk{.fibers = {all[0], all[1]}};
  all[0]->assign(
      [](void* argument) {
        auto& fibers = static_cast<Walk*>(argument)->fibers;
        for (int i = 0; i < kSwitches; ++i) FiberPool::switch_to(fibers[0], fibers[1]);
      },
      &walk);
  all[1]->assign(
      [](void* argument) {
        auto& fibers = static_cast<Walk*>(argument)->fibers;
        for (int i = 0; i < kSwitches; ++i) FiberPool::switch_to(fibers[1], fibers[0]);
      },
      &walk);
  FiberPool::switch_to(nullptr, all[0]);
  FiberPool::switch_to(nullptr, all[1]);  // its last switch had nobody to come back from
  for (std::size_t i = 2; i < all.size(); ++i) pool.put_back(all[i]);

  all.clear();
  while (all.size() < 64) all.push_back(pool.take());
  EXPECT_EQ(pool.stacks_mapped(), 128u) << "the dispatcher has freed the stack of the ended fiber";
  for (Fiber* fiber : all) pool.put_back(fiber);
}

TEST_F(FiberTest, CatchesItsOwnExceptions) {
  int caught = 0;
  for (int i = 0; i < 10; ++i) {
    start(
        [](void* count) {
          try {
            throw std::runtime_error("of a body");
          } catch (const std::runtime_error&) {
            ++*static_cast<int*>(count);
          }
        },
        &caught);
  }
  EXPECT_EQ(caught, 10);
}

// Each call needs the frame of its caller, so that no compiler makes a loop of it.
int sink(int depth, const volatile char* above) {
  volatile char frame[2048];
  frame[0] = above[0];
  return depth == 0 ? frame[0] : sink(depth - 1, frame) + frame[0];
}

TEST_F(FiberTest, DiesWhenItsStackIsTooSmall) {
  char outermost = 0;
  EXPECT_DEATH(start([](void* frame) { sink(1000, static_cast<char*>(frame)); }, &outermost), "");
}

}  // namespace
}  // namespace picklock::sim
