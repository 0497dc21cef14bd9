#include "models/redis/lifetime.h"

namespace picklock::redis {

void Lifetime::reset() {
  timer_.bind<&Lifetime::on_end>(service_.simulation().scheduler, &service_.process(), *this);
  halted();
}

void Lifetime::started() { started_at_ = now(); }

// As an event of its own: a process does not end amid a command.
void Lifetime::end() {
  ending_ = true;
  timer_.arm(now());
}

void Lifetime::on_end() {
  service_.simulation().network.crash(service_.process(), false, false);
  service_.simulation().scheduler.processes().halt(service_.process(), false);
}

}  // namespace picklock::redis
