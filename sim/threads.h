// The threads of all processes and the fibers that they run on. A thread ends when its body
// returns, or unwinds when it is killed.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "sim/fiber.h"
#include "sim/process.h"
#include "sim/slots.h"

namespace picklock::sim {

class Connection;
class Scheduler;

// A thread of a process, on a fiber of its own.
class alignas(64) Thread {
 public:
  ThreadId id() const { return id_; }
  std::uint32_t slot() const { return slot_; }  // unique among live threads, reused later
  Process& process() const { return *process_; }
  bool killed() const { return killed_; }

  // Returns and clears the pending interrupt.
  bool take_interrupt() {
    if (!interrupted_) return false;
    interrupted_ = false;
    gave_way_ = true;
    if (heeded_ != nullptr) *heeded_ = true;
    return true;
  }
  // Whether an interrupt waits for the thread to take it.
  bool is_interrupted() const { return interrupted_; }
  // Whether the thread has taken an interrupt since the last call.
  bool gave_way() { return std::exchange(gave_way_, false); }

  Tag tag = 0;  // accompanies every message that this thread sends
  Role role{};  // of commands that name none themselves

 private:
  friend class FetchAhead;
  friend class Scheduler;
  friend class Threads;

  // The fields that every wait touches come first, in one cache line.
  bool parked_ = false;
  bool woken_ = false;  // by wake(), not by its timer
  bool killed_ = false;
  bool timed_ = false;
  bool patient_ = false;  // its limit is watched by a patience event
  bool foreground_ = false;
  bool interruptible_ = false;  // its present wait
  bool interrupted_ = false;
  bool gave_way_ = false;
  ClockKind clock_ = ClockKind::monotonic;
  std::uint32_t ticket_ = 0;  // of its present wait: an event with an older one is void
  Process* process_ = nullptr;
  Fiber* fiber_ = nullptr;
  std::uint64_t hash_ = 0;
  std::int64_t until_ = 0;    // on `clock_`
  Instant watched_ = kNever;  // when its patience event is due; kNever: it has none
  std::uint32_t slot_ = 0;
  ThreadId id_ = 0;
  // For fetching ahead: where it was parked, what a switch to it reads, what it last sent on.
  const void* stack_hint_ = nullptr;
  const void* switch_hint_ = nullptr;
  const Connection* last_used_ = nullptr;
  bool* heeded_ = nullptr;     // set when it takes its interrupt
  std::uint32_t ignored_ = 0;  // calls since it was killed
  FiberPool* pool_ = nullptr;
  Thread* next_ = nullptr;
  Thread* previous_ = nullptr;
  std::function<void()> body_;
  Scheduler* scheduler_ = nullptr;
};

class Threads {
 public:
  Threads(Scheduler& scheduler, std::size_t stack_size);

  void reset();  // for a new run

  // The thread starts by an event at this instant. A run lasts while foreground threads live.
  Thread& spawn(Process& process, std::function<void()> body, bool foreground = false) {
    return add(process, std::move(body), foreground, fibers_);
  }
  // The same for a background thread, on a stack large enough for an interpreter.
  Thread& spawn_deep(Process& process, std::function<void()> body) {
    return add(process, std::move(body), false, deep_fibers_);
  }
  static Thread* oldest(Process& process) { return process.threads_; }  // alive; nullptr: none
  static Thread* find(Process& process, ThreadId id) {
    Thread* thread = process.threads_;
    while (thread != nullptr && thread->id_ != id) thread = thread->next_;
    return thread;
  }

  void kill(Thread& thread);
  void kill_all(Process& process);
  void wake(Thread& thread);
  // Wakes the thread from its present or next interruptible wait. Such a wait begins with
  // begin_interruptible(), which returns false if the thread has been interrupted already.
  // `heeded`, if given, is set when the thread takes the interrupt.
  void interrupt(Thread& thread, bool* heeded = nullptr);
  static bool begin_interruptible(Thread& thread) {
    thread.interruptible_ = !thread.interrupted_;
    return thread.interruptible_;
  }
  static void end_interruptible(Thread& thread) { thread.interruptible_ = false; }
  // A change of the clocks of the process takes effect at once on what its threads wait for.
  void follow_clock(Process& process);
  // The thread is likely to use the connection again when it next runs.
  void will_use(Thread& thread, const Connection& connection) const {
    if (crowded_) thread.last_used_ = &connection;
  }

  FiberPool& fibers() { return fibers_; }

 private:
  friend class FetchAhead;
  friend class Scheduler;

  static constexpr std::size_t kDeepStack = std::size_t{1} << 20;

  Thread& add(Process& process, std::function<void()> body, bool foreground, FiberPool& pool);
  Fiber* fiber_of(Thread& thread);
  static void run_body(void* thread);
  void finish(Thread& thread);
  void unwind_all();
  void watch_patience(Thread& thread);
  bool out_of_patience(Thread& thread, const Event& event);

  Scheduler& scheduler_;
  bool crowded_ = false;  // so many threads that their stacks leave the cache
  Slots<Thread> threads_;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> free_;
  ThreadId last_ = 0;
  FiberPool fibers_;
  FiberPool deep_fibers_{kDeepStack};
};

}  // namespace picklock::sim
