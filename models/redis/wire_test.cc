#include "models/redis/wire.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace picklock::redis::wire_tests {
namespace {

std::string bytes_of(const Reply& reply) {
  sim::Payload out;
  write_reply(out, reply);
  return std::string(out.view());
}

std::string request_of(const std::vector<std::string>& words) {
  const std::vector<std::string_view> argv(words.begin(), words.end());
  sim::Payload out;
  write_request(out, argv);
  return std::string(out.view());
}

// A text without line ends, which a status or error may not contain.
rc::Gen<std::string> line() {
  return rc::gen::container<std::string>(
      rc::gen::suchThat<char>([](char letter) { return letter != '\r' && letter != '\n'; }));
}

Reply leaf() {
  Reply reply;
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      reply.set(Reply::Kind::nil);
      break;
    case 1:
      reply.set_status(*line());
      break;
    case 2:
      reply.set_error(*line());
      break;
    case 3:
      reply.set_integer(*rc::gen::arbitrary<std::int64_t>());
      break;
    default:
      reply.set_bulk(*rc::gen::arbitrary<std::string>());
  }
  return reply;
}

Reply any_reply(int depth) {
  if (depth == 0 || *rc::gen::inRange(0, 3) != 0) return leaf();
  Reply reply;
  reply.set(Reply::Kind::array);
  for (int count = *rc::gen::inRange(0, 4); count > 0; --count)
    reply.elements.push_back(any_reply(depth - 1));
  return reply;
}

bool same(const Reply& a, const Reply& b) {
  if (a.kind != b.kind || a.integer != b.integer || a.text != b.text ||
      a.elements.size() != b.elements.size())
    return false;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    if (!same(a.elements[i], b.elements[i])) return false;
  }
  return true;
}

RC_GTEST_PROP(Wire, CarriesAnyRequest, ()) {
  const auto words = *rc::gen::nonEmpty<std::vector<std::string>>();
  const std::string bytes = request_of(words);
  std::vector<std::string_view> argv;
  RC_ASSERT(read_request(bytes, argv));
  RC_ASSERT(std::vector<std::string>(argv.begin(), argv.end()) == words);
}

TEST(Wire, WritesWordsOfEachLength) {
  std::vector<std::string> words;
  std::string expected;
  for (std::size_t size = 0; size <= 130; ++size) {
    std::string word;
    for (std::size_t i = 0; i < size; ++i) word += static_cast<char>('!' + (size + i) % 90);
    const std::string bulk = "$" + std::to_string(size) + "\r\n" + word + "\r\n";
    EXPECT_EQ(request_of({word}), "*1\r\n" + bulk);
    words.push_back(word);
    expected += bulk;
  }
  EXPECT_EQ(request_of(words), "*131\r\n" + expected);
}

RC_GTEST_PROP(Wire, CarriesAnyReply, ()) {
  const Reply reply = any_reply(3);
  const std::string bytes = bytes_of(reply) + "rest";
  std::string_view left = bytes;
  Reply read;
  RC_ASSERT(read_reply(left, read));
  RC_ASSERT(left == "rest");
  RC_ASSERT(same(reply, read));
}

RC_GTEST_PROP(Wire, TakesNothingThatIsNotWhole, ()) {
  const std::string bytes = request_of(*rc::gen::nonEmpty<std::vector<std::string>>());
  std::vector<std::string_view> argv;
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT_FALSE(read_request(std::string_view(bytes).substr(0, cut), argv));
  const std::string answer = bytes_of(any_reply(3));
  const auto end = *rc::gen::inRange<std::size_t>(0, answer.size());
  std::string_view part = std::string_view(answer).substr(0, end);
  Reply reply;
  RC_ASSERT_FALSE(read_reply(part, reply));
}

RC_GTEST_PROP(Wire, SurvivesAnyBytes, ()) {
  std::string bytes = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("*$:+-0123456789\r\n\r\n\r\nab")));
  std::vector<std::string_view> argv;
  if (read_request(bytes, argv)) {
    std::vector<std::string> words(argv.begin(), argv.end());
    RC_ASSERT(!words.empty());
  }
  std::string_view left = bytes;
  Reply reply;
  if (read_reply(left, reply)) RC_ASSERT(left.size() < bytes.size());
  protocol().describe(bytes, true);
  protocol().describe(bytes, false);
  protocol().command(bytes);
}

TEST(Wire, RefusesMalformedRequests) {
  std::vector<std::string_view> argv;
  for (std::string_view bytes :
       {"", "GET k\r\n", "*0\r\n", "*-1\r\n", "*1\r\n:1\r\n", "*1\r\n$-1\r\n", "*1\r\n$1\r\nab",
        "*1\r\n$3\r\na\r\n", "*x\r\n$1\r\na\r\n", "*1\r\n$1\r\na\r\nmore",
        "*99999999999999999999\r\n", "*2\r\n$1\r\na\r\n", "*1\r\n$9223372036854775807\r\na\r\n"}) {
    EXPECT_FALSE(read_request(bytes, argv)) << bytes;
  }
}

TEST(Wire, RefusesRepliesNestedWithoutEnd) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += "*1\r\n";
  std::string_view left = bytes;
  Reply reply;
  EXPECT_FALSE(read_reply(left, reply));
}

TEST(Wire, KeepsALineOneLine) {
  Reply reply;
  reply.set_error("ERR a\r\nb");
  EXPECT_EQ(bytes_of(reply), "-ERR a  b\r\n");
  reply.set_error("ERR a\r\n");
  EXPECT_EQ(bytes_of(reply), "-ERR a\r\n");
}

TEST(Wire, CallsASetThatSetsNothingARefusal) {
  const std::string set = request_of({"SET", "lock", "4f2a", "NX"});
  EXPECT_EQ(protocol().gloss(set, "$-1\r\n"), "refused");
  EXPECT_EQ(protocol().gloss(set, "_\r\n"), "refused");
  EXPECT_EQ(protocol().gloss(set, "+OK\r\n"), "");
  EXPECT_EQ(protocol().gloss(request_of({"GET", "lock"}), "$-1\r\n"), "");
}

TEST(Wire, ReadsWellInReports) {
  EXPECT_EQ(protocol().describe(request_of({"SET", "lock", "4f2a", "NX", "PX", "10000"}), false),
            "SET lock 4f2a NX PX 10000");
  EXPECT_EQ(protocol().describe(request_of({"EVAL", "return 1", "0"}), false), "EVAL {script} 0");
  EXPECT_EQ(protocol().describe("$-1\r\n", true), "nil");
  EXPECT_EQ(protocol().describe("*2\r\n:1\r\n$1\r\na\r\n", true), "[1, \"a\"]");
  EXPECT_EQ(protocol().describe("-ERR no\r\n", true), "error: ERR no");
  EXPECT_EQ(protocol().command(request_of({"DEL", "k"})), "DEL");
}

}  // namespace
}  // namespace picklock::redis::wire_tests
