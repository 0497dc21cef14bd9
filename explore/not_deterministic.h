// Two runs of one scenario and seed differ, so no result can be trusted. Ends a search or a
// comparison.
#pragma once

#include <stdexcept>

namespace picklock::explore {

class NotDeterministic : public std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace picklock::explore
