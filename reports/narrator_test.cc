#include "reports/narrator.h"

#include <gtest/gtest.h>

#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using testing::at_ms;

TEST(Narrator, TellsWhoseEntryAPromotedServerHas) {
  testing::RunBuilder b({"client-1", "redis-1"});
  b.client(at_ms(0), history::What::acquire_invoked, 0, 1);
  const auto copied = b.happens({.at = at_ms(1),
                                 .what = history::What::entry_created,
                                 .process = 1,
                                 .tenure = 0,
                                 .owner = 1});
  const auto taken = b.happens({.at = at_ms(2),
                                .what = history::What::entry_created,
                                .process = 1,
                                .tenure = 1,
                                .owner = 1});
  const Narrator narrator(b.run);
  const std::string key = narrator.key(0);
  EXPECT_EQ(narrator.event(b.run.history[copied]), "redis-1 has client-1's entry of " + key);
  EXPECT_EQ(narrator.event(b.run.history[taken]), "redis-1: client-1 gets an entry of " + key);
}

}  // namespace
}  // namespace picklock::reports
