#include "reports/joined_rows.h"

#include <algorithm>

#include "reports/wording.h"

namespace picklock::reports {
namespace {

using Shows = std::function<bool(sim::ProcessId)>;

bool says_the_same(const Row& one, const Row& next) {
  return one.kind == next.kind && instant(one.at) == instant(next.at) && one.text == next.text &&
         one.answer == next.answer && one.complete == next.complete &&
         (one.outcome.empty() || one.outcome == next.outcome);
}

bool joins(const JoinedRow& above, const Row& row, const Shows& shows) {
  const Row& first = above.row;
  if (!says_the_same(first, row)) return false;
  if (row.kind == RowKind::event) {
    if (first.from == row.from) return above.more.empty();
    return above.times == 1 && shows(first.from) && shows(row.from);
  }
  const bool message = row.kind == RowKind::exchange || row.kind == RowKind::departure;
  return message && first.from == row.from && first.to != row.to && shows(first.from) &&
         shows(first.to) && shows(row.to);
}

}  // namespace

std::vector<JoinedRow> joined_rows(const std::vector<Row>& rows, const Shows& shows) {
  std::vector<JoinedRow> all;
  for (const Row& row : rows) {
    if (all.empty() || !joins(all.back(), row, shows)) {
      all.push_back({.row = row, .more = {}});
      continue;
    }
    JoinedRow& joined = all.back();
    const bool event = row.kind == RowKind::event;
    if (event && row.from == joined.row.from) {
      ++joined.times;
    } else {
      joined.more.push_back(event ? row.from : row.to);
    }
    joined.row.outcome = row.outcome;
    joined.row.last = std::max(joined.row.last, row.last);
  }
  for (JoinedRow& joined : all) {
    if (joined.times > 1) joined.row.text += ", " + times(joined.times);
  }
  return all;
}

}  // namespace picklock::reports
