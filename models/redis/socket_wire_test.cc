#include "models/redis/socket_wire.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "models/redis/wire.h"

namespace picklock::redis::socket_wire_tests {
namespace {

using servers::Cut;

struct Taken {
  std::vector<std::vector<std::string>> requests;
  std::string refusal;  // empty: none
  std::string rest;
};

// The requests that a server reads from bytes that come in pieces of `piece`.
Taken taken(std::string_view bytes, std::size_t piece) {
  Taken all;
  SocketWire wire;
  while (!bytes.empty()) {
    all.rest += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    std::string_view left = all.rest;
    for (bool more = true; more;) {
      sim::Payload message;
      switch (wire.cut(left, message)) {
        case Cut::request: {
          std::vector<std::string_view> argv;
          RC_ASSERT(read_request(message.view(), argv));
          all.requests.emplace_back(argv.begin(), argv.end());
          break;
        }
        case Cut::nothing:
          break;
        case Cut::partial:
        case Cut::held:
          more = false;
          break;
        case Cut::malformed:
          all.refusal = std::string(message.view());
          return all;
      }
    }
    all.rest = std::string(left);
  }
  return all;
}

RC_GTEST_PROP(SocketWire, TakesRequestsHoweverTheirBytesArrive, ()) {
  const auto requests = *rc::gen::container<std::vector<std::vector<std::string>>>(
      rc::gen::nonEmpty(rc::gen::arbitrary<std::vector<std::string>>()));
  sim::Payload bytes;
  for (const auto& request : requests) {
    const std::vector<std::string_view> argv(request.begin(), request.end());
    write_request(bytes, argv);
  }
  const Taken all = taken(bytes.view(), *rc::gen::inRange<std::size_t>(1, 40));
  RC_ASSERT(all.requests == requests);
  RC_ASSERT(all.rest.empty());
}

RC_GTEST_PROP(SocketWire, EndsWithAnyBytes, (const std::string& bytes)) {
  taken(bytes, 7);
  taken("*" + bytes, 1);
}

// If each piece made it read everything before, this would take minutes.
TEST(SocketWire, ReadsAWordOfALongRequestOnce) {
  constexpr std::size_t kWords = 500'000;
  std::string bytes = "*" + std::to_string(kWords) + "\r\n";
  for (std::size_t i = 0; i < kWords; ++i) bytes += "$1\r\nx\r\n";
  SocketWire wire;
  for (std::size_t size = 0; size < bytes.size(); size += 64) {
    std::string_view arrived = std::string_view(bytes).substr(0, size);
    sim::Payload none;
    ASSERT_EQ(wire.cut(arrived, none), Cut::partial);
  }
  std::string_view arrived = bytes;
  sim::Payload message;
  ASSERT_EQ(wire.cut(arrived, message), Cut::request);
  EXPECT_EQ(message.view(), bytes);
  EXPECT_TRUE(arrived.empty());
}

// A real server does not look behind an argument.
TEST(SocketWire, TakesAnArgumentThatEndsOtherwise) {
  EXPECT_EQ(taken("*2\r\n$4\r\nECHOxx$1\r\nayy", 3).requests,
            (std::vector<std::vector<std::string>>{{"ECHO", "a"}}));
}

// Nor behind the carriage return of a line.
TEST(SocketWire, TakesALineThatEndsOtherwise) {
  EXPECT_EQ(taken("*2\rx$4\r\nECHO\r\n$1\ryay\r\n", 3).requests,
            (std::vector<std::vector<std::string>>{{"ECHO", "a"}}));
}

struct Refused {
  const char* bytes;
  const char* why;
};

// As a Redis 7.0.15 answers the same bytes.
TEST(SocketWire, RefusesInTheWordsOfTheRealServer) {
  const std::string long_line(70'000, '1');
  const Refused cases[] = {{"*x\r\n", "invalid multibulk length"},
                           {"*2147483648\r\n", "invalid multibulk length"},
                           {"*1\r\n:3\r\n", "expected '$', got ':'"},
                           {"*1\r\n$-1\r\n", "invalid bulk length"},
                           {"*1\r\n$a\r\n", "invalid bulk length"},
                           {"*1\r\n$999999999\r\n", "invalid bulk length"},
                           {"GET \"a\r\n", "unbalanced quotes in request"},
                           {"GET 'a'b\r\n", "unbalanced quotes in request"}};
  for (const Refused& one : cases)
    EXPECT_EQ(taken(one.bytes, 100).refusal,
              std::string("-ERR Protocol error: ") + one.why + "\r\n");
  EXPECT_THAT(taken(long_line, long_line.size()).refusal,
              testing::HasSubstr("too big inline request"));
  EXPECT_THAT(taken("*" + long_line, long_line.size() + 1).refusal,
              testing::HasSubstr("too big mbulk count string"));
  EXPECT_THAT(taken("*1\r\n$" + long_line, long_line.size() + 5).refusal,
              testing::HasSubstr("too big bulk count string"));
}

TEST(SocketWire, ReadsWhatAPersonTypes) {
  const Taken all = taken("SET  a \"b \\x41\\n\" 'it\\'s'\r\n\r\nPING\n*0\r\n", 3);
  const std::vector<std::vector<std::string>> expected = {{"SET", "a", "b A\n", "it's"}, {"PING"}};
  EXPECT_EQ(all.requests, expected);
}

}  // namespace
}  // namespace picklock::redis::socket_wire_tests
