#include "sim/stack_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace picklock::sim {
namespace {

constexpr std::size_t kSize = 64 * 1024;

TEST(StackPool, GivesTheStackGivenBackLastAgain) {
  StackPool pool(kSize);
  const Stack first = pool.take();
  const Stack second = pool.take();
  EXPECT_NE(first.bottom, second.bottom);
  pool.give_back(first);
  EXPECT_EQ(pool.take().bottom, first.bottom);
}

TEST(StackPool, MapsNoMoreThanAreInUseAtOnce) {
  StackPool pool(kSize);
  EXPECT_EQ(pool.mapped(), 0u);
  for (int i = 0; i < 10'000; ++i) {
    const Stack stack = pool.take();
    *(stack.top() - 1) = 1;
    pool.give_back(stack);
  }
  const std::size_t mapped = pool.mapped();
  EXPECT_GT(mapped, 0u);
  std::vector<Stack> all;
  for (std::size_t i = 0; i < mapped; ++i) all.push_back(pool.take());
  EXPECT_EQ(pool.mapped(), mapped);
  all.push_back(pool.take());
  EXPECT_GT(pool.mapped(), mapped);
}

TEST(StackPool, GivesStacksThatDoNotOverlapAndCanBeWrittenWhole) {
  StackPool pool(kSize);
  std::vector<Stack> all;
  for (int i = 0; i < 200; ++i) all.push_back(pool.take());
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_GT(all[i].size, kSize * 9 / 10);
    std::memset(all[i].bottom + 8, static_cast<int>(i), all[i].size - 8);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].bottom[8], static_cast<char>(i));
    EXPECT_EQ(all[i].top()[-1], static_cast<char>(i));
  }
}

// Tops at the same offset of every page would compete for the same few cache lines.
TEST(StackPool, SpreadsTheTopsOverThePage) {
  StackPool pool(kSize);
  std::set<std::uintptr_t> offsets;
  for (int i = 0; i < 256; ++i)
    offsets.insert(reinterpret_cast<std::uintptr_t>(pool.take().top()) % 4096);
  EXPECT_GE(offsets.size(), 8u);
}

TEST(StackPoolDeath, GuardsTheFirstStacksByAPage) {
  StackPool pool(kSize);
  const Stack stack = pool.take();
  volatile char* below = stack.bottom;
  EXPECT_DEATH(below[-1] = 1, "");
  EXPECT_DEATH(below[-4096] = 1, "");
}

TEST(StackPoolDeath, AbortsWhenTheLowestWordWasWritten) {
  StackPool pool(kSize);
  const Stack stack = pool.take();
  stack.bottom[7] = 1;
  EXPECT_DEATH(pool.give_back(stack), "overflowed its stack");
}

}  // namespace
}  // namespace picklock::sim
