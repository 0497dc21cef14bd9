// `picklock serve --mysql`, with the command line client of MariaDB as the client outside.
#include "testing/program.h"

namespace picklock::cli {
namespace {

class ServedMySql : public Program {
 protected:
  // Runs `script` beside servers whose time stands still. In it `port NAME` prints the port of a
  // server. `sql NAME STATEMENTS` executes them and prints their values. `hold STATEMENT` executes
  // it in a session that lasts. `sent WORDS` waits until such a message has reached a server. `raw
  // BYTES` sends them to mysql-1, and prints how the connection ends.
  Ran beside(const std::string& arguments, const std::string& script) const {
    return shell(
        "\"$P\" serve " + arguments + " --manual --json --die-with-parent >" + path("ports") +
        " & server=$!; until [[ -s " + path("ports") +
        " ]] || ! kill -0 $server; do sleep 0.01; done; "
        "port() { sed -E 's/.*\"name\":\"'$1'\",\"kind\":\"[a-z]+\",\"port\":([0-9]+).*/\\1/' " +
        path("ports") + "; }; control=$(sed -E 's/.*\"control\":([0-9]+).*/\\1/' " + path("ports") +
        "); ctl() { \"$P\" ctl --port $control \"$@\"; }; "
        "options=(--no-defaults --protocol=tcp --host=127.0.0.1 --user=app --skip-column-names "
        "--unbuffered); "
        "sql() { mariadb \"${options[@]}\" \"--port=$(port \"$1\")\" -e \"$2\" shop; }; "
        "hold() { mkfifo " +
        path("held") + "; mariadb \"${options[@]}\" \"--port=$(port mysql-1)\" <" + path("held") +
        " >" + path("holder") + " & holder=$!; exec 6>" + path("held") +
        "; echo \"$1;\" >&6; until [[ -s " + path("holder") +
        " ]]; do sleep 0.01; done; }; "
        "sent() { until [[ $(ctl timeline everything) == *\"$1\"* ]]; do sleep 0.01; done; }; "
        "raw() { exec 5<>/dev/tcp/127.0.0.1/$(port mysql-1); printf \"$1\" >&5; "
        "timeout 20 cat <&5 | tr -cd '[:print:]' | sed 's/.*#/#/'; echo \" ${PIPESTATUS[0]}\"; "
        "exec 5>&-; }\n" +
        script + "\nexec 6>&-; kill $server; wait $server");
  }
};

TEST_F(ServedMySql, AClientFindsWhatItExpects) {
  const Ran ran =
      beside("--mysql replicas=1",
             "sql mysql-1 'select 1; select user(); select database(); "
             "select @@version; show warnings'\n"
             "sql mysql-1 \"select get_lock('orders', 10); select release_lock('orders')\"\n"
             "sql mysql-1 \"insert into lock_rows values ('a'); begin; select name from "
             "lock_rows where name = 'a' for update; commit\"\n"
             "sql mysql-2 'select @@read_only'");
  EXPECT_EQ(ran.out, "1\napp@localhost\nshop\n10.11.19-MariaDB\n1\n1\na\n1\n");
  EXPECT_EQ(ran.err, "");
}

TEST_F(ServedMySql, WithAPasswordItAsksForIt) {
  file("password", "secret\n");
  const Ran ran = beside("--mysql replicas=0 --password-file " + path("password"),
                         "sql mysql-1 'select 1'\n"
                         "options+=(--password=wrong); sql mysql-1 'select 2'\n"
                         "options+=(--password=secret); sql mysql-1 'select 3'");
  EXPECT_EQ(ran.out, "3\n");
  EXPECT_THAT(ran.err, HasSubstr("ERROR 1045 (28000): Access denied for user 'app'@'localhost' "
                                 "(using password: NO)"));
  EXPECT_THAT(ran.err, HasSubstr("ERROR 1045 (28000): Access denied for user 'app'@'localhost' "
                                 "(using password: YES)"));
}

TEST_F(ServedMySql, ASecondSessionIsRefusedOnceItsTimeHasPassed) {
  const Ran ran = beside("--mysql replicas=0",
                         "hold \"select get_lock('orders', 10)\"\n"
                         "sql mysql-1 \"select get_lock('orders', 5)\" >" +
                             path("second") +
                             " & second=$!; sent \"GET_LOCK('orders', 5)\"\n"
                             "ctl advance 4s >" +
                             path("one") + "; [[ -s " + path("second") +
                             " ]] || echo waits\n"
                             "ctl advance 2s >" +
                             path("two") + "; wait $second; cat " + path("second"));
  EXPECT_EQ(ran.out, "waits\n0\n") << ran.err;
}

TEST_F(ServedMySql, ALockEndsWithItsSession) {
  const Ran ran = beside("--mysql replicas=0",
                         "hold \"select get_lock('orders', 10)\"\n"
                         "sql mysql-1 \"select get_lock('orders', 5)\" >" +
                             path("second") +
                             " & second=$!; sent \"GET_LOCK('orders', 5)\"\n"
                             "kill -9 $holder; wait $second; cat " +
                             path("second") +
                             "\nctl history | grep -A4 '\"entry' | grep -o "
                             "'entry [a-z]*\\|\"connection\": .'");
  EXPECT_EQ(ran.out,
            "1\nentry created\n\"connection\": 1\nentry removed\n\"connection\": 0\n"
            "entry created\n\"connection\": 2\nentry removed\n\"connection\": 0\n");
}

TEST_F(ServedMySql, AStatementThatItDoesNotHaveIsNamed) {
  const Ran ran = beside("--mysql replicas=0", "sql mysql-1 'optimize table locks'");
  EXPECT_THAT(ran.err, HasSubstr("ERROR 1064 (42000)"));
  EXPECT_THAT(ran.err, HasSubstr("'optimize table locks'"));
  EXPECT_THAT(ran.err, HasSubstr("GET_LOCK"));
}

TEST_F(ServedMySql, AServerThatIsPausedGreetsAndAnswersOnceItGoesOn) {
  const Ran ran =
      beside("--mysql replicas=0", "ctl fault pause=mysql-1 for=5s >" + path("one") +
                                       "\nsql mysql-1 'select 1' >" + path("answer") +
                                       " & client=$!; sleep 0.1; [[ -s " + path("answer") +
                                       " ]] || echo silent\n"
                                       "ctl advance 5s >" +
                                       path("two") + "; wait $client; cat " + path("answer"));
  EXPECT_EQ(ran.out, "silent\n1\n") << ran.err;
}

TEST_F(ServedMySql, ClientsThatAreCutOffAreAnsweredOnceThePartitionIsOver) {
  const Ran ran =
      beside("--mysql replicas=0",
             "hold \"select get_lock('orders', 10)\"\n"
             "ctl fault partition=clients 'from=[\"mysql-1\"]' for=5s >" +
                 path("one") + "\necho \"select release_lock('orders');\" >&6; sleep 0.1; wc -l <" +
                 path("holder") + "\nctl advance 5s >" + path("two") + "; until [[ $(wc -l <" +
                 path("holder") + ") == 2 ]]; do sleep 0.01; done; cat " + path("holder"));
  EXPECT_EQ(ran.out, "1\n1\n1\n") << ran.err;
}

TEST_F(ServedMySql, AFailoverLosesTheLockAndTheReplicaTakesWrites) {
  const Ran ran = beside("--mysql replicas=1",
                         "hold \"select get_lock('orders', 10)\"\n"
                         "sql mysql-2 \"insert into locks values ('a')\"\n"
                         "ctl failover mysql-1 >" +
                             path("one") +
                             "\nsql mysql-2 \"insert into locks values ('a'); "
                             "select get_lock('orders', 0)\"\n"
                             "sql mysql-1 'select 1'");
  EXPECT_EQ(ran.out, "1\n");
  EXPECT_THAT(ran.err, HasSubstr("ERROR 1290 (HY000)"));
  EXPECT_THAT(ran.err, HasSubstr("ERROR 2013 (HY000)"));
}

TEST_F(ServedMySql, BytesThatAreNoPacketsEndTheConnection) {
  const Ran ran = beside("--mysql replicas=0",
                         "raw 'GET / HTTP/1.1\\r\\n\\r\\n'\n"
                         "raw '\\xff\\xff\\xff\\x01'\n"
                         "raw '\\x01\\x00\\x00\\x01x'\n"
                         "sql mysql-1 'select 1'");
  EXPECT_EQ(ran.out,
            "#08S01Got packets out of order 0\n"
            "#08S01Got a packet bigger than 'max_allowed_packet' bytes 0\n"
            "#08S01Bad handshake 0\n1\n");
}

TEST_F(ServedMySql, AScenarioOnMySqlIsServed) {
  const Ran ran = beside("plain/mysql-row-lock --set servers.mysql.fsync=0s",
                         "sql mysql-1 \"insert into work values ('x', 3); select value from work "
                         "where name = 'x'\"");
  EXPECT_EQ(ran.out, "3\n") << ran.err;
}

TEST_F(ServedMySql, KeysThatCannotBeAreRefused) {
  expect_refused("serve --mysql replica=1", "did you mean `servers.mysql.replicas`?");
  expect_refused("serve --redis masters=1 --mysql replicas=1", "give --redis or --mysql, not both");
}

}  // namespace
}  // namespace picklock::cli
