// A timer of a program or of the engine. It calls a member function of its program once, at an
// instant or when a clock shows a time. A timer that ends, or whose process crashes, never fires.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "sim/process.h"

namespace picklock::sim {

class Scheduler;
class Timers;

class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { leave(); }

  // Calls `kMember` of `program`, with `argument` if it takes one. `owner` nullptr: a timer of the
  // engine, which ignores pauses and crashes. The binding outlives runs; a new one disarms.
  template <auto kMember, typename Program>
  void bind(Scheduler& scheduler, Process* owner, Program& program, std::uint32_t argument = 0) {
    bind_to(scheduler, owner, &program, argument, [](void* self, std::uint32_t which) {
      auto& mine = *static_cast<Program*>(self);
      if constexpr (std::is_invocable_v<decltype(kMember), Program&, std::uint32_t>) {
        (mine.*kMember)(which);
      } else {
        (mine.*kMember)();
      }
    });
  }
  // After a change of a clock, the timers of a process are armed again in the order in which they
  // joined the run. A timer joins when it is first armed, unless it has joined before.
  void join();
  // Ends its part in the run; it joins again when it is next armed.
  void leave();

  void arm(Instant at);
  // On a clock of the owner; follows its steps.
  void arm_on(ClockKind clock, std::int64_t local);
  void disarm() { armed_ = false; }
  bool armed() const { return armed_; }

 private:
  friend class Scheduler;
  friend class Timers;

  static constexpr std::uint32_t kNowhere = ~0u;

  void bind_to(Scheduler& scheduler, Process* owner, void* self, std::uint32_t argument,
               void (*fire)(void*, std::uint32_t));
  void watch();

  Timers* timers_ = nullptr;
  Process* owner_ = nullptr;
  void (*fire_)(void*, std::uint32_t) = nullptr;
  void* self_ = nullptr;
  std::uint32_t argument_ = 0;
  std::uint32_t place_ = kNowhere;  // among the timers of the run
  std::uint32_t ticket_ = 0;        // of its event: one with an older ticket is void
  bool armed_ = false;
  bool on_clock_ = false;
  ClockKind clock_ = ClockKind::monotonic;
  Instant at_{};              // when it fires, if armed
  Instant watched_ = kNever;  // when its event is due; kNever: it has none
  std::int64_t until_ = 0;    // on `clock_`
};

// The timers that have joined the present run.
class Timers {
 public:
  Timers(EventQueue& queue, const Instant& now) : queue_(queue), now_(now) {}
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  ~Timers() { reset(); }

  void reset();  // for a new run
  void disarm_all(const Process& owner);
  // A change of the owner's clocks takes effect at once on the timers that are armed on them.
  void follow_clock(const Process& owner);
  // The timer that fires at this event; nullptr: the event is void, or came too early.
  Timer* fired_by(const Event& event) {
    Timer* const timer = joined_[event.target()];
    return timer != nullptr && fires(*timer, event) ? timer : nullptr;
  }

 private:
  friend class Timer;

  static bool fires(Timer& timer, const Event& event);

  EventQueue& queue_;
  const Instant& now_;
  std::vector<Timer*> joined_;  // nullptr: it has left
};

}  // namespace picklock::sim
