// Errors as a client of MySQL reads them: number, SQLSTATE and message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "picklock/mysql.h"

namespace picklock::mysql {

struct SqlError {
  std::uint16_t number = 0;
  std::string_view state;  // five characters
  std::string message;
};

// The error of a server to this statement.
SqlError error_of(Error error, const Statement& statement);

// Errors to what the simulated server does not get to see.
SqlError not_understood(std::string_view text, std::string_view from);
SqlError unknown_column(std::string_view column);
SqlError unknown_variable(std::string_view variable);

}  // namespace picklock::mysql
