// The switch itself, inlined into the one place that makes nearly all of them: after a switch the
// processor's prediction of every return on the way out is wrong, so that each call level saved is
// worth a dozen instructions.
#pragma once

#include <boost/fiber/context.hpp>

#include "sim/fiber.h"
#include "sim/sanitizer.h"

namespace picklock::sim {

struct FiberSwitch {
  // What a switch to it reads first, for fetching it ahead: the continuation, which lies near the
  // end of the library's control block.
  static const void* touches(const Fiber& fiber) {
    return reinterpret_cast<const char*>(fiber.context_) + sizeof(boost::fibers::context) - 24;
  }

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
