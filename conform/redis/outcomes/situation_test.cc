#include "conform/redis/outcomes/situation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "conform/redis/outcomes/situations.h"

namespace picklock::conform::redis::outcomes {
namespace {

using namespace std::chrono_literals;

// Gives the replies it was made with, in turn, and repeats the last one; a call takes a
// millisecond.
class Told final : public Side {
 public:
  explicit Told(std::vector<std::string> replies) : replies_(std::move(replies)) {}

  std::vector<std::string> done;

  void begin(const Group& group) override {
    done.push_back("begin " + std::to_string(group.replicas));
  }
  Duration now() override { return now_; }
  void pass(Duration time) override { now_ += time; }
  void send(const std::string& client, const std::string& node, const Words& words) override {
    done.push_back(client + " " + node + " " + words.front());
  }
  std::string receive(const std::string&, const std::string&, Duration) override {
    now_ += 1ms;
    return replies_[std::min(next_++, replies_.size() - 1)];
  }
  void act(Deed, const std::string& node) override { done.push_back("act " + node); }
  void skew(const std::string& node, Duration) override { done.push_back("skew " + node); }
  bool holds(Condition, const std::string&) override { return now_ >= 40ms; }
  Words heard(const std::string&) override { return replies_; }

 private:
  std::vector<std::string> replies_;
  std::size_t next_ = 0;
  Duration now_{0};
};

Outcome outcome_of(std::vector<Step> steps, std::vector<std::string> replies, Group group = {}) {
  Told side(std::move(replies));
  return run({.title = "t", .facts = "f", .group = std::move(group), .steps = std::move(steps)},
             side);
}

TEST(Situation, RecordsOnlyWhatHasAName) {
  EXPECT_EQ(
      outcome_of({Ask{"A", "master", {"SET"}}, Ask{"A", "master", {"GET"}, "seen"}}, {"OK", "v"}),
      (Outcome{{"seen", "v"}}));
}

TEST(Situation, PutsNumbersOnAScale) {
  const Scale scale = {10, 20};
  EXPECT_EQ(outcome_of({Ask{"A", "m", {"PTTL"}, "a", scale}, Ask{"A", "m", {"PTTL"}, "b", scale},
                        Ask{"A", "m", {"PTTL"}, "c", scale}, Ask{"A", "m", {"PTTL"}, "d", scale}},
                       {"9", "10", "20", "nil"}),
            (Outcome{{"a", "below 10"}, {"b", "10 to 20"}, {"c", "20 or more"}, {"d", "nil"}}));
}

TEST(Situation, TakesAFieldOfInfo) {
  EXPECT_EQ(outcome_of({Ask{"A", "m", {"INFO"}, "role", {}, "role"}},
                       {"# Replication\r\nrole:master\r\nslaves:0\r\n"}),
            (Outcome{{"role", "master"}}));
}

TEST(Situation, RepeatsUntilAReplyComes) {
  EXPECT_EQ(outcome_of({Repeat{.client = "A",
                               .node = "m",
                               .words = {"GET"},
                               .until = "v",
                               .as = "last",
                               .count_as = "others",
                               .time_as = "ms",
                               .time_scale = {10}}},
                       {"nil", "nil", "v"}),
            (Outcome{{"last", "v"}, {"others", "some"}, {"ms", "10 or more"}}));
}

TEST(Situation, RepeatsNoLongerThanItMay) {
  EXPECT_EQ(outcome_of({Repeat{.client = "A",
                               .node = "m",
                               .words = {"GET"},
                               .until = "v",
                               .within = 50ms,
                               .as = "last"}},
                       {"nil"}),
            (Outcome{{"last", "nil"}}));
}

TEST(Situation, CallsANodeByWhatItBecame) {
  Told side({"master", "replica-2", "OK"});
  run({.title = "t",
       .facts = "f",
       .steps = {Repeat{.client = "A",
                        .node = "sentinel-1",
                        .words = {"WHO"},
                        .as_long_as = "master",
                        .call = "new master"},
                 Ask{"A", "new master", {"SET"}}}},
      side);
  EXPECT_EQ(side.done.back(), "A replica-2 SET");
}

TEST(Situation, AwaitsAConditionForAWhile) {
  EXPECT_EQ(outcome_of({Await{"m", Condition::link_up, "soon", 20ms},
                        Await{"m", Condition::link_up, "later", 20ms}},
                       {""}),
            (Outcome{{"soon", "never"}, {"later", "yes"}}));
}

TEST(Situation, WritesInstantsOfStandingClocksAsWhatPassed) {
  const std::string instant = std::to_string(kStart + 1000);
  EXPECT_EQ(outcome_of({Heard{"m", "sent"}}, {"SET k v PXAT " + instant}, {.clocks_stand = true}),
            (Outcome{{"sent", "SET k v PXAT t+1000"}}));
  EXPECT_EQ(outcome_of({Heard{"m", "sent"}}, {"PXAT " + instant}),
            (Outcome{{"sent", "PXAT " + instant}}));
}

TEST(AllowedOutcomes, AreCombinationsWithinABlock) {
  const auto all = Allowed::read(
      "# comment\n== One story (R1)\na: 1 | 2\nb: x: y\n\na: 3\nb: z\n\n== Another (R2)\na: 1\n");
  const Allowed& one = all.at("One story");
  EXPECT_TRUE(one.contains({{"a", "2"}, {"b", "x: y"}}));
  EXPECT_TRUE(one.contains({{"a", "3"}, {"b", "z"}}));
  EXPECT_FALSE(one.contains({{"a", "2"}, {"b", "z"}}));
  EXPECT_FALSE(one.contains({{"a", "2"}}));
  EXPECT_TRUE(all.at("Another").contains({{"a", "1"}}));
}

TEST(AllowedOutcomes, AreReadAsTheyAreShown) {
  const Outcome outcome = {{"first grant", "OK"}, {"then", "SELECT 0, SET k v"}};
  EXPECT_TRUE(Allowed::read("== s (R1)\n" + shown(outcome)).at("s").contains(outcome));
}

TEST(Situations, AndTheirOutcomesAreTheSame) {
  std::ifstream file("conform/redis/outcomes/outcomes.txt");
  std::set<std::string> allowed;
  for (const auto& [title, outcomes] :
       Allowed::read(std::string(std::istreambuf_iterator<char>(file), {})))
    allowed.insert(title);
  std::set<std::string> titles;
  for (const Situation& situation : all_situations())
    EXPECT_TRUE(titles.insert(situation.title).second) << situation.title;
  EXPECT_EQ(titles, allowed);
}

}  // namespace
}  // namespace picklock::conform::redis::outcomes
