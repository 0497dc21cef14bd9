// Faults between processes (explore/workers/wire.h).
#pragma once

#include "sim/fault.h"

namespace picklock::sim {

template <typename Archive>
void fields(Archive& archive, Trigger& trigger) {
  archive(trigger.at, trigger.side, trigger.role, trigger.phase, trigger.mark, trigger.nth,
          trigger.by, trigger.on, trigger.command);
}

template <typename Archive>
void fields(Archive& archive, Fault& fault) {
  archive(fault.verb, fault.target, fault.trigger, fault.lasts, fault.step, fault.rate_ppb,
          fault.from, fault.outbound, fault.inbound, fault.host, fault.silent, fault.keeps,
          fault.to, fault.key, fault.line);
}

}  // namespace picklock::sim
