#include "sim/event_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace picklock::sim {
namespace {

void push(EventQueue& queue, std::int64_t at, std::uint32_t target) {
  queue.push(Instant(Duration(at)), EventKind::timer, target, 0);
}

std::vector<std::uint32_t> drained(EventQueue& queue) {
  std::vector<std::uint32_t> targets;
  while (!queue.empty()) targets.push_back(queue.pop().target());
  return targets;
}

// Pending, and in how many instants they are due.
struct Workload {
  std::uint32_t pending;
  std::uint64_t instants;
};

class EventQueueOrder : public testing::TestWithParam<Workload> {};

TEST_P(EventQueueOrder, IsThatOfAStableSort) {
  const auto [pending, instants] = GetParam();
  EventQueue queue;
  Random random(pending, instants);
  std::vector<std::int64_t> due(pending);
  for (std::uint32_t i = 0; i < pending; ++i) {
    due[i] = static_cast<std::int64_t>(random.below(instants));
    push(queue, due[i], i);
  }
  std::vector<std::uint32_t> expected(pending);
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(),
                   [&due](std::uint32_t a, std::uint32_t b) { return due[a] < due[b]; });
  EXPECT_EQ(drained(queue), expected);
}

INSTANTIATE_TEST_SUITE_P(
    FewAndMany, EventQueueOrder,
    testing::Values(Workload{1, 1}, Workload{2, 1}, Workload{15, 4}, Workload{16, 1},
                    Workload{16, 1'000}, Workload{17, 1}, Workload{17, 5}, Workload{18, 1'000'000},
                    Workload{28, 5}, Workload{29, 1}, Workload{29, 5}, Workload{33, 1'000},
                    Workload{64, 8}, Workload{1'000, 1}, Workload{1'000, 100},
                    Workload{10'000, 1ull << 62}, Workload{100'000, 1}, Workload{100'000, 1'000},
                    Workload{100'000, 30'000'000'000}, Workload{100'000, 1ull << 63}),
    [](const auto& each) {
      return std::to_string(each.param.pending) + "In" + std::to_string(each.param.instants);
    });

// The events of the present just fill the window, so that those of the future come into it and
// leave it again. If each of them moved all others then, this would take minutes.
TEST(EventQueue, KeepsTheOrderWhileManyEventsWaitInTheFuture) {
  constexpr std::int64_t kFuture = 1ll << 50;
  constexpr std::uint32_t kWaiting = 100'000;
  constexpr std::int64_t kSteps = 100'000;
  EventQueue queue;
  std::multimap<std::int64_t, std::uint32_t> expected;  // equals stay in the order of insertion
  Random random(7, 7);
  std::uint32_t pushed = 0;
  std::int64_t now = 0;
  const auto add = [&](std::int64_t at) {
    push(queue, at, pushed);
    expected.emplace(at, pushed++);
  };
  for (std::uint32_t i = 0; i < kWaiting; ++i)
    add(kFuture + static_cast<std::int64_t>(random.below(1'000'000)));
  for (std::size_t i = 0; i + 1 < EventQueue::kWindow; ++i) add(1);
  for (std::int64_t step = 0; step < kSteps; ++step) {
    for (int i = 0; i < 3; ++i) add(now + static_cast<std::int64_t>(random.below(4)));
    if (step % 16 == 0) add(kFuture + static_cast<std::int64_t>(random.below(1'000'000)));
    for (int i = 0; i < 3; ++i) {
      const Event event = queue.pop();
      ASSERT_EQ(event.at, expected.begin()->first);
      ASSERT_EQ(event.target(), expected.begin()->second);
      expected.erase(expected.begin());
      now = event.at;
    }
  }
  std::vector<std::uint32_t> left;
  for (const auto& [at, target] : expected) left.push_back(target);
  EXPECT_EQ(drained(queue), left);
  // The next run begins with an empty queue.
  queue.clear();
  constexpr std::uint32_t kMany = EventQueue::kWindow + 12;
  for (std::uint32_t i = 0; i < kMany; ++i) push(queue, kMany - i, i);
  EXPECT_EQ(drained(queue).front(), kMany - 1);
}

// A push or a pop; a pop of an empty queue is a push.
struct Step {
  bool pops = false;
  std::uint32_t ahead = 0;
};

bool agrees_with_a_multimap(const std::vector<Step>& steps) {
  EventQueue queue;
  std::multimap<std::int64_t, std::uint32_t> expected;  // equals stay in the order of insertion
  std::int64_t now = 0;
  std::uint32_t pushed = 0;
  const auto pop_agrees = [&] {
    const Event event = queue.pop();
    now = event.at;
    const auto first = expected.begin();
    const bool same = first->first == event.at && first->second == event.target();
    expected.erase(first);
    return same && queue.empty() == expected.empty();
  };
  for (const Step& step : steps) {
    if (step.pops && !expected.empty()) {
      if (!pop_agrees()) return false;
    } else {
      const std::int64_t at = now + step.ahead;
      push(queue, at, pushed);
      expected.emplace(at, pushed++);
    }
  }
  while (!expected.empty()) {
    if (!pop_agrees()) return false;
  }
  return queue.empty();
}

// Many equal times, some neighbors, a few far away, as in a run.
rc::Gen<std::vector<Step>> any_steps(bool popping) {
  return rc::gen::container<std::vector<Step>>(rc::gen::build<Step>(
      rc::gen::set(&Step::pops, popping ? rc::gen::arbitrary<bool>() : rc::gen::just(false)),
      rc::gen::set(&Step::ahead, rc::gen::oneOf(rc::gen::just(0u), rc::gen::inRange(0u, 4u),
                                                rc::gen::inRange(0u, 1'000'000u),
                                                rc::gen::arbitrary<std::uint32_t>()))));
}

RC_GTEST_PROP(EventQueue, KeepsItsOrderWhilePushesAndPopsAlternate, ()) {
  RC_ASSERT(agrees_with_a_multimap(*any_steps(true)));
}

RC_GTEST_PROP(EventQueue, KeepsItsOrderAcrossTheSwitchFromFewToManyAndBack, ()) {
  auto steps = *any_steps(false);
  const auto more = *any_steps(true);
  steps.insert(steps.end(), 40, Step{.pops = true});
  steps.insert(steps.end(), more.begin(), more.end());
  RC_ASSERT(agrees_with_a_multimap(steps));
}

TEST(EventQueue, KeepsItsOrderWithAHundredThousandPending) {
  std::vector<Step> steps;
  Random random(1, 1);
  for (int i = 0; i < 100'000; ++i)
    steps.push_back({.ahead = static_cast<std::uint32_t>(random.below(1'000'000'000))});
  for (int i = 0; i < 100'000; ++i) {
    steps.push_back({.pops = true});
    steps.push_back({.ahead = static_cast<std::uint32_t>(random.below(1'000'000))});
  }
  EXPECT_TRUE(agrees_with_a_multimap(steps));
}

TEST(EventQueue, KeepsEqualsInTheOrderTheyCameWhereFewBecomeMany) {
  for (std::uint32_t before = 1; before < 40; ++before) {
    EventQueue queue;
    push(queue, 5, 1000);
    for (std::uint32_t i = 0; i < before; ++i) push(queue, 7, i);
    EXPECT_EQ(queue.pop().target(), 1000u);
    for (std::uint32_t i = before; i < 60; ++i) push(queue, 7, i);
    std::vector<std::uint32_t> expected(60);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(drained(queue), expected) << before;
  }
}

TEST(EventQueue, AcceptsWhatIsDueAtTheInstantJustPopped) {
  for (const std::uint32_t crowd : {0u, 100u}) {
    EventQueue queue;
    for (std::uint32_t i = 0; i < crowd; ++i) push(queue, 100, 500 + i);
    push(queue, 10, 1);
    push(queue, 10, 2);
    EXPECT_EQ(queue.pop().target(), 1u);
    push(queue, 10, 3);
    EXPECT_EQ(queue.pop().target(), 2u);
    EXPECT_EQ(queue.pop().target(), 3u);
    EXPECT_EQ(queue.empty(), crowd == 0);
  }
}

TEST(EventQueue, OrdersTheEndsOfTime) {
  for (const std::uint32_t crowd : {0u, 100u}) {
    EventQueue queue;
    for (std::uint32_t i = 0; i < crowd; ++i) push(queue, 1, 500 + i);
    queue.push(kNever, EventKind::wake, 3, 0);
    queue.push(kNever - Duration(1), EventKind::wake, 2, 0);
    queue.push(kStart, EventKind::wake, 1, 0);
    const auto order = drained(queue);
    EXPECT_EQ(order.front(), 1u);
    EXPECT_EQ(order[order.size() - 2], 2u);
    EXPECT_EQ(order.back(), 3u);
  }
}

TEST(EventQueue, HandsBackWhatItWasGiven) {
  EventQueue queue;
  queue.push(Instant(Duration(9)), EventKind::patience, 0xfffffffe, kTicketMask);
  const Event event = queue.pop();
  EXPECT_EQ(event.at, 9);
  EXPECT_EQ(event.kind(), EventKind::patience);
  EXPECT_EQ(event.target(), 0xfffffffe);
  EXPECT_EQ(event.ticket(), kTicketMask);
}

RC_GTEST_PROP(EventQueue, PopsAnyOnlyAmongEquals, ()) {
  const auto steps = *any_steps(false);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  EventQueue queue;
  std::multimap<std::int64_t, std::uint32_t> expected;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    push(queue, steps[i].ahead, i);
    expected.emplace(steps[i].ahead, i);
  }
  Random order(seed, 0);
  while (!expected.empty()) {
    const Event event = queue.pop_any(order);
    RC_ASSERT(event.at == expected.begin()->first);
    const auto [from, to] = expected.equal_range(event.at);
    const auto found =
        std::find_if(from, to, [&event](const auto& one) { return one.second == event.target(); });
    RC_ASSERT(found != to);
    expected.erase(found);
  }
  RC_ASSERT(queue.empty());
}

std::vector<std::uint32_t> permuted(std::uint32_t equals, std::uint64_t seed) {
  EventQueue queue;
  for (std::uint32_t i = 0; i < equals; ++i) push(queue, 1, i);
  Random order(seed, 0);
  std::vector<std::uint32_t> targets;
  while (!queue.empty()) targets.push_back(queue.pop_any(order).target());
  return targets;
}

TEST(EventQueue, PopsEqualsInEveryOrder) {
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 0; seed < 200; ++seed) orders.insert(permuted(4, seed));
  EXPECT_EQ(orders.size(), 24u);
}

TEST(EventQueue, PopsAnyBySeedAlone) {
  EXPECT_EQ(permuted(100, 3), permuted(100, 3));
  EXPECT_NE(permuted(100, 3), permuted(100, 4));
}

TEST(EventQueue, ForgetsEverythingWhenCleared) {
  for (const std::uint32_t pending : {1u, 16u, 17u, 1'000u}) {
    EventQueue queue;
    for (std::uint32_t i = 0; i < pending; ++i) push(queue, 1'000'000 + 7 * i, i);
    queue.pop();
    queue.clear();
    EXPECT_TRUE(queue.empty());
    // Time begins again, before what has been popped.
    for (std::uint32_t i = 0; i < 40; ++i) push(queue, 39 - i, i);
    const auto order = drained(queue);
    ASSERT_EQ(order.size(), 40u);
    EXPECT_TRUE(std::is_sorted(order.rbegin(), order.rend())) << pending;
  }
}

// More events than the window holds, and some far ahead.
TEST(EventQueue, GivesEventsAnotherTimeAndKeepsTheOrderOfThoseOfOneTime) {
  EventQueue queue;
  for (std::uint32_t i = 0; i < 1000; ++i)
    queue.push(Event(10 + std::int64_t{i} * i, EventKind::wake, i, 0));
  EXPECT_EQ(queue.pop().target(), 0u);
  queue.retime([](Event& event) {
    if (event.target() % 2 == 0) event.at = 20;
  });
  std::vector<Event> left;
  while (!queue.empty()) left.push_back(queue.pop());
  ASSERT_EQ(left.size(), 999u);
  for (std::size_t i = 1; i < left.size(); ++i) {
    EXPECT_LE(left[i - 1].at, left[i].at);
    if (left[i - 1].at == left[i].at) {
      EXPECT_LT(left[i - 1].target(), left[i].target());
    }
  }
  EXPECT_EQ(left[2].target(), 2u);
  EXPECT_EQ(left[2].at, 20);
}

}  // namespace
}  // namespace picklock::sim
