#include "conform/mysql/sequence.h"

#include <fmt/format.h>

#include "models/mysql/sql.h"

namespace picklock::conform::mysql {

Schema schema() { return {"locks", {"name", "n"}}; }

std::string shown(const Step& step) {
  return fmt::format("{}> {}{}", step.session, sql(step.statement),
                     step.impatient ? "   (waits for a second)" : "");
}

std::string shown(const Answer& answer) {
  if (!answer.ok()) return fmt::format("error {}", static_cast<int>(answer.error));
  std::string text = fmt::format("{} changed", answer.affected);
  for (const Row& row : answer.rows) {
    text += " (";
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ", ") + sql(row[i]);
    text += ")";
  }
  return text;
}

std::string shown(const Outcome& outcome) {
  std::string text;
  for (const auto& [session, answer] : outcome)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", session, shown(answer));
  return text.empty() ? "nothing" : text;
}

}  // namespace picklock::conform::mysql
