// Every command that the model knows, as a pattern with holes. A sequence draws them by weight.
#pragma once

#include <span>
#include <string_view>

namespace picklock::conform::redis {

struct Rule {
  std::string_view pattern;  // `SETEX {key} {seconds} {value}`
  std::string_view type;     // type of its keys, as TYPE says; empty: any type
  int weight = 1;
  // Its reply depends on the clock, or the time decides what later commands see.
  bool timed = false;
  // Must be sent as drawn: a wrong word might affect something outside the comparison.
  bool exact = false;
  // Concerns the connection's own state: scripts may not use it, transactions seldom do.
  bool connection = false;

  std::string_view name() const { return pattern.substr(0, pattern.find(' ')); }
  bool has_key() const { return pattern.find("{key") == name().size() + 1; }
};

std::span<const Rule> rules();
// The first rule of a command, by its name in lower case; nullptr: no rule has it.
const Rule* rule_of(std::string_view command);

}  // namespace picklock::conform::redis
