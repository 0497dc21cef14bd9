#include "explore/servant.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>
#include <stdexcept>

namespace picklock::explore {
namespace {

// Waits; nullopt: it has ended.
std::optional<std::string> answer_of(Servant& servant) {
  for (;;) {
    if (auto answer = servant.answer()) return answer;
    pollfd polled{.fd = servant.descriptor(), .events = POLLIN, .revents = 0};
    poll(&polled, 1, -1);
    if (!servant.read()) return servant.answer();
  }
}

TEST(Servant, AnswersOneRequestAfterAnother) {
  Servant servant([](const std::string& request) { return "you said " + request; });
  for (const std::string request : {"one", "", "three"}) {
    servant.ask(request);
    EXPECT_EQ(answer_of(servant), "you said " + request);
  }
}

TEST(Servant, KeepsWhatItHasLearned) {
  int asked = 0;
  Servant servant([&asked](const std::string&) { return std::to_string(++asked); });
  servant.ask("");
  EXPECT_EQ(answer_of(servant), "1");
  servant.ask("");
  EXPECT_EQ(answer_of(servant), "2");
  EXPECT_EQ(asked, 0);
}

TEST(Servant, TakesRequestsAndAnswersOfAnyLength) {
  const std::string much(1'000'000, 'x');
  Servant servant([](const std::string& request) { return request + request; });
  servant.ask(much);
  EXPECT_EQ(answer_of(servant), much + much);
}

TEST(Servant, ThatDiesIsToldOf) {
  Servant servant([](const std::string& request) -> std::string {
    if (request == "die") std::raise(SIGKILL);
    throw std::runtime_error("unheard of");
  });
  servant.ask("die");
  EXPECT_EQ(answer_of(servant), std::nullopt);
  EXPECT_EQ(servant.died_of(), "SIGKILL");
  servant.ask("nobody is there");
}

TEST(Servant, ThatThrowsSaysWhat) {
  Servant servant(
      [](const std::string&) -> std::string { throw std::runtime_error("unheard of"); });
  servant.ask("anything");
  EXPECT_EQ(answer_of(servant), std::nullopt);
  EXPECT_EQ(servant.died_of(), "unheard of");
}

}  // namespace
}  // namespace picklock::explore
