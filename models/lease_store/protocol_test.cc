#include "models/lease_store/protocol.h"

#include <gtest/gtest.h>

#include <string>

namespace picklock::lease_store::protocol_tests {
namespace {

using namespace std::chrono_literals;

std::string text(const Request& request) {
  sim::Payload payload;
  write(request, payload);
  return std::string(payload.view());
}

TEST(LeaseStoreProtocol, ReadsWhatItWrites) {
  const Request requests[] = {
      {.verb = Verb::open, .time = 10s, .lock_delay = 15s},
      {.verb = Verb::keep_alive, .session = "s1"},
      {.verb = Verb::acquire, .key = "lock", .session = "s12"},
      {.verb = Verb::release, .key = "lock", .session = "s12"},
      {.verb = Verb::watch, .key = "lock", .time = 5s},
      {.verb = Verb::close, .session = "s1"},
  };
  const char* const lines[] = {"OPEN TTL 10000 DELAY 15000", "KEEPALIVE s1",
                               "ACQUIRE lock SESSION s12",   "RELEASE lock SESSION s12",
                               "WATCH lock FOR 5000",        "CLOSE s1"};
  for (std::size_t i = 0; i < std::size(requests); ++i) {
    const std::string line = text(requests[i]);
    EXPECT_EQ(line, lines[i]);
    const auto again = read(line);
    ASSERT_TRUE(again) << line;
    EXPECT_EQ(again->verb, requests[i].verb);
    EXPECT_EQ(again->key, requests[i].key);
    EXPECT_EQ(again->session, requests[i].session);
    EXPECT_EQ(again->time, requests[i].time);
    EXPECT_EQ(again->lock_delay, requests[i].lock_delay);
  }
}

TEST(LeaseStoreProtocol, TakesAnyTextForAKey) {
  for (const std::string key : {"", " ", "a b", "x SESSION s9", "x FOR 3 "}) {
    EXPECT_EQ(read(text({.verb = Verb::acquire, .key = key, .session = "s1"}))->key, key);
    EXPECT_EQ(read(text({.verb = Verb::watch, .key = key, .time = 1s}))->key, key);
  }
}

TEST(LeaseStoreProtocol, RoundsTimesUpToWholeMilliseconds) {
  EXPECT_EQ(text({.verb = Verb::watch, .key = "k", .time = 1us}), "WATCH k FOR 1");
}

TEST(LeaseStoreProtocol, ReadsNothingElse) {
  for (const char* line : {"", "HELLO", "OPEN", "OPEN TTL 5", "ACQUIRE lock", "WATCH lock"})
    EXPECT_FALSE(read(line)) << line;
}

TEST(LeaseStoreProtocol, FindsTheNumberAtTheEndOfALine) {
  EXPECT_EQ(last_number("GRANTED 7"), 7);
  EXPECT_EQ(last_number("GONE"), 0);
}

TEST(LeaseStoreProtocol, NamesTheCommandOfARequest) {
  EXPECT_EQ(protocol().command("ACQUIRE lock SESSION s1"), "ACQUIRE");
  EXPECT_EQ(protocol().describe("GRANTED 7", true), "GRANTED 7");
}

}  // namespace
}  // namespace picklock::lease_store::protocol_tests
