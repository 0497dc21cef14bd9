#include "scenarios/scenario.h"

namespace picklock::scenarios {

models::LockOptions lock_options(const Scenario& scenario) {
  models::LockOptions options = scenario.lock.options;
  if (scenario.servers.resource.fencing == Fencing::in_script)
    options.mint = models::Mint::in_script;
  return options;
}

}  // namespace picklock::scenarios
