// The switch itself, inlined into the one place that makes nearly all of them: after a switch the
// processor's prediction of every return on the way out is wrong, so that each call level saved is
// worth a dozen instructions.
#pragma once

#include <boost/fiber/context.hpp>

#include "sim/fiber.h"

#if defined(__SANITIZE_ADDRESS__)
#define PICKLOCK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PICKLOCK_ASAN 1
#endif
#endif

namespace picklock::sim {

struct FiberSwitch {
  // As FiberPool::switch_to; `self` is not the main fiber.
  [[gnu::always_inline]] static void from(Fiber& self, Fiber* next) {
#ifdef PICKLOCK_ASAN
    FiberPool::switch_to(&self, next);
#else
    (next != nullptr ? next->context_ : self.pool_->main_)->resume();
#endif
  }
};

}  // namespace picklock::sim
