#include "models/zookeeper/log.h"

#include <gtest/gtest.h>

namespace picklock::zookeeper::log_tests {
namespace {

Log log_up_to(Zxid last) {
  Log log;
  for (Zxid zxid = 1; zxid <= last; ++zxid) log.append({.zxid = zxid});
  return log;
}

TEST(Log, KeepsWhatWasFsyncedWhenThePowerGoesAndAllWhenTheProcessDoes) {
  Log log = log_up_to(5);
  log.fsynced(3);
  Log crashed = log;
  crashed.restart(sim::Keeps::all);
  EXPECT_EQ(crashed.last(), 5);
  EXPECT_EQ(crashed.safe(), 5);
  log.restart(sim::Keeps::fsynced);
  EXPECT_EQ(log.last(), 3);
}

TEST(Log, IsEmptyWithEpochsOfZeroOnADiskThatIsNew) {
  Log log = log_up_to(2);
  log.accept(7);
  log.enter(7);
  log.restart(sim::Keeps::none);
  EXPECT_EQ(log.last(), 0);
  EXPECT_EQ(log.accepted_epoch(), 0);
  EXPECT_EQ(log.current_epoch(), 0);
}

TEST(Log, ForgetsWhatIsBehindAPlace) {
  Log log = log_up_to(5);
  log.fsynced(5);
  log.truncate(2);
  EXPECT_EQ(log.last(), 2);
  EXPECT_EQ(log.safe(), 2);
  EXPECT_EQ(log.up_to(1), 1);
  EXPECT_EQ(log.up_to(9), 2);
}

}  // namespace
}  // namespace picklock::zookeeper::log_tests
