#include "models/mysql/socket_wire.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/mysql/native_password.h"
#include "models/mysql/sql.h"
#include "models/mysql/wire.h"

namespace picklock::mysql::socket_wire_tests {
namespace {

using packets::Fields;
using servers::Cut;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string packet(std::uint8_t number, std::string_view payload) {
  std::string out;
  packets::Answers(out, number).packet(payload);
  return out;
}

// Of PyMySQL: its capabilities, the user, the proof of its password, the plugin and the attributes.
std::string response(std::string_view attributes = {}, std::uint32_t more = 0,
                     const std::string& proof = {}, std::string_view plugin = kNativePassword) {
  std::string payload;
  packets::put_number(payload,
                      packets::kLongPassword | packets::kProtocol41 | packets::kSecureConnection |
                          packets::kPluginAuth | packets::kConnectAttributes |
                          packets::kConnectWithDb | more,
                      4);
  payload.append(4 + 1 + 23, '\0');
  payload += std::string("app\0", 4);
  payload += static_cast<char>(proof.size());
  payload += proof + std::string("shop\0", 5) + std::string(plugin) + '\0';
  packets::put_text(payload, attributes);
  return payload;
}

// A connection whose server answers everything with `answer`.
class Talk {
 public:
  Talk() { greeting_ = answered(bytes_of_open(), {.rows = {about()}}); }
  Talk(std::string_view password, std::string_view challenge) {
    wire.require(password, challenge);
    greeting_ = answered(bytes_of_open(), {.rows = {about()}});
  }
  static Row about() {
    Row row(kAbouts, Value(std::int64_t{1}));
    row[0] = std::int64_t{7};
    row[1] = std::string("10.11.19-MariaDB");
    return row;
  }

  const std::string& greeting() const { return greeting_; }
  void shake_hands(const std::string& attributes = {}) {
    EXPECT_EQ(say(packet(1, response(attributes)), {}), ok(2, 2));
  }

  // The request to the server for these bytes; empty: none.
  std::string asked(const std::string& bytes) {
    in_ += bytes;
    std::string_view rest = in_;
    sim::Payload message;
    const Cut cut = wire.cut(rest, message);
    in_ = std::string(rest);
    if (cut != Cut::request) return "";
    const auto statement = read_statement(message.view());
    return statement ? sql(*statement) : "what is no statement";
  }
  std::string answer(const Answer& answer) {
    sim::Payload message;
    write(answer, message);
    std::string out;
    open = wire.put(message.view(), out);
    return out;
  }
  std::string say(const std::string& bytes, const Answer& answer) {
    EXPECT_NE(asked(bytes), "") << "nothing was asked";
    return this->answer(answer);
  }
  std::string query(const std::string& text, const Answer& answer = {}) {
    return say(packet(0, "\x03" + text), answer);
  }

  static std::string ok(std::uint8_t number, std::uint16_t status, std::uint64_t affected = 0) {
    std::string out;
    packets::Answers(out, number).ok(affected, status);
    return out;
  }

  SocketWire wire;
  bool open = true;

 private:
  std::string bytes_of_open() {
    sim::Payload message;
    EXPECT_TRUE(wire.open(message));
    return sql(*read_statement(message.view()));
  }
  std::string answered(const std::string& asked, const Answer& answer) {
    EXPECT_THAT(asked, StartsWith("SELECT CONNECTION_ID()"));
    return this->answer(answer);
  }

  std::string in_;
  std::string greeting_;
};

std::uint16_t error_in(const std::string& answer) {
  Fields fields(std::string_view(answer).substr(packets::kHeader));
  return fields.number(1) == 0xff ? static_cast<std::uint16_t>(fields.number(2)) : 0;
}

TEST(MySqlSocketWire, TheServerSpeaksFirst) {
  const Talk talk;
  Fields fields(std::string_view(talk.greeting()).substr(packets::kHeader));
  EXPECT_EQ(fields.number(1), 10u);
  EXPECT_EQ(fields.until_nul(), "10.11.19-MariaDB");
  EXPECT_EQ(fields.number(4), 7u);
  EXPECT_EQ(talk.greeting()[3], '\0') << "the first packet has number 0";
}

TEST(MySqlSocketWire, TakesAnyUserAndThenStatements) {
  Talk talk;
  talk.shake_hands();
  EXPECT_EQ(talk.asked(packet(0, "\x03SELECT GET_LOCK('a', 10)")), "SELECT GET_LOCK('a', 10)");
  const std::string answer = talk.answer({.rows = {{std::int64_t{1}}}});
  EXPECT_THAT(answer, HasSubstr("GET_LOCK('a', 10)"));
  EXPECT_THAT(answer, HasSubstr(packet(4,
                                       "\x01"
                                       "1")));
  EXPECT_EQ(talk.query("UPDATE work SET value = value + 1", {.affected = 3}),
            Talk::ok(1, packets::kAutocommit, 3));
}

constexpr std::string_view kDrawn = "twenty bytes, drawn.";

TEST(MySqlSocketWire, APasswordIsProved) {
  Talk talk("secret", kDrawn);
  EXPECT_THAT(talk.greeting(), HasSubstr("twenty b"));
  EXPECT_THAT(talk.greeting(), HasSubstr(std::string("ytes, drawn.\0", 13)));
  EXPECT_EQ(talk.say(packet(1, response({}, 0, proof_of("secret", kDrawn))), {}), Talk::ok(2, 2));
  EXPECT_EQ(talk.query("DO 0"), Talk::ok(1, 2));
}

TEST(MySqlSocketWire, AProofOfAnotherPasswordOrChallengeEndsTheConnection) {
  for (const std::string& proof :
       {std::string(), proof_of("secrets", kDrawn), proof_of("secret", packets::kNoChallenge)}) {
    Talk talk("secret", kDrawn);
    const std::string denied = talk.say(packet(1, response({}, 0, proof)), {});
    EXPECT_EQ(error_in(denied), 1045);
    EXPECT_THAT(denied,
                HasSubstr(proof.empty() ? "(using password: NO)" : "(using password: YES)"));
    EXPECT_FALSE(talk.open);
  }
}

TEST(MySqlSocketWire, AClientWithAnotherProofIsAskedForThisOne) {
  const std::string other = packet(1, response({}, 0, "?", "caching_sha2_password"));
  Talk talk("secret", kDrawn);
  EXPECT_EQ(talk.say(other, {}), packet(2, packets::switch_of_proof(kDrawn)));
  EXPECT_EQ(talk.say(packet(3, proof_of("secret", kDrawn)), {}), Talk::ok(4, 2));
  Talk wrong("secret", kDrawn);
  wrong.say(other, {});
  EXPECT_EQ(error_in(wrong.say(packet(3, ""), {})), 1045);
  EXPECT_FALSE(wrong.open);
}

TEST(MySqlSocketWire, TheStatusFollowsTheTransaction) {
  Talk talk;
  talk.shake_hands();
  EXPECT_EQ(talk.query("SET AUTOCOMMIT = 0"), Talk::ok(1, 0));
  EXPECT_EQ(talk.query("DELETE FROM locks"), Talk::ok(1, packets::kInTransaction));
  EXPECT_EQ(talk.query("COMMIT"), Talk::ok(1, 0));
  EXPECT_EQ(talk.query("SET AUTOCOMMIT = 1"), Talk::ok(1, packets::kAutocommit));
  EXPECT_EQ(talk.query("BEGIN"), Talk::ok(1, packets::kAutocommit | packets::kInTransaction));
  talk.query("DELETE FROM locks", failed(Error::deadlock));
  EXPECT_EQ(talk.query("DO 0"), Talk::ok(1, packets::kAutocommit));
}

TEST(MySqlSocketWire, ErrorsHaveTheNumbersAndStatesOfTheServer) {
  Talk talk;
  talk.shake_hands();
  const auto error = [&](Error one, const char* text) { return talk.query(text, failed(one)); };
  EXPECT_THAT(error(Error::duplicate, "INSERT INTO locks VALUES ('a')"),
              HasSubstr("#23000Duplicate entry 'a' for key 'PRIMARY'"));
  EXPECT_THAT(error(Error::lock_wait_timeout, "DELETE FROM locks"),
              HasSubstr("#HY000Lock wait timeout exceeded"));
  EXPECT_THAT(error(Error::deadlock, "DELETE FROM locks"), HasSubstr("#40001Deadlock found"));
  EXPECT_THAT(error(Error::is_read_only, "DELETE FROM locks"), HasSubstr("#HY000The server is"));
  EXPECT_THAT(error(Error::interrupted, "DELETE FROM locks"), HasSubstr("#70100Query execution"));
  EXPECT_TRUE(talk.open);
  EXPECT_EQ(error_in(error(Error::duplicate, "INSERT INTO locks VALUES ('a')")), 1062);
}

TEST(MySqlSocketWire, WhatTheModelHasNoStatementForIsAnsweredInItsTurn) {
  Talk talk;
  talk.shake_hands();
  EXPECT_EQ(talk.asked(packet(0, "\x03OPTIMIZE TABLE locks")), "DO 0");
  EXPECT_EQ(talk.asked(packet(0, "\x0e")), "") << "held until the first is answered";
  const std::string refusal = talk.answer({});
  EXPECT_EQ(error_in(refusal), 1064);
  EXPECT_THAT(refusal, HasSubstr("OPTIMIZE TABLE locks"));
  EXPECT_EQ(talk.asked(""), "DO 0") << "the ping";
  EXPECT_EQ(talk.answer({}), Talk::ok(1, packets::kAutocommit));
}

TEST(MySqlSocketWire, AStatementMayBePreparedAndExecuted) {
  Talk talk;
  talk.shake_hands();
  const std::string prepared = talk.say(packet(0, "\x16SELECT GET_LOCK(?, ?)"), {});
  EXPECT_THAT(prepared, StartsWith(packet(1, std::string("\0\1\0\0\0\1\0\2\0\0\0\0", 12))));
  std::string execute("\x17\1\0\0\0\0\1\0\0\0", 10);
  execute += std::string("\0\1\xfd\0\x08\0\1a\x0a\0\0\0\0\0\0\0", 16);
  EXPECT_EQ(talk.asked(packet(0, execute)), "SELECT GET_LOCK('a', 10)");
  EXPECT_THAT(talk.answer({.rows = {{std::int64_t{1}}}}),
              HasSubstr(packet(4, std::string("\0\0\1\0\0\0\0\0\0\0", 10))));
  EXPECT_EQ(talk.asked(packet(0, std::string("\x19\1\0\0\0", 5))), "");
  EXPECT_EQ(error_in(talk.say(packet(0, execute), {})), 1243);
  EXPECT_EQ(error_in(talk.say(packet(0, "\x16OPTIMIZE TABLE ?"), {})), 1064);
}

TEST(MySqlSocketWire, AConnectionThatAPoolResetsIsAsNew) {
  Talk talk;
  talk.shake_hands();
  talk.say(packet(0, "\x16SELECT GET_LOCK(?, ?)"), {});
  talk.query("SET autocommit = 0");
  EXPECT_EQ(talk.asked(packet(0, "\x1f")), "RESET CONNECTION");
  EXPECT_EQ(talk.answer({}), Talk::ok(1, 2)) << "commits by itself again";
  const std::string execute("\x17\1\0\0\0\0\1\0\0\0", 10);
  EXPECT_EQ(error_in(talk.say(packet(0, execute), {})), 1243) << "its statements are gone";
}

std::string change_of_user(const std::string& proof) {
  return packet(0, "\x11other" + std::string(1, '\0') + static_cast<char>(proof.size()) + proof +
                       std::string("stock\0\x21\0", 8) + std::string(kNativePassword) + '\0');
}

TEST(MySqlSocketWire, AnotherUserBeginsAnew) {
  Talk talk;
  talk.shake_hands();
  talk.say(packet(0, "\x16SELECT GET_LOCK(?, ?)"), {});
  EXPECT_EQ(talk.asked(change_of_user("")), "RESET CONNECTION");
  EXPECT_EQ(talk.answer({}), Talk::ok(1, 2));
  EXPECT_THAT(talk.query("SELECT USER(), DATABASE()"),
              testing::AllOf(HasSubstr("other@localhost"), HasSubstr("stock")));
  const std::string execute("\x17\1\0\0\0\0\1\0\0\0", 10);
  EXPECT_EQ(error_in(talk.say(packet(0, execute), {})), 1243) << "its statements are gone";
}

TEST(MySqlSocketWire, AnotherUserProvesThePasswordToo) {
  const std::string challenge(20, 'c');
  for (const bool right : {true, false}) {
    Talk talk("secret", challenge);
    talk.say(packet(1, response({}, 0, proof_of("secret", challenge))), {});
    const std::string answer =
        talk.say(change_of_user(proof_of(right ? "secret" : "wrong", challenge)), {});
    EXPECT_EQ(error_in(answer), right ? 0 : 1045);
    EXPECT_EQ(talk.open, right);
  }
}

TEST(MySqlSocketWire, AClientThatWantsTlsIsToldThatThereIsNone) {
  Talk talk;
  EXPECT_THAT(talk.say(packet(1, response({}, packets::kSsl).substr(0, 32)), {}),
              HasSubstr("this server has no TLS"));
  EXPECT_FALSE(talk.open);
}

TEST(MySqlSocketWire, BytesThatAreNoPacketsEndTheConnection) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(64, '\xff'), std::string("\0\0\0\1", 4),
        packet(1, "\x85\xa6\x03"), packet(1, response({}, packets::kSsl)), packet(0, response())}) {
    Talk talk;
    EXPECT_NE(error_in(talk.say(bytes, {})), 0);
    EXPECT_FALSE(talk.open);
  }
  Talk talk;
  talk.shake_hands();
  EXPECT_EQ(error_in(talk.say(std::string("\xff\xff\xff\0", 4), {})), 1153);
  EXPECT_FALSE(talk.open);
}

TEST(MySqlSocketWire, ASessionThatKillsItselfIsOver) {
  Talk talk;
  talk.shake_hands();
  talk.query("KILL 7", failed(Error::interrupted));
  EXPECT_FALSE(talk.open);
  Talk other;
  other.shake_hands();
  other.query("KILL 8", failed(Error::no_such_thread));
  EXPECT_TRUE(other.open);
  other.say(packet(0, "\1"), {});
  EXPECT_FALSE(other.open) << "the client has said goodbye";
}

TEST(MySqlSocketWire, AClientHasTheNameOfItsProgram) {
  Talk talk;
  EXPECT_EQ(talk.wire.name_given(""), std::nullopt);
  talk.shake_hands("\x0cprogram_name\x08worker-a");
  EXPECT_EQ(talk.wire.name_given(""), "worker-a");
  Talk shell;
  shell.shake_hands("\x0cprogram_name\x05mysql");
  EXPECT_EQ(shell.wire.name_given(""), std::nullopt);
}

RC_GTEST_PROP(MySqlSocketWire, TakesPacketsHoweverTheirBytesArrive, ()) {
  Talk talk;
  talk.shake_hands();
  const std::string bytes = packet(0, "\x03SELECT RELEASE_LOCK('a')");
  const auto split = *rc::gen::inRange<std::size_t>(1, bytes.size());
  RC_ASSERT(talk.asked(bytes.substr(0, split)).empty());
  RC_ASSERT(talk.asked(bytes.substr(split)) == "SELECT RELEASE_LOCK('a')");
}

RC_GTEST_PROP(MySqlSocketWire, EndsWithAnyBytes, (const std::string& bytes)) {
  Talk talk;
  talk.asked(packet(1, bytes));
  Talk later;
  later.shake_hands();
  for (const char command : std::string("\x03\x16\x17\x18\x19\x1b\x0c"))
    if (!later.asked(packet(0, command + bytes)).empty()) later.answer({});
}

RC_GTEST_PROP(MySqlSocketWire, ExecutesWithAnyParameters, (const std::string& bytes)) {
  Talk talk;
  talk.shake_hands();
  talk.say(packet(0, "\x16SELECT GET_LOCK(?, ?)"), {});
  talk.say(packet(0, std::string("\x17\1\0\0\0\0\1\0\0\0\0\1", 12) + bytes), {});
}

}  // namespace
}  // namespace picklock::mysql::socket_wire_tests
