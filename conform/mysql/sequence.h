// The steps of a case: what a few sessions of one server say. A session whose statement is still
// waiting says nothing meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conform/case.h"
#include "models/mysql/tables.h"
#include "picklock/mysql.h"

namespace picklock::conform::mysql {

using namespace picklock::mysql;  // the model of MySQL: this folder is about it alone

struct Step {
  std::uint32_t session = 1;  // from 1; KILL names another in the statement's number
  Statement statement{};
  bool impatient = false;  // its wait, if it comes to one, takes a second and fails
};

using Interleaving = Case<Step>;

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
