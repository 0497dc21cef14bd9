#include "conform/mysql/coverage.h"

#include <algorithm>
#include <iterator>

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

std::string name(RowState row) {
  constexpr const char* kNames[] = {"-", "missing", "free", "mine", "others", "marked"};
  return kNames[static_cast<std::size_t>(row)];
}

}  // namespace

std::uint64_t count(const Interleaving& interleaving, const Played& played, Coverage& coverage) {
  std::uint64_t said = 0;
  for (std::size_t i = 0; i < played.outcomes.size(); ++i) {
    const Step& step = interleaving.steps[i];
    const Outcome& outcome = played.outcomes[i];
    const auto own = outcome.find(step.session);
    if (own == outcome.end() && !played.waited[i]) continue;
    ++said;
    ++coverage[{.statement = name(step.statement),
                .answer = own == outcome.end() ? "waits" : name(own->second),
                .row = name(played.rows[i])}];
    // What others were waiting for has come.
    for (const auto& [session, answer] : outcome) {
      if (session != step.session)
        ++coverage[{
            .statement = "let go by " + name(step.statement), .answer = name(answer), .row = "-"}];
    }
  }
  return said;
}

std::vector<Cell> empty_cells(const Coverage& coverage) {
  std::vector<Cell> empty;
  const std::vector<Cell> expected = expected_cells();
  std::copy_if(expected.begin(), expected.end(), std::back_inserter(empty),
               [&](const Cell& cell) { return !coverage.contains(cell); });
  return empty;
}

}  // namespace picklock::conform::mysql
