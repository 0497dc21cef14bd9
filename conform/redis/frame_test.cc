#include "conform/redis/frame.h"

#include <gtest/gtest.h>

namespace picklock::conform::redis {
namespace {

std::string again(const Frame& frame) {
  std::string bytes;
  put_frame(bytes, frame);
  return bytes;
}

TEST(Frame, IsTheSameBytesWhenPutTogetherAgain) {
  for (const std::string bytes :
       {"+OK\r\n", "-ERR no\r\n", ":-7\r\n", "$0\r\n\r\n", "$-1\r\n", "*-1\r\n", "_\r\n", "#t\r\n",
        ",3.5\r\n", "(123\r\n", "$4\r\na\r\nb\r\n", "*0\r\n", "*2\r\n:1\r\n*1\r\n$1\r\na\r\n",
        "%1\r\n+a\r\n:1\r\n", "~2\r\n:1\r\n:2\r\n", "=7\r\ntxt:abc\r\n",
        ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"}) {
    std::string_view rest = bytes;
    Frame frame;
    ASSERT_EQ(take_frame(rest, frame), Framing::whole) << bytes;
    EXPECT_TRUE(rest.empty()) << bytes;
    EXPECT_EQ(again(frame), bytes);
  }
}

TEST(Frame, IsPartialUntilItsLastByteHasCome) {
  const std::string bytes = "*2\r\n$3\r\nfoo\r\n%1\r\n+a\r\n:1\r\n";
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string_view part = std::string_view(bytes).substr(0, size);
    Frame frame;
    EXPECT_EQ(take_frame(part, frame), Framing::partial) << size;
    EXPECT_EQ(part.size(), size) << "nothing is taken";
  }
}

TEST(Frame, IsMalformedWhereNoReplyBegins) {
  for (const std::string bytes :
       {"hello\r\n", "$abc\r\n", "*-2\r\n", "$3\r\nfooxy", "*1\r\n?\r\n"}) {
    std::string_view rest = bytes;
    Frame frame;
    EXPECT_EQ(take_frame(rest, frame), Framing::malformed) << bytes;
  }
}

// R89: 7.0 puts pushed messages into the middle of the array of EXEC, and does not count them.
TEST(Frame, DoesNotCountWhatIsPushedIntoAnArray) {
  const std::string bytes = "*2\r\n>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n:1\r\n+OK\r\n";
  std::string_view rest = bytes;
  Frame frame;
  ASSERT_EQ(take_frame(rest, frame), Framing::whole);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(frame.elements.size(), 3u);
  EXPECT_EQ(again(frame), bytes);
}

TEST(Frame, LeavesWhatComesAfterIt) {
  std::string_view rest = "+OK\r\n:1\r\n";
  Frame frame;
  ASSERT_EQ(take_frame(rest, frame), Framing::whole);
  EXPECT_EQ(rest, ":1\r\n");
}

}  // namespace
}  // namespace picklock::conform::redis
