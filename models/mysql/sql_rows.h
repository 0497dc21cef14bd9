// The parts of SQL statements that are about rows: tables, columns, conditions, and the changes of
// rows. They fill in the statement.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/mysql/sql_words.h"
#include "models/mysql/tables.h"

namespace picklock::mysql {

class SqlRows : protected SqlWords {
 protected:
  using SqlWords::SqlWords;
  ~SqlRows() = default;

  // The name of its database may stand in front of it. The statement is about this table.
  std::string table();
  // That of the statement's table.
  const Schema& schema() const { return *schema_of(statement_.table); }
  std::string column();
  // The condition of the statement, if there is one.
  void where();

  // Statements without their first word.
  void insert();
  void update();
  void remove();

  Statement statement_{.op = Op::ping};

 private:
  Term term();
  Term inserted();
  bool is_now();
  void condition();
  std::vector<Assignment> assignments();

  const std::vector<Term>* inserts_ = nullptr;  // to which VALUES(column) refers
};

}  // namespace picklock::mysql
