#include "conform/mysql/coverage.h"

#include <algorithm>
#include <string>

#include "models/mysql/wire.h"

namespace picklock::conform::mysql {
namespace {

std::string name(const Statement& statement) {
  sim::Payload payload;
  write(statement, payload);
  std::string text(protocol().command(payload.view()));
  if (statement.op == Op::select) {
    if (statement.locking == Locking::share) text += " SHARE";
    if (statement.locking == Locking::update) text += " FOR UPDATE";
    if (statement.waiting == Waiting::nowait) text += " NOWAIT";
    if (statement.waiting == Waiting::skips) text += " SKIP LOCKED";
  }
  if (statement.on_duplicate == OnDuplicate::ignores) text += " IGNORE";
  if (statement.on_duplicate == OnDuplicate::updates) text += " ON DUPLICATE";
  const bool of_rows =
      statement.op == Op::select || statement.op == Op::update || statement.op == Op::remove;
  if (of_rows && !statement.key) text += " of all";
  return text;
}

std::string name(const Answer& answer) {
  if (!answer.ok()) return std::to_string(static_cast<int>(answer.error));
  if (answer.affected > 0) return "changed";
  if (answer.rows.empty()) return "nothing";
  if (answer.rows.size() == 1 && answer.rows[0].size() == 1) {
    const Value& value = answer.rows[0][0];
    if (value.index() == 0) return "NULL";
    if (value == Value(std::int64_t{0})) return "0";
    return "number";
  }
  return "rows";
}

std::uint8_t place_of(RowState row) {
  constexpr std::array<char, 6> kLetters = {'-', 'n', 'f', 'm', 'o', 'd'};  // ordered as RowState
  const char letter = kLetters[static_cast<std::size_t>(row)];
  return static_cast<std::uint8_t>(std::ranges::find(kRowStates, letter, &State::letter) -
                                   kRowStates.begin());
}

constexpr ExpectedRow kExpected[] = {
    {"BEGIN", "nothing:-"},
    {"COMMIT", "nothing:-"},
    {"CREATE", "nothing:-"},
    {"DELETE", "changed:fm nothing:dmn waits:o"},
    {"DELETE of all", "changed:- nothing:- waits:-"},
    {"GET_LOCK", "0:- 1059:- 1213:- NULL:- number:- waits:-"},
    {"INSERT", "1062:fmo 1213:n changed:dmn waits:dno"},
    {"INSERT IGNORE", "changed:dn nothing:fmo waits:no"},
    {"INSERT ON DUPLICATE", "changed:fdmn nothing:fm waits:no"},
    {"IS_USED_LOCK", "1059:- NULL:- number:-"},
    {"KILL", "nothing:-"},
    {"KILL QUERY", "1317:- nothing:-"},
    {"RELEASE_LOCK", "0:- 1059:- NULL:- number:-"},
    {"ROLLBACK", "nothing:-"},
    {"ROLLBACK TO", "1305:- nothing:-"},
    {"SAVEPOINT", "nothing:-"},
    {"SELECT", "nothing:dmn rows:fmo"},
    {"SELECT FOR UPDATE", "1213:o nothing:dmn rows:fm waits:do"},
    {"SELECT FOR UPDATE NOWAIT", "1205:o nothing:dn rows:fm"},
    {"SELECT FOR UPDATE NOWAIT of all", "1205:- nothing:- rows:-"},
    {"SELECT FOR UPDATE SKIP LOCKED", "nothing:dmno rows:fm"},
    {"SELECT FOR UPDATE SKIP LOCKED of all", "nothing:- rows:-"},
    {"SELECT FOR UPDATE of all", "nothing:- rows:- waits:-"},
    {"SELECT SHARE", "nothing:n rows:fm waits:o"},
    {"SELECT SHARE of all", "rows:- waits:-"},
    {"SELECT of all", "rows:-"},
    {"SET", "nothing:-"},
    {"SET autocommit", "nothing:-"},
    {"UPDATE", "changed:fm nothing:fdmn waits:o"},
    {"UPDATE of all", "changed:- nothing:- waits:-"},
    {"let go by BEGIN", "changed:- nothing:- rows:-"},
    {"let go by COMMIT", "1062:- changed:- nothing:- rows:-"},
    {"let go by DELETE of all", "1213:-"},
    {"let go by INSERT", "changed:-"},
    {"let go by KILL QUERY", "1317:-"},
    {"let go by RELEASE_LOCK", "number:-"},
    {"let go by ROLLBACK", "1062:- changed:- nothing:- rows:-"},
    {"let go by ROLLBACK TO", "changed:- nothing:- rows:-"},
    {"let go by SELECT FOR UPDATE", "1213:-"},
    {"let go by SELECT FOR UPDATE of all", "1213:-"},
    {"let go by UPDATE of all", "1213:-"},
};

}  // namespace

void count(const Interleaving& interleaving, const Played& played, Coverage& coverage) {
  for (std::size_t i = 0; i < played.outcomes.size(); ++i) {
    const Step& step = interleaving.steps[i];
    const Outcome& outcome = played.outcomes[i];
    const auto own = outcome.find(step.session);
    if (own == outcome.end() && !played.waited[i]) continue;
    coverage.count_command();
    coverage.count({.command = name(step.statement),
                    .reply = own == outcome.end() ? "waits" : name(own->second),
                    .state = place_of(played.rows[i])});
    // These are the answers to statements that waited.
    for (const auto& [session, answer] : outcome) {
      if (session != step.session)
        coverage.count({.command = "let go by " + name(step.statement), .reply = name(answer)});
    }
  }
}

std::vector<Cell> expected_cells() { return cells_of(kExpected, kRowStates); }

}  // namespace picklock::conform::mysql
