#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "scenarios/checks.h"
#include "scenarios/loader.h"
#include "scenarios/promises.h"
#include "scenarios/verbs/kind.h"
#include "scenarios/writer.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {
namespace {

using testing::error_of;
using testing::head;
using testing::kPause;
using testing::with_fault;

TEST(FaultChecks, KnowsTheProcesses) {
  const std::string rest = "for = \"3s\"\nat = \"1s\"\n";
  EXPECT_EQ(error_of(with_fault("pause = \"client-7\"\n" + rest)),
            "story.toml:7: key `fault.1.pause`: there is no client-7; the clients are client-1 to "
            "client-3");
  EXPECT_EQ(error_of(with_fault("pause = \"redis-2\"\n" + rest)),
            "story.toml:7: key `fault.1.pause`: there is no redis-2; the only server is redis-1");
  EXPECT_EQ(error_of(with_fault("pause = \"clint-2\"\n" + rest)),
            "story.toml:7: key `fault.1.pause`: there is no process \"clint-2\"; did you mean "
            "`client-2`?");
  for (const char* name :
       {"client-0", "client-01", "client-", "client-99999999999999", "client-1 "}) {
    EXPECT_THROW(testing::parsed(with_fault("pause = \"" + std::string(name) + "\"\n" + rest)),
                 BadInput)
        << name;
  }
  EXPECT_EQ(error_of(with_fault(kPause + "before = \"write.sent\"\nby = \"redis-1\"\n")),
            "story.toml:10: key `fault.1.by`: must be a client, not redis-1");
  EXPECT_EQ(error_of(with_fault(kPause + "before = \"write.sent\"\non = \"client-1\"\n")),
            "story.toml:10: key `fault.1.on`: must be a server, not client-1");
  const std::string cut = "partition = \"client-1\"\nat = \"1s\"\nfrom = ";
  EXPECT_EQ(error_of(with_fault(cut + "[\"redis-1\", \"redis-9\"]\n")),
            "story.toml:9: key `fault.1.from.2`: there is no redis-9; the only server is redis-1");
  EXPECT_EQ(error_of(with_fault(cut + "\"client-1\"\n")),
            "story.toml:9: key `fault.1.from`: client-1 cannot be cut off from itself");
  EXPECT_EQ(error_of(with_fault(cut + "[\"redis-1\", \"redis-1\"]\n")),
            "story.toml:9: key `fault.1.from.2`: redis-1 is listed twice");
  const std::string link = head() + "[[network.link]]\n";
  EXPECT_EQ(
      error_of(link + "from = \"client-1\"\nto = \"redis-4\"\nlatency = \"1s\"\n"),
      "story.toml:8: key `network.link.1.to`: there is no redis-4; the only server is redis-1");
  EXPECT_EQ(error_of(link + "from = \"client-1\"\nto = \"client-1\"\nlatency = \"1s\"\n"),
            "story.toml:8: key `network.link.1.to`: is the same process as `from`");
  EXPECT_EQ(error_of(link + "from = \"client-1\"\nto = \"resource\"\n"),
            "story.toml:6: key `network.link.1.latency`: must be given");
}

TEST(FaultChecks, KnowsTheStepsOfTheAlgorithm) {
  EXPECT_EQ(error_of(with_fault(kPause + "before = \"renew.sent\"\n")),
            "story.toml:9: key `fault.1.before`: set-px-check-delete has no step \"renew\"; it has "
            "acquire, check, release, write");
  EXPECT_EQ(error_of(with_fault(kPause + "before = \"release.send\"\n")),
            "story.toml:9: key `fault.1.before`: there is no phase \"send\", only sent, "
            "applied, replied; did you mean `release.sent`?");
  EXPECT_EQ(error_of(with_fault(kPause + "after = \"release\"\n")),
            "story.toml:9: key `fault.1.after`: \"release\" lacks its phase, one of "
            "sent, applied, replied; did you mean `release.sent`?");
  EXPECT_EQ(error_of(with_fault(kPause + "before = \"mark:owner-cheked\"\n")),
            "story.toml:9: key `fault.1.before`: set-px-check-delete has no mark \"owner-cheked\"; "
            "it has "
            "owner-checked; did you mean `owner-checked`?");
  EXPECT_EQ(
      error_of("format = 1\nlock.algorithm = \"lua-check-delete\"\n[[fault]]\n" + kPause +
               "before = \"mark:owner-checked\"\n"),
      "story.toml:6: key `fault.1.before`: lua-check-delete has no mark \"owner-checked\"; it has "
      "none");
  EXPECT_EQ(error_of(head() + "writes = 0\n[[fault]]\n" + kPause + "before = \"write.sent\"\n"),
            "story.toml:10: key `fault.1.before`: no client takes the step \"write\" because "
            "`clients.writes` is 0; the steps are acquire, check, release");
}

TEST(FaultChecks, WantsOneVerbAndOneTrigger) {
  EXPECT_EQ(error_of(with_fault("before = \"release.sent\"\n")),
            fmt::format("story.toml:6: key `fault.1`: has no verb; give one of {}",
                        fmt::join(verbs::names(), ", ")));
  EXPECT_EQ(error_of(with_fault(kPause + "crash = \"client-1\"\nat = \"1s\"\n")),
            "story.toml:9: key `fault.1.crash`: a fault has exactly one verb, and `pause` is "
            "already given");
  EXPECT_EQ(error_of(with_fault(kPause)),
            "story.toml:6: key `fault.1`: must have one of before, after and at");
  EXPECT_EQ(error_of(with_fault(kPause + "at = \"1s\"\nafter = \"write.sent\"\n")),
            "story.toml:9: key `fault.1.at`: `after` is already given: a fault has exactly one of "
            "before, after and at");
  EXPECT_EQ(error_of(with_fault(kPause + "at = \"1s\"\nnth = 2\n")),
            "story.toml:10: key `fault.1.nth`: narrows a step, but `at` is a time");
  EXPECT_EQ(error_of(with_fault(kPause + "after = \"mark:owner-checked\"\non = \"redis-1\"\n")),
            "story.toml:10: key `fault.1.on`: narrows a step that sends a message, but a mark "
            "sends none");
}

TEST(FaultChecks, RefusesKeysThatTheVerbHasNoUseFor) {
  EXPECT_EQ(error_of(with_fault(kPause + "at = \"1s\"\nkeeps = \"all\"\n")),
            "story.toml:10: key `fault.1.keeps`: `pause` does not take this key; besides its "
            "trigger it takes `for`");
  EXPECT_EQ(error_of(with_fault("heal = \"client-1\"\nfor = \"3s\"\nat = \"1s\"\n")),
            "story.toml:8: key `fault.1.for`: `heal` does not take this key; besides its trigger "
            "it takes nothing");
  EXPECT_EQ(error_of(with_fault("crash = \"client-1\"\nat = \"1s\"\nkeeps = \"all\"\n")),
            "story.toml:9: key `fault.1.keeps`: has no effect on a `crash` without `for`: the "
            "process does not start again");
}

TEST(FaultChecks, WantsTheKeysThatTheVerbNeeds) {
  for (const char* verb : {"pause", "delay", "hold", "slow", "duplicate"}) {
    EXPECT_EQ(
        error_of(with_fault(std::string(verb) + " = \"client-1\"\nbefore = \"release.sent\"\n")),
        "story.toml:6: key `fault.1.for`: must be given: `" + std::string(verb) +
            "` needs a duration");
  }
  EXPECT_EQ(error_of(with_fault("step-clock = \"redis-1\"\nat = \"1s\"\n")),
            "story.toml:6: key `fault.1.step`: must be given: `step-clock` needs it");
  EXPECT_EQ(error_of(with_fault("set-clock-rate = \"redis-1\"\nat = \"1s\"\n")),
            "story.toml:6: key `fault.1.rate`: must be given: `set-clock-rate` needs it");
  EXPECT_EQ(error_of(with_fault("step-clock = \"redis-1\"\nat = \"1s\"\nstep = \"0s\"\n")),
            "story.toml:9: key `fault.1.step`: must not be 0s: the clock would not jump");
  EXPECT_EQ(error_of(with_fault("slow = \"redis-1\"\nat = \"1s\"\nfor = \"1s\"\nstep = \"-1s\"\n")),
            "story.toml:10: key `fault.1.step`: must be more than 0s for `slow`");
  const std::string rate = "set-clock-rate = \"redis-1\"\nat = \"1s\"\nrate = ";
  for (const char* number : {"0.0", "-1.0", "inf", "nan", "0", "1001", "1000.1", "1e300"}) {
    EXPECT_EQ(error_of(with_fault(rate + number + "\n")),
              "story.toml:9: key `fault.1.rate`: must be from 0.001 to 1000")
        << number;
  }
  EXPECT_EQ(error_of(with_fault(rate + "1.0000000001\n")),
            "story.toml:9: key `fault.1.rate`: must have at most 9 decimals");
}

TEST(FaultChecks, SaysWhyAVerbCannotHitAProcess) {
  EXPECT_EQ(error_of(with_fault("kill-session = \"client-1\"\nat = \"3s\"\n")),
            "story.toml:7: key `fault.1.kill-session`: not applicable to client-1: Redis keeps no "
            "sessions");
  EXPECT_EQ(
      error_of(with_fault("evict = \"client-1\"\nat = \"3s\"\n")),
      "story.toml:7: key `fault.1.evict`: not applicable to client-1: only a Redis server evicts "
      "keys");
  EXPECT_EQ(error_of(with_fault("end-thread = \"redis-1\"\nat = \"3s\"\n")),
            "story.toml:7: key `fault.1.end-thread`: not applicable to redis-1: only a client has "
            "threads of its own");
}

TEST(FaultChecks, ReadsAMessageThatBelongsToNoStep) {
  const Scenario scenario =
      testing::parsed(head() +
                      "[servers.redis]\nreplicas = 1\n[[fault]]\ndrop = \"redis-1\"\nbefore = "
                      "\"message.sent\"\non = \"redis-1-replica-1\"\nnth = 4\n");
  const sim::Fault& fault = scenario.faults.at(0);
  EXPECT_TRUE(fault.trigger.is_message());
  EXPECT_EQ(fault.trigger.on, "redis-1-replica-1");
  EXPECT_EQ(fault.trigger.nth, 4u);
  EXPECT_EQ(class_of(fault, scenario), FaultClass::partition);
  const std::string text = file_text(scenario);
  EXPECT_NE(text.find("before = \"message.sent\""), std::string::npos);
  EXPECT_EQ(file_text(parse(text, "story.toml", shipped_vocabulary())), text);
}

TEST(FaultChecks, TakesNothingOfAStepIntoANeighbourThatIsAMessage) {
  const Scenario scenario = testing::parsed(
      head() +
      "[[fault]]\ndrop = \"redis-1\"\nbefore = \"release.sent\"\nby = \"client-1\"\non = "
      "\"redis-1\"\n[[neighbour]]\nfault = 1\nbefore = \"message.sent\"\nviolated = []\n");
  const sim::Trigger& trigger = scenario.neighbours.at(0).trigger;
  EXPECT_TRUE(trigger.is_message());
  EXPECT_EQ(trigger.by + trigger.on, "");
  const std::string text = file_text(scenario);
  EXPECT_EQ(file_text(parse(text, "story.toml", shipped_vocabulary())), text);
}

TEST(FaultChecks, RefusesAMessageOfNoStepThatIsNone) {
  const auto error_at = [](const std::string& fault) {
    return error_of(with_fault(fault + "before = \"message.sent\"\n"));
  };
  EXPECT_EQ(error_at("pause = \"redis-1\"\nfor = \"3s\"\n"),
            "story.toml:9: key `fault.1.before`: is a message: `pause` strikes at a step of a "
            "client, a mark or a time");
  EXPECT_NE(error_of(with_fault("drop = \"redis-1\"\nbefore = \"mesage.sent\"\n"))
                .find("did you mean `message`?"),
            std::string::npos);
  EXPECT_EQ(error_at("drop = \"redis-1\"\ncommand = \"DEL\"\n"),
            "story.toml:8: key `fault.1.command`: narrows a step, but \"message.sent\" is of none");
  EXPECT_EQ(error_at("drop = \"redis-1\"\non = \"redis-1\"\n"),
            "story.toml:8: key `fault.1.on`: redis-1 sends itself no message");
  EXPECT_EQ(error_of(with_fault("drop = \"redis-1\"\nafter = \"message.sent\"\n")),
            "story.toml:8: key `fault.1.after`: \"message.sent\" needs `before`: it has left by "
            "then");
}

TEST(FaultChecks, GivesMessageFaultsAMessage) {
  EXPECT_EQ(error_of(with_fault("drop = \"client-1\"\nat = \"3s\"\n")),
            "story.toml:8: key `fault.1.at`: `drop` acts on the message of a step: give it a step, "
            "such as before = \"release.sent\"");
  EXPECT_EQ(error_of(with_fault("drop = \"client-1\"\nbefore = \"mark:owner-checked\"\n")),
            "story.toml:8: key `fault.1.before`: `drop` acts on the message of a step: give it a "
            "step, such as before = \"release.sent\"");
  EXPECT_EQ(error_of(with_fault("drop = \"client-1\"\nbefore = \"release.replied\"\n")),
            "story.toml:8: key `fault.1.before`: is too late for `drop`: the reply has arrived by "
            "then; \"sent\" means the request and \"applied\" the reply");
  EXPECT_EQ(
      error_of(with_fault("drop = \"client-1\"\nbefore = \"release.sent\"\nby = \"client-2\"\n")),
      "story.toml:9: key `fault.1.by`: must be client-1 or left out: `drop` acts on the messages "
      "of client-1");
  EXPECT_EQ(
      error_of(with_fault("drop = \"redis-1\"\nbefore = \"release.sent\"\non = \"resource\"\n")),
      "story.toml:9: key `fault.1.on`: must be redis-1 or left out: `drop` acts on the messages to "
      "and from redis-1");
}

TEST(FaultChecks, KnowsTheStepsThatOptionsAdd) {
  const auto pause_at = [](const std::string& step) {
    return head() + "[[fault]]\n" + kPause + "before = \"" + step + "\"\n";
  };
  const auto with = [](std::string text, const std::string& option) {
    return text.replace(text.find("[clients]"), 0, option + "\n");
  };
  EXPECT_EQ(error_of(with(pause_at("renew.sent"), "renew = \"blind\"")), "loads");
  EXPECT_EQ(error_of(pause_at("renew.sent")),
            "story.toml:9: key `fault.1.before`: set-px-check-delete has no step \"renew\"; it has "
            "acquire, check, release, write");
  const std::string lua = with(pause_at("check.sent"), "recognise_own = \"always\"");
  EXPECT_EQ(error_of(std::string(lua).replace(lua.find("set-px-check"), 12, "lua-check")), "loads");
}

}  // namespace
}  // namespace picklock::scenarios
