// The steps of a case: the statements of a few sessions of one server. A session whose statement is
// still waiting sends nothing meanwhile.
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
  std::uint32_t session = 1;  // from 1; the statement's number is the session that KILL names
  Statement statement{};
  bool impatient = false;  // if it waits, then for one second, and fails
};

using Interleaving = Case<Step>;

// The table of every interleaving, with these initial rows.
Schema schema();
inline constexpr const char* kRowsAtFirst[] = {"a", "m", "z"};

// The answers that a step has caused, by session. A session that is missing has said nothing, or
// waits.
using Outcome = std::map<std::uint32_t, Answer>;

// `2> COMMIT`.
std::string shown(const Step& step);
std::string shown(const Answer& answer);
std::string shown(const Outcome& outcome);

}  // namespace picklock::conform::mysql
