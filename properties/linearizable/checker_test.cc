#include <gtest/gtest.h>

#include <type_traits>

#include "sim/sanitizer.h"
#include "testing/operations.h"
#include "testing/whole.h"

namespace picklock::properties::linearizable {
namespace {

using enum Mutex::Verb;
using Mutexes = Script<Mutex>;

TEST(Checker, CallsNoOperationsLinearizable) { EXPECT_TRUE(Mutexes().is_linearizable()); }

TEST(Checker, LetsOperationsThatTouchTakeEffectInEitherOrder) {
  EXPECT_TRUE(Mutexes()
                  .does(0, 1, {acquire, 1})
                  .does(5, 9, {release, 1})
                  .does(2, 5, {acquire, 2})
                  .is_linearizable());
}

TEST(Checker, LetsAPendingOperationTakeEffectAtAnyLaterTimeOrNever) {
  const auto with_pending_acquire = [](std::int64_t invoked, bool released) {
    Mutexes lock;
    lock.does(0, 1, {acquire, 1}).does(2, 3, {release, 1}).leaves_open(invoked, {acquire, 2});
    if (released) lock.does(10, 11, {release, 2});
    return lock.does(20, 21, {acquire, 3}).is_linearizable();
  };
  EXPECT_TRUE(with_pending_acquire(0, false));
  EXPECT_TRUE(with_pending_acquire(0, true));
  EXPECT_TRUE(with_pending_acquire(11, true));
  EXPECT_FALSE(with_pending_acquire(12, true));
}

TEST(Checker, ChecksEachObjectByItself) {
  EXPECT_TRUE(Mutexes().does(0, 1, {acquire, 1}, 5).does(2, 3, {acquire, 2}, 3).is_linearizable());
  const Answer answer = Mutexes()
                            .does(0, 1, {acquire, 1}, 5)
                            .does(0, 1, {acquire, 2}, 3)
                            .does(2, 3, {acquire, 3}, 5)
                            .answer();
  EXPECT_EQ(answer.opinion, Opinion::not_linearizable);
  EXPECT_EQ(answer.stuck, 2U);
}

TEST(Checker, NamesTheOrderInWhichOperationsCanHaveTakenEffect) {
  const Answer answer = Mutexes()
                            .does(0, 9, {acquire, 1})
                            .does(0, 5, {acquire, 2})
                            .leaves_open(0, {acquire, 3})
                            .does(6, 7, {release, 2})
                            .answer();
  EXPECT_EQ(answer.order, (std::vector<std::uint32_t>{1, 3, 0}));
}

TEST(Checker, NamesTheOperationThatCannotHaveTakenEffect) {
  const Answer answer = Mutexes()
                            .does(0, 1, {acquire, 1})
                            .does(2, 3, {release, 1})
                            .does(0, 5, {acquire, 2})
                            .does(4, 6, {acquire, 3})
                            .does(7, 8, {release, 3})
                            .answer();
  EXPECT_EQ(answer.opinion, Opinion::not_linearizable);
  EXPECT_EQ(answer.stuck, 3U);
  EXPECT_TRUE(answer.order.empty());
}

// Takes of different sizes from a semaphore: the order of those that overlap matters, and very
// many orders lead to few configurations.
Script<Semaphore> takes_that_overlap(std::uint32_t count) {
  Script<Semaphore> all({.permits = count * (count + 1) / 2});
  for (std::uint32_t i = 1; i <= count; ++i) all.does(0, 10, {Semaphore::Verb::acquire, i});
  return all.does(20, 21, {Semaphore::Verb::acquire, 1});
}

TEST(Checker, RemembersConfigurationsInsteadOfTryingEveryOrder) {
  const Answer answer = takes_that_overlap(12).answer();
  EXPECT_EQ(answer.opinion, Opinion::not_linearizable);
  EXPECT_LE(answer.configurations, 1U << 12U);  // sets of operations, instead of 12! orders
  EXPECT_LE(answer.steps, 12U << 12U);
}

TEST(Checker, GivesUpAtALimit) {
  const Script<Semaphore> hard = takes_that_overlap(24);
  const Answer remembered = hard.answer({.configurations = 1000});
  EXPECT_EQ(remembered.opinion, Opinion::unknown);
  EXPECT_LE(remembered.configurations, 1000U);
  const Answer tried = hard.answer({.steps = 1000});
  EXPECT_EQ(tried.opinion, Opinion::unknown);
  EXPECT_LE(tried.steps, 1001U);
  EXPECT_EQ(hard.answer().opinion, Opinion::unknown);
}

TEST(Checker, FindsAViolationAlthoughItGaveUpOnAnotherObject) {
  Script<Semaphore> hard = takes_that_overlap(24);
  hard.does(0, 1, {Semaphore::Verb::release, 1}, 1);
  EXPECT_EQ(hard.answer({.configurations = 1000}).opinion, Opinion::not_linearizable);
}

constexpr std::uint32_t kLength = sim::kSanitized ? 10'000 : 100'000;

std::vector<Program<Mutex>> contenders(std::uint32_t clients) {
  std::vector<Program<Mutex>> all;
  for (Owner owner = 1; owner <= clients; ++owner)
    all.push_back({{acquire, owner}, {release, owner}});
  return all;
}

class CheckerAtLength : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  const std::uint32_t clients_ = GetParam();
};

// Steps are counted instead of time.
template <class Specification>
void expect_few_steps(const Specification& specification,
                      const Operations<Specification>& operations, std::uint64_t clients) {
  const Answer answer = check(specification, operations);
  EXPECT_EQ(answer.opinion, Opinion::linearizable);
  EXPECT_TRUE(proves(specification, operations, answer.order));
  EXPECT_LE(answer.steps, operations.size() * (clients + 1));
  EXPECT_LE(answer.configurations, operations.size());
}

TEST_P(CheckerAtLength, TriesFewActionsOfACorrectMutex) {
  expect_few_steps(Mutex{}, correct_run(Mutex{}, kLength, contenders(clients_)), clients_);
}

TEST_P(CheckerAtLength, BearsReleasesThatAreNeverAnswered) {
  expect_few_steps(Mutex{}, correct_run(Mutex{}, kLength, contenders(clients_), 100), clients_);
}

TEST_P(CheckerAtLength, FindsAViolationOfAMutexAtTheEnd) {
  Operations<Mutex> operations = correct_run(Mutex{}, kLength, contenders(clients_));
  operations.push_back({{INT64_MAX - 8, INT64_MAX - 7}, 0, {acquire, 1}});
  operations.push_back({{INT64_MAX - 6, INT64_MAX - 5}, 0, {acquire, 2}});
  const Answer answer = check(Mutex{}, operations);
  EXPECT_EQ(answer.opinion, Opinion::not_linearizable);
  EXPECT_LE(answer.configurations, 2 * operations.size());
}

TEST_P(CheckerAtLength, TriesFewActionsOfACorrectReentrantLock) {
  using Verb = ReentrantLock::Verb;
  std::vector<Program<ReentrantLock>> programs;
  for (Owner owner = 1; owner <= clients_; ++owner) {
    programs.push_back({{Verb::acquire, owner},
                        {Verb::acquire, owner},
                        {Verb::release, owner},
                        {owner % 4 == 0 ? Verb::lose : Verb::release, owner}});
  }
  expect_few_steps(ReentrantLock{}, correct_run(ReentrantLock{}, kLength, programs), clients_);
}

TEST_P(CheckerAtLength, TriesFewActionsOfACorrectReadWriteLock) {
  using Verb = ReadWriteLock::Verb;
  std::vector<Program<ReadWriteLock>> programs;
  for (Owner owner = 1; owner <= clients_; ++owner) {
    const bool writes = owner % 4 == 0;
    programs.push_back({{writes ? Verb::write : Verb::read, owner},
                        {writes ? Verb::end_write : Verb::end_read, owner}});
  }
  expect_few_steps(ReadWriteLock{}, correct_run(ReadWriteLock{}, kLength, programs), clients_);
}

TEST_P(CheckerAtLength, TriesFewActionsOfACorrectSemaphore) {
  using Verb = Semaphore::Verb;
  std::vector<Program<Semaphore>> programs;
  for (std::uint32_t i = 0; i < clients_; ++i)
    programs.push_back({{Verb::acquire, 1 + i % 3}, {Verb::release, 1 + i % 3}});
  const Semaphore semaphore{.permits = 5};
  expect_few_steps(semaphore, correct_run(semaphore, kLength, programs), clients_);
}

// Each client has a token of its own for every grant, and writes twice.
TEST_P(CheckerAtLength, TriesFewActionsOfACorrectFencingToken) {
  using Verb = FencingToken::Verb;
  Operations<FencingToken> operations;
  for (std::uint32_t token = 1; operations.size() < kLength; ++token) {
    const std::int64_t now = 10 * std::int64_t{token};
    const std::int64_t waited = 10 * std::int64_t{clients_ - 1};
    operations.push_back({{now - waited, now + 1}, 0, {Verb::grant, token}});
    operations.push_back({{now + 2, now + 4}, 0, {Verb::write, token}});
    operations.push_back({{now + 5, now + 7}, 0, {Verb::write, token}});
  }
  expect_few_steps(FencingToken{}, operations, clients_);
}

INSTANTIATE_TEST_SUITE_P(Clients, CheckerAtLength, ::testing::Values(3, 64));

// Draws an action for a small object that few clients use, so that about every second history is
// linearizable.
Mutex::Action draw(const Mutex&, sim::Random& random) {
  const std::uint64_t verb = random.below(5);
  const auto owner = static_cast<Owner>(1 + random.below(2));
  return {verb < 2 ? acquire : verb < 4 ? release : refused, owner};
}
ReentrantLock::Action draw(const ReentrantLock&, sim::Random& random) {
  const auto verb = static_cast<ReentrantLock::Verb>(random.below(8) % 5 % 4);
  return {verb, static_cast<Owner>(1 + random.below(2))};
}
ReadWriteLock::Action draw(const ReadWriteLock&, sim::Random& random) {
  const auto verb = static_cast<ReadWriteLock::Verb>(random.below(4));
  return {verb, static_cast<Owner>(1 + random.below(2))};
}
Semaphore::Action draw(const Semaphore&, sim::Random& random) {
  const auto verb = static_cast<Semaphore::Verb>(random.below(5) % 3);
  return {verb, static_cast<std::uint32_t>(1 + random.below(2))};
}
FencingToken::Action draw(const FencingToken&, sim::Random& random) {
  const auto verb = static_cast<FencingToken::Verb>(random.below(4));
  return {verb, static_cast<std::uint32_t>(1 + random.below(4))};
}

template <class Specification>
class AnySpecification : public ::testing::Test {};
using Specifications =
    ::testing::Types<Mutex, ReentrantLock, ReadWriteLock, Semaphore, FencingToken>;
TYPED_TEST_SUITE(AnySpecification, Specifications);

template <class Specification>
Operations<Specification> some_operations(const Specification& specification, sim::Random& random) {
  Operations<Specification> all(1 + random.below(6));
  for (auto& one : all) {
    one.interval.invoked = static_cast<std::int64_t>(random.below(8));
    one.interval.answered = one.interval.invoked + static_cast<std::int64_t>(random.below(5));
    if (random.below(5) == 0) one.interval.answered = kPending;
    one.action = draw(specification, random);
  }
  return all;
}

TYPED_TEST(AnySpecification, IsJudgedAsByTryingEveryOrder) {
  TypeParam specification{};
  if constexpr (std::is_same_v<TypeParam, Semaphore>) specification.permits = 3;
  if constexpr (std::is_same_v<TypeParam, FencingToken>) specification.granted_before = 2;
  const std::uint32_t histories = tests_are_whole() ? 100'000 : 1500;
  sim::Random random(7, 1);
  std::uint32_t good = 0;
  for (std::uint32_t i = 0; i < histories; ++i) {
    const Operations<TypeParam> operations = some_operations(specification, random);
    const Answer answer = check(specification, operations);
    const bool expected = some_order_proves(specification, operations);
    ASSERT_EQ(answer.opinion, expected ? Opinion::linearizable : Opinion::not_linearizable) << i;
    if (expected) {
      ASSERT_TRUE(proves(specification, operations, answer.order)) << i;
      ++good;
    }
  }
  EXPECT_GT(good, histories / 20);
  EXPECT_GT(histories - good, histories / 20);
}

}  // namespace
}  // namespace picklock::properties::linearizable
