#include "models/mysql/sql.h"

#include <gmock/gmock.h>

namespace picklock::mysql::sql_tests {
namespace {

TEST(Sql, IsWhatAServerReads) {
  Statement read{.op = Op::select, .table = "locks", .key = "it's", .locking = Locking::update};
  EXPECT_EQ(sql(read), "SELECT * FROM locks WHERE name = 'it\\'s' FOR UPDATE");
  read.waiting = Waiting::skips;
  read.where = {{"n", Condition::Is::at_most, {.of = Term::Of::now, .plus = -7}}};
  EXPECT_EQ(sql(read),
            "SELECT * FROM locks WHERE name = 'it\\'s' AND n <= "
            "CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED) - 7 FOR UPDATE SKIP LOCKED");
  const Statement upsert{.op = Op::insert,
                         .table = "locks",
                         .values = {{.value = std::string("a")}, {.value = std::int64_t{1}}, {}},
                         .on_duplicate = OnDuplicate::updates,
                         .set = {{"n", {.of = Term::Of::column, .column = "n", .plus = 1}}}};
  EXPECT_EQ(sql(upsert),
            "INSERT INTO locks VALUES ('a', 1, NULL) ON DUPLICATE KEY UPDATE n = n + 1");
  EXPECT_EQ(sql({.op = Op::update, .table = "locks", .set = {{"n", {.value = std::int64_t{0}}}}}),
            "UPDATE locks SET n = 0");
  EXPECT_EQ(sql({.op = Op::remove, .table = "locks", .key = "a"}),
            "DELETE FROM locks WHERE name = 'a'");
  EXPECT_EQ(sql({.op = Op::get_lock, .name = "a", .number = 10}), "SELECT GET_LOCK('a', 10)");
  EXPECT_EQ(sql({.op = Op::set_isolation, .isolation = Isolation::read_committed}),
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  EXPECT_EQ(sql({.op = Op::set_lock_wait_timeout, .number = 7}),
            "SET SESSION innodb_lock_wait_timeout = LEAST(@@GLOBAL.innodb_lock_wait_timeout, 7)");
}

}  // namespace
}  // namespace picklock::mysql::sql_tests
