#include "models/mysql/wire.h"

#include <gmock/gmock.h>

namespace picklock::mysql::wire_tests {
namespace {

using testing::Eq;

std::string bytes_of(const auto& record) {
  sim::Payload payload;
  write(record, payload);
  return std::string(payload.view());
}

Statement everything() {
  return {.op = Op::update,
          .table = "locks",
          .key = "a",
          .where = {{"n", Condition::Is::more, {.of = Term::Of::now, .plus = -5}}},
          .waiting = Waiting::skips,
          .values = {{.value = std::string("text")}, {.value = std::int64_t{7}}, {}},
          .on_duplicate = OnDuplicate::ignores,
          .set = {{"n", {.of = Term::Of::column, .column = "n", .plus = 1}}},
          .name = "s",
          .isolation = Isolation::serializable,
          .number = -1};
}

TEST(Wire, BringsBackWhatWasWritten) {
  const std::string bytes = bytes_of(everything());
  const std::optional<Statement> back = read_statement(bytes);
  ASSERT_TRUE(back);
  EXPECT_THAT(bytes_of(*back), Eq(bytes));
  EXPECT_EQ(back->number, -1);
  EXPECT_EQ(back->where.at(0).term.plus, -5);
  const Answer answer{.error = Error::deadlock,
                      .rows = {{std::string("a"), std::int64_t{1}, {}}, {}},
                      .affected = 3};
  const std::optional<Answer> same = read_answer(bytes_of(answer));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->error, Error::deadlock);
  EXPECT_EQ(same->rows, answer.rows);
  EXPECT_EQ(same->affected, 3);
}

TEST(Wire, RefusesWhatIsCutShortOrTooLong) {
  const std::string bytes = bytes_of(everything());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_statement(std::string_view(bytes).substr(0, size))) << size;
  EXPECT_FALSE(read_statement(bytes + "x"));
}

TEST(Wire, SaysWhichPrimaryHasCommittedIfThereAreSeveral) {
  for (const std::uint32_t origin : {0u, 7u}) {
    const Event event{.kind = Event::Kind::commit,
                      .position = 3,
                      .changes = {{"locks", "a", Row{std::string("a")}}},
                      .origin = origin};
    const std::string bytes = bytes_of(event);
    const std::optional<Event> same = read_event(bytes);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->origin, origin);
    EXPECT_EQ(same->changes.size(), 1u);
    EXPECT_FALSE(read_event(std::string_view(bytes).substr(0, bytes.size() - 1)));
  }
}

TEST(Wire, ShowsStatementsAsSqlAndAnswersInWords) {
  const auto shown = [](const auto& record, bool reply) {
    return protocol().describe(bytes_of(record), reply);
  };
  EXPECT_EQ(shown(Statement{.op = Op::commit}, false), "COMMIT");
  EXPECT_EQ(protocol().command(bytes_of(Statement{.op = Op::remove, .table = "l"})), "DELETE");
  EXPECT_EQ(shown(Answer{}, true), "ok");
  EXPECT_EQ(shown(Answer{.affected = 1}, true), "1 changed");
  EXPECT_EQ(shown(Answer{.error = Error::duplicate}, true), "ERROR 1062, duplicate entry");
  EXPECT_EQ(shown(Answer{.rows = {{std::string("a"), std::int64_t{1}}}}, true), "('a', 1)");
}

}  // namespace
}  // namespace picklock::mysql::wire_tests
