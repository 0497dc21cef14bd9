// The words for a property and for a violation of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/narrator.h"

namespace picklock::reports {

// The property as a clause: "two clients never believe …".
std::string_view meaning(Property property);

// One witness of a violation. Borrows the narrator.
class Violation {
 public:
  Violation(const Narrator& narrator, Property property, const Witness& witness);

  // In a few words, for its row in the story, and in full, for the verdict. A witness that does not
  // fit the history has an empty headline.
  std::string headline() const;
  std::string sentence() const;

  // The event that violated the property; nullptr if the witness does not fit the history. For a
  // lost wake-up this is when the lock is free, which may be long after the sleep began.
  const history::HistoryEvent* broke_at() const;
  // The processes of the violation, each once; the one that violated the property comes first.
  std::vector<sim::ProcessId> concerned() const;

 private:
  // nullptr: the history has no such event.
  const history::HistoryEvent* event(std::uint32_t index) const;

  const Narrator& narrator_;
  Property property_;
  Witness witness_;
};

}  // namespace picklock::reports
