// The checks of a server before it executes a statement. It refuses columns and tables that are not
// there, and values of another type than their column.
#pragma once

#include <optional>

#include "models/mysql/sql_error.h"
#include "picklock/mysql.h"

namespace picklock::mysql {

// Converts numbers and texts to the types of their columns. Nothing: the statement is good.
// Requires: it was read by read_sql().
std::optional<SqlError> refusal_of(Statement& statement);

}  // namespace picklock::mysql
