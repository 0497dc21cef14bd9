// Joins the rows of one step that a client takes at several servers: the same request to each of
// them, with what each answered. Without this a quorum's acquire is a row for each server, and the
// reader has to add them up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reports/narrator.h"
#include "reports/story.h"

namespace picklock::reports {

// Rows are joined only if they follow each other at once. Rows in which the requests took effect on
// entries of different owners stay apart.
std::vector<Row> joined_rows(const std::vector<Row>& rows, const Narrator& narrator,
                             const std::vector<Change>& changes);

// The text of a message with its servers, if they are several.
std::string addressed(const Row& row, const Narrator& narrator);

// "redis-1 and redis-2: OK".
std::string told(const Fate& fate, const Narrator& narrator);

// For a story with every detail: joins only rows that say the same at one instant.
// `shows`: whether the reader sees the process. Rows of other processes stay apart, because they
// have to name them.
std::vector<Row> rows_of_one_instant(const std::vector<Row>& rows,
                                     const std::function<bool(sim::ProcessId)>& shows);

}  // namespace picklock::reports
