// Reads SQL text: the statements that models/mysql/sql.h writes, in the forms that clients write
// them, and what client libraries say by themselves.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/mysql/sql_error.h"
#include "picklock/mysql.h"

namespace picklock::mysql {

// A column of a result, and where its values come from.
struct Shown {
  enum class From : std::uint8_t {
    field,    // number `field` of each row of the answer
    is_null,  // 1 where that is NULL, else 0
    count,    // one row, with the number of rows of the answer
    value,
  };
  std::string title;
  From from{};
  std::size_t field = 0;
  Value value{};
  bool is_text = false;
};

struct Reading {
  Statement statement{.op = Op::ping};
  // The columns of the result; empty: the statement has none.
  std::vector<Shown> shown{};
  // The fields by which the rows of the answer are sorted.
  struct Order {
    std::size_t field = 0;
    bool descending = false;
  };
  std::vector<Order> order{};
  // The result of a ping, whose answer has no rows.
  std::vector<Row> rows{};
  std::optional<std::string> database{};  // that it selects
};

// The session, for a client that asks about itself.
struct Asker {
  std::string user;
  std::string database;  // empty: none is selected
};

// `parameters`: the values of the question marks.
std::variant<Reading, SqlError> read_sql(std::string_view text, const Asker& asker,
                                         std::span<const Value> parameters = {});

// The rows of a result with these columns.
std::vector<Row> rows_shown(const Reading& reading, const Answer& answer);

}  // namespace picklock::mysql
