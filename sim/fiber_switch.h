// The switch itself, inlined into the one place that makes nearly all of them. After a switch the
// processor predicts every return on the way out wrongly, so each call level saved is worth a dozen
// instructions.
#pragma once

#include <boost/fiber/context.hpp>

#include "sim/fiber.h"
#include "sim/sanitizer.h"

namespace picklock::sim {

struct FiberSwitch {
  // The memory that a switch to the fiber reads first, so that it can be fetched ahead: the
  // continuation, near the end of the library's control block.
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
