// The scripts on a Redis model alone, and the state they leave there (docs/facts/algorithms.md 1).
#include "models/locks/redisson/scripts.h"

#include <gmock/gmock.h>

#include <initializer_list>

#include "models/redis/lone_server.h"

namespace picklock::models::locks::redisson::scripts_tests {
namespace {

using namespace std::chrono_literals;
using Words = std::initializer_list<std::string_view>;

constexpr std::string_view kNil = "$-1\r\n";
constexpr std::string_view kZero = ":0\r\n";
constexpr std::string_view kOne = ":1\r\n";

class RedissonScripts : public testing::Test {
 protected:
  std::string run(const redis::Script& script, Words keys, Words args) {
    const std::string count = std::to_string(keys.size());
    std::vector<std::string_view> argv = {"EVAL", script.body(), count};
    argv.insert(argv.end(), keys);
    argv.insert(argv.end(), args);
    return server.send(argv);
  }

  std::string take_as(std::string_view owner, std::string_view lease = "30000") {
    return run(take(), {"lock"}, {lease, owner});
  }
  std::string give_back_as(std::string_view owner, std::string_view latch) {
    return run(give_back(), {"lock", "channel", latch}, {"0", "30000", owner, "16000"});
  }

  // A waiter of the fair lock whose place is good for 1 s, at this instant of its clock.
  std::string queue_as(std::string_view owner, std::string_view now,
                       std::string_view life = "1000") {
    return run(take_in_turn(), {"lock", "queue", "places"}, {"30000", owner, life, now});
  }
  std::string give_to_next_as(std::string_view owner, std::string_view now,
                              std::string_view latch = "latch") {
    return run(give_to_next(), {"lock", "queue", "places", latch, "channel"},
               {"0", "30000", owner, now, "16000"});
  }

  std::string holds(std::string_view owner) { return server("HGET", "lock", owner); }
  std::string left(std::string_view key = "lock") { return server("PTTL", key); }
  std::string queue() { return server("LRANGE", "queue", "0", "-1"); }
  std::string places() { return server("ZRANGE", "places", "0", "-1", "WITHSCORES"); }

  // A session that receives the messages of these channels from now on.
  redis::Session& hearing(Words channels) {
    redis::Session& session = server.connect();
    std::vector<std::string_view> argv = {"SUBSCRIBE"};
    argv.insert(argv.end(), channels);
    server.send(session, argv);
    redis::LoneServer::pushed(session);
    return session;
  }

  static std::string bulk(std::string_view text) {
    return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
  }
  static std::string list(Words words) {
    std::string all = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string_view word : words) all += bulk(word);
    return all;
  }

  redis::LoneServer server;
};

// ---------------------------------------------------------------- 1.2

TEST_F(RedissonScripts, TakeAFreeLockForItsLease) {
  EXPECT_EQ(take_as("a"), kNil);
  EXPECT_EQ(holds("a"), bulk("1"));
  EXPECT_EQ(left(), ":30000\r\n");
}

TEST_F(RedissonScripts, CountHowOftenItsOwnerHoldsIt) {
  take_as("a");
  server.pass(10s);
  EXPECT_EQ(take_as("a", "5000"), kNil);
  EXPECT_EQ(holds("a"), bulk("2"));
  EXPECT_EQ(left(), ":5000\r\n");
}

TEST_F(RedissonScripts, TellAnotherHowLongTheHoldersLeaseIs) {
  take_as("a");
  server.pass(10s);
  EXPECT_EQ(take_as("b"), ":20000\r\n");
  EXPECT_EQ(holds("b"), kNil);
  EXPECT_EQ(left(), ":20000\r\n");
}

TEST_F(RedissonScripts, TellAnotherThatALockHasNoLease) {
  take_as("a");
  server("PERSIST", "lock");
  EXPECT_EQ(take_as("b"), ":-1\r\n");
}

TEST_F(RedissonScripts, GiveBackOneOfSeveralHoldsAndRenewTheLease) {
  take_as("a");
  take_as("a");
  server.pass(10s);
  EXPECT_EQ(give_back_as("a", "latch"), kZero);
  EXPECT_EQ(holds("a"), bulk("1"));
  EXPECT_EQ(left(), ":30000\r\n");
  EXPECT_EQ(server("GET", "latch"), bulk("0"));
  EXPECT_EQ(left("latch"), ":16000\r\n");
}

TEST_F(RedissonScripts, GiveBackTheLastHoldAndSaySo) {
  redis::Session& waiter = hearing({"channel"});
  take_as("a");
  EXPECT_EQ(give_back_as("a", "latch"), kOne);
  EXPECT_EQ(server("EXISTS", "lock"), kZero);
  EXPECT_EQ(server("GET", "latch"), bulk("1"));
  EXPECT_EQ(left("latch"), ":16000\r\n");
  EXPECT_EQ(redis::LoneServer::pushed(waiter), list({"message", "channel", "0"}));
}

TEST_F(RedissonScripts, SayNothingWhileItIsStillHeld) {
  redis::Session& waiter = hearing({"channel"});
  take_as("a");
  take_as("a");
  give_back_as("a", "latch");
  EXPECT_EQ(redis::LoneServer::pushed(waiter), "");
}

TEST_F(RedissonScripts, GiveNothingBackThatIsAnothers) {
  take_as("a");
  EXPECT_EQ(give_back_as("b", "latch"), kNil);
  EXPECT_EQ(holds("a"), bulk("1"));
  EXPECT_EQ(server("EXISTS", "latch"), kZero);
}

// A copy of a release finds the latch of the first (pitfall 4).
TEST_F(RedissonScripts, AnswerACopyOfAReleaseAsTheFirst) {
  take_as("a");
  take_as("a");
  EXPECT_EQ(give_back_as("a", "one"), kZero);
  EXPECT_EQ(give_back_as("a", "one"), kZero);
  EXPECT_EQ(holds("a"), bulk("1"));
  EXPECT_EQ(give_back_as("a", "two"), kOne);
  EXPECT_EQ(give_back_as("a", "two"), kOne);
}

TEST_F(RedissonScripts, LeaveWhoHasComeAfterACopyOfARelease) {
  take_as("a");
  give_back_as("a", "latch");
  take_as("a");
  EXPECT_EQ(give_back_as("a", "latch"), kOne);
  EXPECT_EQ(holds("a"), bulk("1"));
}

TEST_F(RedissonScripts, KnowNoCopyOnceTheLatchHasExpired) {
  take_as("a");
  give_back_as("a", "latch");
  server.pass(16001ms);
  EXPECT_EQ(give_back_as("a", "latch"), kNil);
}

TEST_F(RedissonScripts, GiveBackTwiceWithoutALatch) {
  const auto without = [this] {
    return run(give_back_without_latch(), {"lock", "channel"}, {"0", "30000", "a"});
  };
  redis::Session& waiter = hearing({"channel"});
  take_as("a");
  take_as("a");
  server.pass(10s);
  EXPECT_EQ(without(), kZero);
  EXPECT_EQ(left(), ":30000\r\n");
  EXPECT_EQ(without(), kOne);
  EXPECT_EQ(server("DBSIZE"), kZero);
  EXPECT_EQ(redis::LoneServer::pushed(waiter), list({"message", "channel", "0"}));
  EXPECT_EQ(without(), kNil);
}

// 1.4
TEST_F(RedissonScripts, ExtendEachLockThatIsStillItsOwners) {
  take_as("a");
  run(take(), {"other"}, {"30000", "b"});
  server.pass(10s);
  EXPECT_EQ(run(extend(), {"lock", "other", "gone"}, {"30000", "a", "a", "a"}),
            "*3\r\n:1\r\n:0\r\n:0\r\n");
  EXPECT_EQ(left("lock"), ":30000\r\n");
  EXPECT_EQ(left("other"), ":20000\r\n");
  EXPECT_EQ(server("EXISTS", "gone"), kZero);
}

TEST_F(RedissonScripts, ForceALockOpenWhoeverHoldsIt) {
  redis::Session& waiter = hearing({"channel"});
  take_as("a");
  take_as("a");
  EXPECT_EQ(run(force_open(), {"lock", "channel"}, {"0"}), kOne);
  EXPECT_EQ(server("EXISTS", "lock"), kZero);
  EXPECT_EQ(redis::LoneServer::pushed(waiter), list({"message", "channel", "0"}));
  EXPECT_EQ(run(force_open(), {"lock", "channel"}, {"0"}), kZero);
  EXPECT_EQ(redis::LoneServer::pushed(waiter), "");
}

TEST_F(RedissonScripts, ForceALockOpenForTheHolderThatWasSeenAlone) {
  redis::Session& waiter = hearing({"channel"});
  take_as("a");
  EXPECT_EQ(run(force_open_of(), {"lock", "channel"}, {"0", "b"}), kZero);
  EXPECT_EQ(holds("a"), bulk("1"));
  EXPECT_EQ(redis::LoneServer::pushed(waiter), "");
  EXPECT_EQ(run(force_open_of(), {"lock", "channel"}, {"0", "a"}), kOne);
  EXPECT_EQ(server("EXISTS", "lock"), kZero);
  EXPECT_EQ(redis::LoneServer::pushed(waiter), list({"message", "channel", "0"}));
}

// ---------------------------------------------------------------- 1.8

TEST_F(RedissonScripts, MintATokenWithEveryHold) {
  const auto take_it = [this](std::string_view owner) {
    return run(take_fenced(), {"lock", "token"}, {"30000", owner});
  };
  EXPECT_EQ(take_it("a"), "*2\r\n:-1\r\n:1\r\n");
  server.pass(10s);
  EXPECT_EQ(take_it("b"), "*2\r\n:20000\r\n:-1\r\n");
  EXPECT_EQ(take_it("a"), "*2\r\n:-1\r\n:2\r\n");
  EXPECT_EQ(holds("a"), bulk("2"));
  EXPECT_EQ(left(), ":30000\r\n");
  EXPECT_EQ(left("token"), ":-1\r\n");
}

TEST_F(RedissonScripts, KeepTheTokenWhenTheLockIsGivenBack) {
  run(take_fenced(), {"lock", "token"}, {"30000", "a"});
  give_back_as("a", "latch");
  EXPECT_EQ(run(take_fenced(), {"lock", "token"}, {"30000", "b"}), "*2\r\n:-1\r\n:2\r\n");
}

// ---------------------------------------------------------------- 1.10

TEST_F(RedissonScripts, GiveBackInSilence) {
  const auto silently = [this](std::string_view owner, std::string_view latch) {
    return run(give_back_silently(), {"lock", latch}, {"30000", owner, "16000"});
  };
  take_as("a");
  take_as("a");
  server.pass(10s);
  EXPECT_EQ(silently("b", "latch"), kNil);
  EXPECT_EQ(silently("a", "one"), kZero);
  EXPECT_EQ(left(), ":30000\r\n");
  EXPECT_EQ(silently("a", "one"), kZero);
  EXPECT_EQ(left("one"), ":16000\r\n");
  EXPECT_EQ(silently("a", "two"), kOne);
  EXPECT_EQ(silently("a", "two"), kOne);
  EXPECT_EQ(left("two"), ":16000\r\n");
  EXPECT_EQ(server("EXISTS", "lock"), kZero);
}

// ---------------------------------------------------------------- 1.9

TEST_F(RedissonScripts, TakeAFreeLockThatNobodyQueuesFor) {
  EXPECT_EQ(queue_as("a", "0"), kNil);
  EXPECT_EQ(holds("a"), bulk("1"));
  EXPECT_EQ(left(), ":30000\r\n");
  EXPECT_EQ(server("EXISTS", "queue", "places"), kZero);
}

TEST_F(RedissonScripts, LetTheHolderOfAFairLockInAgain) {
  queue_as("a", "0");
  queue_as("b", "0");
  EXPECT_EQ(queue_as("a", "0"), kNil);
  EXPECT_EQ(holds("a"), bulk("2"));
}

// The first place is good until the holder's lease has ended, and one wait longer.
TEST_F(RedissonScripts, QueueTheFirstBehindTheHoldersLease) {
  queue_as("a", "0");
  EXPECT_EQ(queue_as("b", "500"), ":30000\r\n");
  EXPECT_EQ(queue(), list({"b"}));
  EXPECT_EQ(places(), list({"b", "31500"}));
}

TEST_F(RedissonScripts, QueueTheNextBehindTheLastPlace) {
  queue_as("a", "0");
  queue_as("b", "500");
  EXPECT_EQ(queue_as("c", "600"), ":30900\r\n");
  EXPECT_EQ(queue(), list({"b", "c"}));
  EXPECT_EQ(places(), list({"b", "31500", "c", "32500"}));
}

TEST_F(RedissonScripts, KeepThePlaceOfWhoAsksAgain) {
  queue_as("a", "0");
  queue_as("b", "500");
  server.pass(10s);
  EXPECT_EQ(queue_as("b", "600"), ":20000\r\n");
  EXPECT_EQ(queue(), list({"b"}));
  EXPECT_EQ(places(), list({"b", "31500"}));
}

// The lock is free by then, and another waiter is first.
TEST_F(RedissonScripts, TellWhoAsksAgainNoNegativeTime) {
  queue_as("a", "0");
  queue_as("b", "0");
  queue_as("c", "0");
  server("DEL", "lock");
  EXPECT_EQ(queue_as("c", "1"), kZero);
}

TEST_F(RedissonScripts, GiveAFreeLockToTheFirstAndMoveTheRestUp) {
  queue_as("a", "0");
  queue_as("b", "0");
  queue_as("c", "0");
  queue_as("d", "0");
  server("DEL", "lock");
  EXPECT_EQ(queue_as("b", "1"), kNil);
  EXPECT_EQ(holds("b"), bulk("1"));
  EXPECT_EQ(left(), ":30000\r\n");
  EXPECT_EQ(queue(), list({"c", "d"}));
  EXPECT_EQ(places(), list({"c", "31000", "d", "32000"}));
}

TEST_F(RedissonScripts, GiveAFreeLockToNobodyBehindTheFirst) {
  queue_as("a", "0");
  queue_as("b", "0");
  server("DEL", "lock");
  EXPECT_NE(queue_as("c", "0"), kNil);
  EXPECT_EQ(server("EXISTS", "lock"), kZero);
}

// A place expires at its very instant.
TEST_F(RedissonScripts, DropTheLateFromTheHeadOfTheQueue) {
  queue_as("a", "0");
  queue_as("b", "0");
  queue_as("c", "0");
  queue_as("d", "0");
  server("DEL", "lock");
  EXPECT_NE(queue_as("d", "31999"), kNil);
  EXPECT_EQ(queue(), list({"c", "d"}));
  EXPECT_EQ(queue_as("d", "32000"), kNil);
  EXPECT_EQ(server("EXISTS", "queue", "places"), kZero);
}

TEST_F(RedissonScripts, DropNobodyBehindOneInTime) {
  queue_as("a", "0");
  queue_as("b", "0", "5000");
  queue_as("c", "0");
  server("ZADD", "places", "10", "c");
  queue_as("a", "100");
  EXPECT_EQ(queue(), list({"b", "c"}));
}

TEST_F(RedissonScripts, RefuseWhoDoesNotQueueWithoutAPlace) {
  const auto try_as = [this](std::string_view owner, std::string_view now) {
    return run(take_if_first(), {"lock", "queue", "places"}, {"30000", owner, "1000", now});
  };
  EXPECT_EQ(try_as("a", "0"), kNil);
  EXPECT_EQ(try_as("a", "0"), kNil);
  EXPECT_EQ(holds("a"), bulk("2"));
  EXPECT_EQ(try_as("b", "0"), kOne);
  EXPECT_EQ(server("EXISTS", "queue", "places"), kZero);
  queue_as("c", "0");
  server("DEL", "lock");
  EXPECT_EQ(try_as("b", "0"), kOne);
  EXPECT_EQ(try_as("b", "31000"), kNil);
}

TEST_F(RedissonScripts, CallTheFirstOfTheQueueAlone) {
  redis::Session& waiters = hearing({"channel", "channel:b", "channel:c"});
  queue_as("a", "0");
  queue_as("b", "0");
  queue_as("c", "0");
  EXPECT_EQ(give_to_next_as("a", "1"), kOne);
  EXPECT_EQ(server("EXISTS", "lock"), kZero);
  EXPECT_EQ(redis::LoneServer::pushed(waiters), list({"message", "channel:b", "0"}));
  EXPECT_EQ(server("GET", "latch"), bulk("1"));
  EXPECT_EQ(left("latch"), ":16000\r\n");
  EXPECT_EQ(queue(), list({"b", "c"}));
}

TEST_F(RedissonScripts, CallNobodyWhoseTimeIsOver) {
  redis::Session& waiters = hearing({"channel:b", "channel:c"});
  queue_as("a", "0");
  queue_as("b", "0");
  queue_as("c", "0");
  EXPECT_EQ(give_to_next_as("a", "31000"), kOne);
  EXPECT_EQ(redis::LoneServer::pushed(waiters), list({"message", "channel:c", "0"}));
}

TEST_F(RedissonScripts, CallTheFirstWhereAFairLockIsForcedOpen) {
  redis::Session& waiters = hearing({"channel", "channel:b", "channel:c"});
  const auto force = [this](std::string_view holder) {
    return run(force_open_for_next(), {"lock", "queue", "places", "channel"}, {"0", "1", holder});
  };
  queue_as("a", "0");
  queue_as("b", "0");
  queue_as("c", "0");
  EXPECT_EQ(force("b"), kZero);
  EXPECT_EQ(redis::LoneServer::pushed(waiters), "");
  EXPECT_EQ(force("a"), kOne);
  EXPECT_EQ(server("EXISTS", "lock"), kZero);
  EXPECT_EQ(redis::LoneServer::pushed(waiters), list({"message", "channel:b", "0"}));
  EXPECT_EQ(force(""), kZero);
}

TEST_F(RedissonScripts, CallNobodyWhileAFairLockIsStillHeld) {
  redis::Session& waiters = hearing({"channel:b"});
  queue_as("a", "0");
  queue_as("a", "0");
  queue_as("b", "0");
  server.pass(10s);
  EXPECT_EQ(give_to_next_as("a", "1"), kZero);
  EXPECT_EQ(give_to_next_as("a", "1"), kZero);
  EXPECT_EQ(holds("a"), bulk("1"));
  EXPECT_EQ(left(), ":30000\r\n");
  EXPECT_EQ(server("GET", "latch"), bulk("0"));
  EXPECT_EQ(redis::LoneServer::pushed(waiters), "");
}

TEST_F(RedissonScripts, CallNobodyForACopyOfARelease) {
  redis::Session& waiters = hearing({"channel:b"});
  queue_as("a", "0");
  queue_as("b", "0");
  give_to_next_as("a", "1");
  redis::LoneServer::pushed(waiters);
  EXPECT_EQ(give_to_next_as("a", "1"), kOne);
  EXPECT_EQ(redis::LoneServer::pushed(waiters), "");
}

// The owner that has lost the lock is not notified.
TEST_F(RedissonScripts, CallTheFirstWhereAFairLockHadExpired) {
  redis::Session& waiters = hearing({"channel:b"});
  queue_as("a", "0");
  queue_as("b", "0");
  server("DEL", "lock");
  EXPECT_EQ(give_to_next_as("a", "1"), kOne);
  EXPECT_EQ(redis::LoneServer::pushed(waiters), list({"message", "channel:b", "0"}));
  EXPECT_EQ(server("GET", "latch"), bulk("1"));
}

TEST_F(RedissonScripts, GiveBackNoFairLockThatIsAnothers) {
  queue_as("a", "0");
  EXPECT_EQ(give_to_next_as("b", "0"), kNil);
  EXPECT_EQ(holds("a"), bulk("1"));
  EXPECT_EQ(server("EXISTS", "latch"), kZero);
}

TEST_F(RedissonScripts, MoveUpThoseBehindOneWhoLeaves) {
  queue_as("a", "0");
  queue_as("b", "0");
  queue_as("c", "0");
  queue_as("d", "0");
  EXPECT_EQ(run(leave_queue(), {"queue", "places"}, {"c", "1000"}), kOne);
  EXPECT_EQ(queue(), list({"b", "d"}));
  EXPECT_EQ(places(), list({"b", "31000", "d", "32000"}));
}

TEST_F(RedissonScripts, MoveNobodyUpForOneWhoIsNotThere) {
  queue_as("a", "0");
  queue_as("b", "0");
  EXPECT_EQ(run(leave_queue(), {"queue", "places"}, {"c", "1000"}), kZero);
  EXPECT_EQ(places(), list({"b", "31000"}));
}

// docs/facts/failures.md D-06: only forward, and only for a waiter that is in the queue.
TEST_F(RedissonScripts, ProlongThePlaceOfOneWhoStillWaits) {
  const auto keep = [this](std::string_view owner, std::string_view now) {
    return run(keep_place(), {"places"}, {owner, "1000", now});
  };
  queue_as("a", "0");
  queue_as("b", "0");
  EXPECT_EQ(keep("b", "40000"), kOne);
  EXPECT_EQ(places(), list({"b", "41000"}));
  EXPECT_EQ(keep("b", "30000"), kZero);
  EXPECT_EQ(keep("c", "40000"), kZero);
  EXPECT_EQ(places(), list({"b", "41000"}));
}

// ---------------------------------------------------------------- the meaning of their answers

std::string meaning(const redis::Script& script, std::string_view answer) {
  return gloss("EVALSHA " + script.sha() + " 1 lock", answer);
}

TEST(Gloss, TellsAGrantFromTheTimeThatTheHolderHasLeft) {
  EXPECT_EQ(meaning(take(), "nil"), "granted");
  EXPECT_EQ(meaning(take(), "9002"), "refused, 9.002s left");
  EXPECT_EQ(meaning(take(), "30000"), "refused, 30s left");
}

TEST(Gloss, CallsTheNumberOfAQueueATimeToWait) {
  EXPECT_EQ(meaning(take_in_turn(), "nil"), "granted");
  EXPECT_EQ(meaning(take_in_turn(), "16802"), "refused, 16.802s to wait");
}

// The number is no time.
TEST(Gloss, CallsTheNumberForAClientThatDoesNotQueueARefusal) {
  EXPECT_EQ(meaning(take_if_first(), "1"), "refused");
  EXPECT_EQ(meaning(take_if_first(), "nil"), "granted");
}

TEST(Gloss, SaysThatARenewalFoundNothing) {
  EXPECT_EQ(meaning(extend(), "[0]"), "the entry is gone: nothing renewed");
  EXPECT_EQ(meaning(extend(), "[1]"), "");
}

TEST(Gloss, SaysNothingOfErrorsAndOfOtherRequests) {
  EXPECT_EQ(meaning(take(), "error: NOSCRIPT No matching script."), "");
  EXPECT_EQ(meaning(take(), "12 or so"), "");
  EXPECT_EQ(meaning(give_back(), "nil"), "");
  EXPECT_EQ(gloss("GET " + take().sha(), "nil"), "");
  EXPECT_EQ(gloss("EVALSHA", "nil"), "");
}

}  // namespace
}  // namespace picklock::models::locks::redisson::scripts_tests
