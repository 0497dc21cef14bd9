// Prepared statements of one connection: their texts, and the values that a client sends for the
// question marks in them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/mysql/packets.h"
#include "models/mysql/sql_error.h"
#include "picklock/mysql.h"

namespace picklock::mysql {

// The number of question marks. Requires that the text has tokens.
std::size_t parameters_in(std::string_view text);

class Prepared {
 public:
  struct Execution {
    std::string text;
    std::vector<Value> parameters;
  };

  // Nothing: there are too many, or they are too long together.
  std::optional<std::uint32_t> add(std::string_view text, std::size_t parameters);
  void remove(std::uint32_t id);
  bool has(std::uint32_t id) const { return all_.contains(id); }
  // `fields`: of a COM_STMT_EXECUTE.
  std::variant<Execution, SqlError> execution(packets::Fields fields);

 private:
  struct One {
    std::string text;
    std::size_t parameters = 0;
    std::vector<std::uint16_t> types{};  // of the last execution: a client may leave them out
  };

  std::map<std::uint32_t, One> all_;
  std::size_t bytes_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace picklock::mysql
