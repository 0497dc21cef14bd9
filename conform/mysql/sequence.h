// What a few sessions of one server say, in one order: drawn once and then played to the model and
// to a real server alike. A session whose statement is still waiting says nothing meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/mysql/tables.h"
#include "picklock/mysql.h"

namespace picklock::conform::mysql {

using namespace picklock::mysql;  // the model of MySQL: this folder is about it alone

struct Step {
  std::uint32_t session = 1;  // from 1; KILL names another in the statement's number
  Statement statement{};
  bool impatient = false;  // its wait, if it comes to one, takes a second and fails
};

struct Interleaving {
  std::uint64_t seed = 0;  // draws this very one as the first of a run
  std::uint32_t sessions = 2;
  std::vector<Step> steps{};
};

// The table that every one of them is about, with these rows at the beginning.
Schema schema();
inline constexpr const char* kRowsAtFirst[] = {"a", "m", "z"};

// What came of a step: the answers that came, by session. Whoever is not among them has said
// nothing, or waits.
using Outcome = std::map<std::uint32_t, Answer>;

// `2> COMMIT`.
std::string shown(const Step& step);
std::string shown(const Answer& answer);
std::string shown(const Outcome& outcome);

}  // namespace picklock::conform::mysql
