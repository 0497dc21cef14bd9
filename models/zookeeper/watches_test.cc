#include "models/zookeeper/watches.h"

#include <gmock/gmock.h>

namespace picklock::zookeeper::watches_tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Watcher kMe = 1;
constexpr Watcher kOther = 2;

// "1 deleted /a", for each watcher that is notified of the change.
std::vector<std::string> told(Watches& watches, EventType type, const std::string& path) {
  std::vector<Watches::Told> all;
  watches.fire({.type = type, .path = path}, all);
  std::vector<std::string> texts;
  for (const Watches::Told& one : all) {
    constexpr std::string_view kNames[] = {"", "created", "deleted", "data", "children"};
    texts.push_back(std::to_string(one.who) + " " +
                    std::string(kNames[static_cast<std::size_t>(one.type)]) + " " + one.path);
  }
  return texts;
}

TEST(Watches, TellOnce) {  // Z30
  Watches watches;
  watches.watch_data("/a", kMe);
  watches.watch_data("/a", kMe);
  EXPECT_THAT(told(watches, EventType::created, "/a"), ElementsAre("1 created /a"));
  EXPECT_THAT(told(watches, EventType::data_changed, "/a"), IsEmpty());
  EXPECT_EQ(watches.size(), 0U);
}

TEST(Watches, TellOfANodeThatHasGoneOnceWhateverWasWatched) {  // Z32
  Watches watches;
  watches.watch_data("/a", kMe);
  watches.watch_children("/a", kMe);
  watches.watch_children("/a", kOther);
  EXPECT_THAT(told(watches, EventType::deleted, "/a"), ElementsAre("1 deleted /a", "2 deleted /a"));
  EXPECT_EQ(watches.size(), 0U);
}

TEST(Watches, OfChildrenAreNoWatchesOfData) {
  Watches watches;
  watches.watch_children("/a", kMe);
  watches.watch_data("/b", kMe);
  EXPECT_THAT(told(watches, EventType::data_changed, "/a"), IsEmpty());
  EXPECT_THAT(told(watches, EventType::children_changed, "/b"), IsEmpty());
  EXPECT_THAT(told(watches, EventType::children_changed, "/a"), ElementsAre("1 children /a"));
}

TEST(Watches, AreRemovedByTheirType) {  // Z54
  Watches watches;
  watches.watch_data("/a", kMe);
  watches.watch_children("/a", kMe);
  EXPECT_FALSE(watches.remove("/a", WatcherType::any, kOther));
  EXPECT_TRUE(watches.remove("/a", WatcherType::data, kMe));
  EXPECT_FALSE(watches.remove("/a", WatcherType::data, kMe));
  EXPECT_TRUE(watches.remove("/a", WatcherType::any, kMe));
  EXPECT_EQ(watches.size(), 0U);
}

TEST(Watches, AreLookedUpByTheirType) {  // Z64
  Watches watches;
  watches.watch_data("/a", kMe);
  EXPECT_TRUE(watches.has("/a", WatcherType::data, kMe));
  EXPECT_TRUE(watches.has("/a", WatcherType::any, kMe));
  EXPECT_FALSE(watches.has("/a", WatcherType::children, kMe));
  EXPECT_FALSE(watches.has("/a", WatcherType::any, kOther));
  EXPECT_EQ(watches.size(), 1U);
}

TEST(Watches, EndWithTheConnection) {  // Z34
  Watches watches;
  watches.watch_data("/a", kMe);
  watches.watch_data("/a", kOther);
  watches.watch_children("/b", kMe);
  watches.drop(kMe);
  EXPECT_EQ(watches.size(), 1U);
  EXPECT_THAT(told(watches, EventType::deleted, "/a"), ElementsAre("2 deleted /a"));
}

}  // namespace
}  // namespace picklock::zookeeper::watches_tests
