#include "conform/redis/normal_form.h"

#include <gmock/gmock.h>

namespace picklock::conform::redis {
namespace {

std::string normal(const std::vector<std::string>& words, std::vector<std::int64_t> ids,
                   std::string_view bytes) {
  Frame frame;
  EXPECT_EQ(take_frame(bytes, frame), Framing::whole);
  normalise(words, ids, frame);
  std::string out;
  put_frame(out, frame);
  return out;
}

std::string normal_frames(std::string_view bytes) {
  std::vector<Frame> frames;
  Frame frame;
  while (!bytes.empty() && take_frame(bytes, frame) == Framing::whole) frames.push_back(frame);
  normalise_frames(frames);
  std::string out;
  for (const Frame& one : frames) put_frame(out, one);
  return out;
}

TEST(NormalForm, OrdersWhatComesFromAHashTable) {
  EXPECT_EQ(normal({"keys", "*"}, {}, "*2\r\n$1\r\nb\r\n$1\r\na\r\n"),
            "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  EXPECT_EQ(normal({"SCAN", "0"}, {}, "*2\r\n$1\r\n0\r\n*2\r\n$1\r\nb\r\n$1\r\na\r\n"),
            "*2\r\n$1\r\n0\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n");
}

TEST(NormalForm, KeepsTheOrderOfEverythingElse) {
  const std::string array = "*2\r\n$1\r\nb\r\n$1\r\na\r\n";
  for (const char* command : {"HGETALL", "HKEYS", "LRANGE", "ZRANGE", "HMGET"}) {
    EXPECT_FALSE(is_normalised(std::vector<std::string>{command, "k"}));
    EXPECT_EQ(normal({command, "k"}, {}, array), array);
  }
}

TEST(NormalForm, NamesConnectionsInsteadOfNumberingThem) {
  EXPECT_EQ(normal({"CLIENT", "ID"}, {7, 9}, ":9\r\n"), ":#2\r\n");
  EXPECT_EQ(normal({"CLIENT", "ID"}, {7, 9}, ":8\r\n"), ":8\r\n");
}

TEST(NormalForm, KeepsErrorsAsTheyAre) {
  for (const char* command : {"KEYS", "SCAN", "CLIENT", "HELLO", "INFO", "RANDOMKEY"})
    EXPECT_EQ(normal({command}, {1}, "-ERR no\r\n"), "-ERR no\r\n");
}

TEST(NormalForm, TellsAKeyFromNone) {
  EXPECT_EQ(normal({"RANDOMKEY"}, {}, "$2\r\nk1\r\n"), normal({"RANDOMKEY"}, {}, "$2\r\nk2\r\n"));
  EXPECT_NE(normal({"RANDOMKEY"}, {}, "$2\r\nk1\r\n"), normal({"RANDOMKEY"}, {}, "$-1\r\n"));
}

std::string pmessage(const std::string& pattern, const std::string& payload) {
  return "*4\r\n$8\r\npmessage\r\n$" + std::to_string(pattern.size()) + "\r\n" + pattern +
         "\r\n$2\r\nc1\r\n$" + std::to_string(payload.size()) + "\r\n" + payload + "\r\n";
}

TEST(NormalForm, OrdersThePatternsOfOneMessageAlone) {
  EXPECT_EQ(normal_frames(pmessage("*", "x") + pmessage("c*", "x")),
            normal_frames(pmessage("c*", "x") + pmessage("*", "x")));
  EXPECT_NE(normal_frames(pmessage("*", "x") + pmessage("*", "y")),
            normal_frames(pmessage("*", "y") + pmessage("*", "x")));
}

std::string notification(const std::string& event, const std::string& key) {
  const std::string channel = "__keyevent@0__:" + event;
  std::string text = "*4\r\n";
  for (const std::string& word : {std::string("pmessage"), std::string("*"), channel, key})
    text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  return text;
}

TEST(NormalForm, OrdersTheKeysThatExpireTogetherAlone) {
  EXPECT_EQ(normal_frames(notification("expired", "k1") + notification("expired", "k2")),
            normal_frames(notification("expired", "k2") + notification("expired", "k1")));
  EXPECT_NE(normal_frames(notification("del", "k1") + notification("del", "k2")),
            normal_frames(notification("del", "k2") + notification("del", "k1")));
}

TEST(NormalForm, PutsNotificationsBeforeTheReplyWithinWhichTheyMayCome) {
  const auto sorted = [](std::string_view bytes) {
    std::vector<Frame> frames;
    for (Frame frame; !bytes.empty() && take_frame(bytes, frame) == Framing::whole;)
      frames.push_back(frame);
    put_notifications_first(frames);
    std::string text;
    for (const Frame& frame : frames) put_frame(text, frame);
    return text;
  };
  const std::string popped = ">" + notification("zpopmin", "k4").substr(1);
  const std::string deleted = ">" + notification("del", "k4").substr(1);
  EXPECT_EQ(sorted("*2\r\n" + popped + "$1\r\nm\r\n,1\r\n" + deleted),
            popped + deleted + "*2\r\n$1\r\nm\r\n,1\r\n");
}

TEST(NormalForm, IsListedWithItsReason) {
  for (const Normalisation& one : normalisations()) {
    EXPECT_FALSE(one.name.empty());
    EXPECT_FALSE(one.commands.empty());
    EXPECT_FALSE(one.why.empty());
  }
}

}  // namespace
}  // namespace picklock::conform::redis
