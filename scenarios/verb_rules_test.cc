#include "scenarios/verb_rules.h"

#include <gtest/gtest.h>

#include <string>

namespace picklock::scenarios {
namespace {

using sim::Verb;

TEST(VerbRules, StandInTheOrderOfTheVerbs) {
  for (std::size_t i = 0; i < sim::kVerbCount; ++i) {
    EXPECT_EQ(rules(static_cast<Verb>(i)).verb, static_cast<Verb>(i));
  }
}

TEST(VerbRules, SayWhatEachVerbCanHit) {
  std::string table;
  for (std::size_t i = 0; i < sim::kVerbCount; ++i) {
    table += name(static_cast<Verb>(i));
    for (const TargetKind kind : {TargetKind::client, TargetKind::redis, TargetKind::resource}) {
      table += inapplicable(static_cast<Verb>(i), kind).empty() ? " yes" : " no";
    }
    table += '\n';
  }
  EXPECT_EQ(table, R"(pause yes yes yes
crash yes yes yes
restart yes yes yes
end-thread yes no no
step-clock yes yes no
set-clock-rate yes yes no
partition yes yes yes
heal yes yes yes
hold yes yes yes
delay yes yes yes
drop yes yes yes
duplicate yes yes yes
evict no yes no
fail-over no no no
kill-session no no no
slow yes yes yes
)");
}

}  // namespace
}  // namespace picklock::scenarios
