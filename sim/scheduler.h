// Virtual time and the threads that live in it. The call that blocks a thread pops the next events
// itself: a server's event runs in place, and the next thread is switched to directly, or not at
// all when it is the caller. One fiber runs at any moment; ties go by order of arrival unless a
// search permutes them.
#pragma once

#include <exception>
#include <optional>
#include <vector>

#include "sim/event_queue.h"
#include "sim/processes.h"
#include "sim/random.h"
#include "sim/record.h"
#include "sim/threads.h"
#include "sim/timer.h"

namespace picklock::sim {

class Network;
class Pacer;

// Unwinds a thread that was killed. Models never catch it. If an algorithm swallows it, its later
// calls have no effect, and it is thrown again if the algorithm does not end.
struct Killed {};

class Scheduler final : public FiberSchedule {
 public:
  explicit Scheduler(std::size_t stack_size = FiberPool::kDefaultStack);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  // Begins a new run without processes and threads, at time zero. Memory is kept for reuse.
  void reset(std::uint64_t seed, bool tracing);

  Instant now() const { return now_; }
  std::int64_t local_time(const Process& process, ClockKind kind) const {
    return process.clock_.read(kind, now_);
  }

  // --- the parts of a run
  Record& record() { return record_; }
  const Record& record() const { return record_; }
  Processes& processes() { return processes_; }
  const Processes& processes() const { return processes_; }
  Threads& threads() { return threads_; }
  Timers& timers() { return timers_; }
  EventQueue& queue() { return queue_; }

  // --- waits of the running thread
  Thread* running() { return running_; }
  // The calling thread stops until woken; Killed unwinds it if it is killed meanwhile.
  void park();
  // The same, at most until the clock of the thread's process shows `local`. False: the time came
  // first.
  bool park_until(ClockKind clock, std::int64_t local);
  // The same for a limit that is seldom reached: all waits of a thread share one event, which is
  // pushed again when it comes too early.
  bool park_patiently(std::int64_t monotonic_limit);
  void sleep(Duration length);  // on the monotonic clock of its process
  // Applies a pause or crash of its process to the calling thread.
  void obey() {
    if (running_ != nullptr && (running_->killed_ || running_->process_->pauses_ > 0))
      stand_still();
  }
  // For calls that emit: true in a killed thread, whose destructors must do nothing. Throws Killed
  // again if an algorithm has swallowed it and does not end.
  bool inert() const { return running_ != nullptr && running_->killed_ && mute(); }

  // --- the run
  // The seeded order of events due at one instant; without it they go by order of arrival.
  void permute_ties() { permuted_.emplace(record_.seed(), hash_of("ties")); }
  // A run lasts while there are foreground threads, messages in flight or faults not yet over.
  void hold_open(bool counts = true) { under_way_ += counts ? 1 : 0; }
  void let_go(bool counts = true) { under_way_ -= counts ? 1 : 0; }
  void stop() { ending_ = true; }
  void set_event_limit(std::uint64_t limit) { event_limit_ = limit; }
  bool out_of_events() const { return record_.events() >= event_limit_; }
  // Runs to the end and unwinds every remaining thread. Rethrows an exception that escaped from a
  // thread.
  void run();

  void set_network(Network* network) { network_ = network; }
  // The pacer controls the advance of time until the next reset.
  void set_pacer(Pacer* pacer) { pacer_ = pacer; }

 private:
  friend class Processes;
  friend class Threads;

  Fiber* after_body(Fiber& ended) override;
  Thread* advance() noexcept;
  Thread* next_thread();
  bool keep_pace();
  [[gnu::always_inline]] void block(Thread& me);
  [[gnu::always_inline]] bool wait_until(ClockKind clock, std::int64_t local);
  void stand_still();
  bool mute() const;
  void count(const Event& event, std::uint64_t who) {
    now_ = Instant(Duration(event.at));
    record_.count(event.at, who);
  }

  EventQueue queue_;
  Instant now_{};
  Thread* running_ = nullptr;
  Thread* next_ = nullptr;  // woken by the event just handled, runs before the next one
  std::uint64_t event_limit_ = ~0ull;
  std::uint64_t under_way_ = 0;
  bool ending_ = false;
  Network* network_ = nullptr;
  Pacer* pacer_ = nullptr;
  std::vector<Event> late_;  // scratch
  Record record_;
  std::optional<Random> permuted_;
  std::exception_ptr failure_;
  Threads threads_;
  Processes processes_{*this};
  Timers timers_{queue_, now_};
};

}  // namespace picklock::sim
