// Virtual time and the threads that live in it. The call that blocks a thread pops the next events
// itself: a server's event runs in place, and the next thread is switched to directly, or not at
// all when it is the caller. One fiber runs at any moment; ties go by order of arrival unless a
// search permutes them.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/digest.h"
#include "sim/event_queue.h"
#include "sim/fiber.h"
#include "sim/process.h"
#include "sim/slots.h"
#include "sim/timer.h"
#include "sim/tracer.h"

namespace picklock::sim {

class Connection;
class Network;
class Pacer;
class Scheduler;

// Unwinds a thread that was killed. Models never catch it. If an algorithm swallows it, its later
// calls have no effect, and it is thrown again if the algorithm does not end.
struct Killed {};

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
    return true;
  }
  // Whether the thread has taken an interrupt since the last call.
  bool gave_way() { return std::exchange(gave_way_, false); }

  Tag tag = 0;  // accompanies every message that this thread sends
  Role role{};  // of commands that name none themselves

 private:
  friend class Scheduler;

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
  std::uint32_t ignored_ = 0;  // calls since it was killed
  FiberPool* pool_ = nullptr;
  Thread* next_ = nullptr;
  Thread* previous_ = nullptr;
  std::function<void()> body_;
  Scheduler* scheduler_ = nullptr;
};

class Scheduler final : public FiberSchedule {
 public:
  explicit Scheduler(std::size_t stack_size = FiberPool::kDefaultStack);
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();

  // Begins a new run without processes and threads, at time zero. Memory is kept for reuse.
  void reset(std::uint64_t seed, bool tracing);

  Instant now() const { return now_; }
  std::uint64_t seed() const { return seed_; }
  std::uint64_t events() const { return events_; }

  // --- the record of the run: always its digest, its trace if asked for, and its occurrences for
  // an observer
  Digest& digest() { return digest_; }
  const Digest& digest() const { return digest_; }
  Tracer& tracer() { return tracer_; }
  const Tracer& tracer() const { return tracer_; }
  void report(const Occurrence& occurrence);
  // The observer must outlive the runs.
  void set_observer(Observer* observer) { observer_ = observer; }

  // The seeded order of events due at one instant; without it they go by order of arrival.
  void permute_ties() { permuted_.emplace(seed_, hash_of("ties")); }

  // --- processes
  Process& add_process(std::string_view name, Duration clock_offset = {},
                       std::int64_t clock_rate_ppb = 0);
  Process& process(ProcessId id) { return processes_[id]; }
  std::size_t process_count() const { return process_count_; }
  void start(Process& process);  // boots it and calls its program's start()
  void pause(Process& process);
  void resume(Process& process);
  // Ends the incarnation: threads unwind, timers are void. Connections are the network's part.
  void halt(Process& process, bool silent);
  void restart(Process& process, Keeps keeps);
  void step_clock(Process& process, Duration by);
  void set_clock_rate(Process& process, std::int64_t rate_ppb);
  void set_slowness(Process& process, Duration per_message) {
    process.slowness_ = per_message;
    process.refresh();
  }
  std::int64_t local_time(const Process& process, ClockKind kind) const {
    return process.clock_.read(kind, now_);
  }

  // --- threads
  // The thread starts by an event at this instant. A run lasts while foreground threads live.
  Thread& spawn(Process& process, std::function<void()> body, bool foreground = false) {
    return add_thread(process, std::move(body), foreground, fibers_);
  }
  // The same for a background thread, on a stack large enough for an interpreter.
  Thread& spawn_deep(Process& process, std::function<void()> body) {
    return add_thread(process, std::move(body), false, deep_fibers_);
  }
  Thread* running() { return running_; }
  // The thread is likely to use the connection again when it next runs.
  void will_use(Thread& thread, const Connection& connection) const {
    if (crowded_) thread.last_used_ = &connection;
  }
  void kill(Thread& thread);
  Thread* some_thread(Process& process) {
    return process.threads_;
  }  // the oldest alive; nullptr: none

  Thread* thread_of(Process& process, ThreadId id) {
    Thread* thread = process.threads_;
    while (thread != nullptr && thread->id_ != id) thread = thread->next_;
    return thread;
  }

  // The calling thread stops until woken; Killed unwinds it if it is killed meanwhile.
  void park();
  // The same, at most until the clock of the thread's process shows `local`. False: the time came
  // first.
  bool park_until(ClockKind clock, std::int64_t local);
  // The same for a limit that is seldom reached: all waits of a thread share one event, which is
  // pushed again when it comes too early.
  bool park_patiently(std::int64_t monotonic_limit);
  void sleep(Duration length);  // on the monotonic clock of its process
  void wake(Thread& thread);
  // Wakes the thread from its present or next interruptible wait. Such a wait begins with
  // begin_interruptible(), which returns false if the thread has been interrupted already.
  void interrupt(Thread& thread);
  bool begin_interruptible(Thread& thread) {
    thread.interruptible_ = !thread.interrupted_;
    return thread.interruptible_;
  }
  void end_interruptible(Thread& thread) { thread.interruptible_ = false; }
  // Applies a pause or crash of its process to the calling thread.
  void obey() {
    if (running_ != nullptr && (running_->killed_ || running_->process_->pauses_ > 0))
      stand_still();
  }
  // For calls that emit: true in a killed thread, whose destructors must do nothing. Throws Killed
  // again if an algorithm has swallowed it and does not end.
  bool inert() const { return running_ != nullptr && running_->killed_ && mute(); }

  Timers& timers() { return timers_; }

  // --- the run
  // A run lasts while there are foreground threads, messages in flight or faults not yet over.
  void hold_open(bool counts = true) { under_way_ += counts ? 1 : 0; }
  void let_go(bool counts = true) { under_way_ -= counts ? 1 : 0; }
  void stop() { ending_ = true; }
  void set_event_limit(std::uint64_t limit) { event_limit_ = limit; }
  bool out_of_events() const { return events_ >= event_limit_; }
  // Runs to the end and unwinds every remaining thread. Rethrows an exception that escaped from a
  // thread.
  void run();

  EventQueue& queue() { return queue_; }
  void defer(Process& process, const Event& event) { process.deferred_.push_back(event); }
  void set_network(Network* network) { network_ = network; }
  // The pacer controls the advance of time until the next reset.
  void set_pacer(Pacer* pacer) { pacer_ = pacer; }
  FiberPool& fibers() { return fibers_; }

 private:
  static constexpr std::size_t kDeepStack = std::size_t{1} << 20;

  Thread& add_thread(Process& process, std::function<void()> body, bool foreground,
                     FiberPool& pool);
  Fiber* after_body(Fiber& ended) override;
  static void run_body(void* thread);
  void finish(Thread& thread);
  Thread* advance() noexcept;
  Thread* next_thread();
  bool keep_pace();
  Fiber* fiber_of(Thread& thread);
  [[gnu::always_inline]] void block(Thread& me);
  [[gnu::always_inline]] bool wait_until(ClockKind clock, std::int64_t local);
  void stand_still();
  bool mute() const;
  void count(const Event& event, std::uint64_t who) {
    now_ = Instant(Duration(event.at));
    ++events_;
    digest_.add(static_cast<std::uint64_t>(event.at) ^ who);
  }
  void watch_patience(Thread& thread);
  bool out_of_patience(Thread& thread, const Event& event);
  void fetch_ahead();
  void fetch_thread(std::uint32_t slot) const;
  void fetch_fiber(const Thread& thread) const;
  void rearm_local(Process& process);

  EventQueue queue_;
  Instant now_{};
  Thread* running_ = nullptr;
  Thread* next_ = nullptr;  // woken by the event just handled, runs before the next one
  std::uint64_t events_ = 0;
  std::uint64_t event_limit_ = ~0ull;
  std::uint64_t under_way_ = 0;
  bool ending_ = false;
  bool crowded_ = false;  // so many threads that their stacks leave the cache
  Network* network_ = nullptr;
  Pacer* pacer_ = nullptr;
  std::vector<Event> late_;  // scratch
  Digest digest_;
  Tracer tracer_;
  Observer* observer_ = nullptr;
  std::optional<Random> permuted_;
  std::uint64_t seed_ = 0;

  Slots<Thread> threads_;
  std::size_t threads_used_ = 0;
  std::vector<std::uint32_t> free_threads_;
  ThreadId last_thread_ = 0;
  Slots<Process> processes_;
  std::size_t process_count_ = 0;
  Timers timers_{queue_, now_};
  std::exception_ptr failure_;
  FiberPool fibers_;
  FiberPool deep_fibers_{kDeepStack};
};

}  // namespace picklock::sim
