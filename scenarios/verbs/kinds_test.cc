#include "scenarios/verb_rules.h"
#include "scenarios/process_kinds.h"

#include <gtest/gtest.h>

#include <string>

#include "models/servers/verbs.h"

namespace picklock::scenarios {
namespace {

using sim::Verb;

TEST(VerbRules, StandInTheOrderOfTheVerbs) {
  for (std::size_t i = 0; i < models::kVerbCount; ++i) {
    EXPECT_EQ(rules(static_cast<Verb>(i)).verb, static_cast<Verb>(i));
  }
}

TEST(VerbRules, SayWhatEachVerbCanHit) {
  std::string table;
  for (std::size_t i = 0; i < models::kVerbCount; ++i) {
    table += models::name(static_cast<Verb>(i));
    for (const servers::ProcessKind* kind : process_kinds()) {
      const bool applies = inapplicable(static_cast<Verb>(i), *kind).empty();
      table += applies ? " yes" : " no";
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
hold yes yes yes yes no yes yes yes yes
delay yes yes yes yes no yes yes yes yes
drop yes yes yes yes no yes yes yes yes
duplicate yes yes yes yes no yes no yes no
evict no yes no no no no no no no
fail-over no yes no no no no no no yes
kill-session yes no no no no no no yes no
slow yes yes yes yes yes yes yes yes yes
interrupt yes no no no no no no no no
)");
}

}  // namespace
}  // namespace picklock::scenarios
