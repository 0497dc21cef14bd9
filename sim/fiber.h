// Fibers of Boost.Fiber as parked workers: each runs one body after another and is switched to
// directly. This is the only place that touches Boost.Fiber's scheduling.
//
// The library's own scheduler would cost a turn of its dispatcher per event (4-5x in short runs)
// and its timed waits read the machine's clock. Here the caller names the fiber to run next, and
// nothing else may block.
#pragma once

#include <cstddef>
#include <memory>

#include "sim/stack_pool.h"

namespace boost::fibers {
class context;
}

namespace picklock::sim {

class FiberPool;

// One parked worker, owned by its pool.
class Fiber {
 public:
  using Body = void (*)(void* argument);

  // Sets the body that the parked worker runs when it is next switched to.
  void assign(Body body, void* argument) {
    body_ = body;
    argument_ = argument;
  }

 private:
  friend class FiberPool;
  friend struct FiberLoop;
  friend struct FiberSwitch;

  boost::fibers::context* context_ = nullptr;
  Body body_ = nullptr;
  void* argument_ = nullptr;
  Stack stack_;
  FiberPool* pool_ = nullptr;
};

// Decides which fiber runs next when a body has ended; nullptr: the main fiber.
class FiberSchedule {
 public:
  virtual Fiber* after_body(Fiber& ended) = 0;

 protected:
  ~FiberSchedule() = default;
};

// All fibers of one size on this OS thread. Bodies may throw nothing.
class FiberPool {
 public:
  static constexpr std::size_t kDefaultStack = std::size_t{64} << 10;

  explicit FiberPool(std::size_t stack_size = kDefaultStack);
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  Fiber* take();  // an idle worker, or a new one
  void put_back(Fiber* idle);

  // Runs `next` until it switches elsewhere; returns when another fiber switches back to the
  // caller. `self` is the calling fiber, nullptr on the main fiber; `next` nullptr means the main
  // fiber.
  static void switch_to(Fiber* self, Fiber* next);

  void set_schedule(FiberSchedule* schedule) { schedule_ = schedule; }

  // Ends every idle worker and frees its stack. On the main fiber only.
  void trim();

  std::size_t alive() const { return alive_; }
  std::size_t stacks_mapped() const { return stacks_.mapped(); }

 private:
  friend struct FiberLoop;
  friend struct FiberSwitch;

  StackPool stacks_;
  boost::fibers::context* main_ = nullptr;
  FiberSchedule* schedule_ = nullptr;
  std::vector<Fiber*> idle_;
  std::size_t alive_ = 0;
};

}  // namespace picklock::sim
