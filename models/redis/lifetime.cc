#include "models/redis/lifetime.h"

#include <utility>

namespace picklock::redis {

void Lifetime::reset() {
  has_timer_ = false;
  halted();
}

void Lifetime::started() { started_at_ = now(); }

// As an event of its own: a process does not end amid a command.
void Lifetime::end() {
  ending_ = true;
  sim::Scheduler& scheduler = service_.simulation().scheduler;
  if (!std::exchange(has_timer_, true))
    timer_ = scheduler.add_timer(&service_.process(), &Lifetime::on_end, this, 0);
  scheduler.arm(timer_, now());
}

void Lifetime::on_end(void* self, std::uint32_t) {
  const sim::Service& service = static_cast<Lifetime*>(self)->service_;
  service.simulation().network.crash(service.process(), false, false);
  service.simulation().scheduler.halt(service.process(), false);
}

}  // namespace picklock::redis
