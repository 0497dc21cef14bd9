// SQL text of statements.
#pragma once

#include <string>

#include "picklock/mysql.h"

namespace picklock::mysql {

std::string sql(const Statement& statement);

// `NULL`, `7` or `'text'`.
std::string sql(const Value& value);

}  // namespace picklock::mysql
