#include "reports/promise.h"

#include <cstddef>

#include "reports/wording.h"

namespace picklock::reports {

bool promised_here(const scenarios::Promised& promised) {
  return promised.promised && promised.premise_kept;
}

std::string promise(const scenarios::Promised& promised) {
  if (promised_here(promised)) return "promised";
  if (promised.promised) return "not promised here";
  return promised.beyond.empty() ? "never promised"
                                 : "not promised under " + list(names(promised.beyond));
}

}  // namespace picklock::reports
