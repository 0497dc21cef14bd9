// What ends a search or a comparison: two runs of one scenario and seed differ, so nothing that the
// runs show could be believed.
#pragma once

#include <stdexcept>

namespace picklock::explore {

class NotDeterministic : public std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace picklock::explore
