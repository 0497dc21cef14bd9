#include "sim/fiber.h"

#include <pthread.h>

#include <boost/context/stack_context.hpp>
#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>
#include <boost/fiber/scheduler.hpp>
#include <cassert>

#include "sim/fiber_switch.h"

namespace picklock::sim {
namespace {

namespace bf = boost::fibers;

// AddressSanitizer must be told of every switch, or it reports false errors once a fiber throws.
// The fiber that leaves names the stack that it switches to, and the fiber that resumes reports its
// arrival. The dispatcher's own stack stays unannounced, because it runs nothing that throws.
struct Sanitizer {
#ifdef PICKLOCK_ASAN
  static void leave(Stack to) {
    if (to.bottom != nullptr) {
      announced = true;
      __sanitizer_start_switch_fiber(nullptr, to.bottom, to.size);
    }
  }
  static void landed() {
    if (announced) {
      announced = false;
      __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
    }
  }
  static Stack main_stack() {
    pthread_attr_t attributes;
    void* bottom = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &bottom, &size);
      pthread_attr_destroy(&attributes);
    }
    return Stack{static_cast<char*>(bottom), size};
  }
  static inline thread_local bool announced = false;
#else
  static void leave(Stack) {}
  static void landed() {}
  static Stack main_stack() { return {}; }
#endif
};

// Boost.Fiber asks an algorithm for the next context only where a fiber ends and where the main
// fiber yields to the dispatcher; all other switches are direct. So the algorithm knows two
// contexts: the dispatcher, which frees the stacks of ended fibers, and the main one.
class Parking final : public bf::algo::algorithm {
 public:
  void awakened(bf::context* context) noexcept override {
    if (context->is_context(bf::type::dispatcher_context)) {
      dispatcher_ = context;
    } else if (context->is_context(bf::type::worker_context)) {
      created_ = context;
    }
  }

  bf::context* pick_next() noexcept override {
    Sanitizer::landed();
    // Never the active context itself: a fiber cannot resume itself.
    if (bf::context::active()->is_context(bf::type::main_context)) return dispatcher_;
    Sanitizer::leave(main_stack_);
    return main_;
  }

  bool has_ready_fibers() const noexcept override { return false; }
  void suspend_until(const std::chrono::steady_clock::time_point&) noexcept override {}
  void notify() noexcept override {}

  bf::context* take_created() { return std::exchange(created_, nullptr); }
  bf::context* main() const { return main_; }
  Stack main_stack() const { return main_stack_; }

 private:
  bf::context* dispatcher_ = nullptr;
  bf::context* created_ = nullptr;
  bf::context* main_ = bf::context::active();
  Stack main_stack_ = Sanitizer::main_stack();
};

// One algorithm per OS thread, installed at its first pool and kept: Boost.Fiber owns it.
Parking& parking() {
  static thread_local Parking* const installed = [] {
    auto* algorithm = new Parking;
    bf::algo::algorithm::ptr_t owner(algorithm);
    bf::context::active()->get_scheduler()->set_algo(owner);
    return algorithm;
  }();
  return *installed;
}

// Hands a pooled stack to Boost.Fiber and takes it back when the fiber is freed.
class PooledStack {
 public:
  using traits_type = boost::context::stack_traits;
  PooledStack(StackPool& pool, Stack stack) : pool_(&pool), stack_(stack) {}

  boost::context::stack_context allocate() const {
    boost::context::stack_context context;
    context.size = stack_.size;
    context.sp = stack_.top();
    return context;
  }

  void deallocate(boost::context::stack_context&) const noexcept { pool_->give_back(stack_); }

 private:
  StackPool* pool_;
  Stack stack_;
};

}  // namespace

struct FiberLoop {
  static void run(Fiber& self) {
    Sanitizer::landed();
    while (self.body_ != nullptr) {
      self.body_(self.argument_);
      self.body_ = nullptr;
      self.pool_->put_back(&self);
      Fiber* next = self.pool_->schedule_->after_body(self);
      if (next != &self) FiberPool::switch_to(&self, next);
    }
  }
};

FiberPool::FiberPool(std::size_t stack_size) : stacks_(stack_size), main_(parking().main()) {}

FiberPool::~FiberPool() { trim(); }

Fiber* FiberPool::take() {
  if (!idle_.empty()) {
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }
  auto* fiber = new Fiber;
  fiber->pool_ = this;
  fiber->stack_ = stacks_.take();
  bf::fiber worker(bf::launch::post, std::allocator_arg, PooledStack(stacks_, fiber->stack_),
                   [fiber] { FiberLoop::run(*fiber); });
  fiber->context_ = parking().take_created();
  worker.detach();
  ++alive_;
  return fiber;
}

void FiberPool::put_back(Fiber* idle) { idle_.push_back(idle); }

void FiberPool::switch_to([[maybe_unused]] Fiber* self, Fiber* next) {
  Sanitizer::leave(next != nullptr ? next->stack_ : parking().main_stack());
  (next != nullptr ? next->context_ : parking().main())->resume();
  Sanitizer::landed();
}

void FiberPool::trim() {
  for (Fiber* fiber : idle_) {
    fiber->assign(nullptr, nullptr);
    switch_to(nullptr, fiber);  // it falls out of its loop and ends
    delete fiber;
    --alive_;
  }
  idle_.clear();
  // An ended fiber's stack is freed by the dispatcher alone: without its turn every stack would
  // leak.
  bf::context::active()->suspend();
  Sanitizer::landed();
}

}  // namespace picklock::sim
