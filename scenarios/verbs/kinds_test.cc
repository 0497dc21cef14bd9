#include "scenarios/verbs/kind.h"

#include <gtest/gtest.h>

#include <string>

#include "scenarios/process_kinds.h"

namespace picklock::verbs {
namespace {

using sim::Verb;

TEST(Verbs, StandInTheOrderOfTheSimulator) {
  for (std::size_t i = 0; i < kinds().size(); ++i) {
    EXPECT_EQ(kinds()[i].verb, static_cast<Verb>(i));
  }
  EXPECT_GT(kinds().size(), static_cast<std::size_t>(Verb::interrupt));
}

TEST(Verbs, SayAllThatIsAskedOfThem) {
  for (const Kind& kind : kinds()) {
    EXPECT_FALSE(kind.name.empty());
    EXPECT_FALSE(kind.meaning.empty()) << kind.name;
    EXPECT_FALSE(kind.drawn.empty()) << kind.name;
    EXPECT_NE(kind.told, nullptr) << kind.name;
  }
}

TEST(Verbs, SayWhichProcessActsLater) {
  const auto slowed = [](Verb verb) {
    const sim::Fault fault{.verb = verb, .target = "client-1"};
    EXPECT_FALSE(any_slows({&fault, 1}, "client-2"));
    return any_slows({&fault, 1}, "client-1");
  };
  EXPECT_TRUE(slowed(Verb::pause));
  EXPECT_TRUE(slowed(Verb::slow));
  EXPECT_FALSE(slowed(Verb::step_clock));
  EXPECT_FALSE(slowed(Verb::crash));
}

TEST(Verbs, SayWhatEachCanHit) {
  std::string table;
  for (const Kind& verb : kinds()) {
    table += verb.name;
    for (const servers::ProcessKind* kind : scenarios::process_kinds()) {
      table += inapplicable(verb.verb, *kind).empty() ? " yes" : " no";
    }
    table += '\n';
  }
  EXPECT_EQ(table, R"(pause yes yes yes yes yes yes yes yes yes
crash yes yes yes yes yes yes yes yes yes
restart yes yes yes yes yes yes yes yes yes
end-thread yes no no no no no no no no
step-clock yes yes no yes yes no yes yes yes
set-clock-rate yes yes no yes yes yes yes yes yes
partition yes yes yes yes yes yes yes yes yes
heal yes yes yes yes yes yes yes yes yes
hold yes yes yes yes yes yes yes yes yes
delay yes yes yes yes yes yes yes yes yes
drop yes yes yes yes yes yes yes yes yes
duplicate yes yes yes yes yes yes no yes no
evict no yes no no no no no no no
fail-over no yes no no no no no no yes
kill-session yes no no no no no no yes no
slow yes yes yes yes yes yes yes yes yes
interrupt yes no no no no no no no no
)");
}

}  // namespace
}  // namespace picklock::verbs
