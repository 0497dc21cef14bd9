// A process: a named machine with clocks of its own that runs threads (a client) or answers
// messages (a server). A pause stops the process but not its kernel: sockets fill, connections stay
// up, and timers that came due fire on resume, in order. A crash ends the incarnation, which emits
// nothing afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/clock.h"
#include "sim/event_queue.h"
#include "sim/fault.h"
#include "sim/occurrence.h"

namespace picklock::sim {

class Process;
class Thread;

struct Strike {
  const Fault& fault;
  Process& target;
  Process* to;  // nullptr: the fault names none

  // The findings of the programs that the fault is meant for. It is in vain if none found a target.
  struct Findings {
    bool any = false;
    std::string_view nothing{};  // why there was nothing to strike
  };
  Findings& findings;
  void found(bool there, std::string_view nothing) const {
    findings.any |= there;
    if (!there) findings.nothing = nothing;
  }
};

// The program that runs on a process, with its reactions to faults.
class Program {
 public:
  virtual void start(Keeps keeps) = 0;  // boots an incarnation; at the first start keeps is `all`
  // The process is about to start again. True: the program starts it itself, later.
  virtual bool holds_back_start(Keeps) { return false; }
  virtual void halted() {}           // the incarnation is over: volatile state is gone
  virtual void clock_changed() {}    // the wall clock was stepped or a rate was set
  virtual void found_no_server() {}  // a thread could not connect to a server
  // A fault of a verb that the simulator does not know. Every program of the run receives it, in
  // the order of processes, and knows whether it is meant.
  virtual void strike(const Strike&) {}
  // The end of such a fault, if it lasts.
  virtual void relieve(const Strike&) {}

 protected:
  ~Program() = default;
};

class alignas(64) Process {
 public:
  const std::string& name() const { return name_; }
  ProcessId id() const { return id_; }
  std::uint64_t hash() const { return hash_; }  // of the name; used in digests and streams
  std::uint32_t incarnation() const { return incarnation_; }

  bool running() const { return !down_ && pauses_ == 0; }
  bool paused() const { return pauses_ > 0; }
  bool down() const { return down_; }
  bool silent() const { return silent_; }  // down, and its host answers nobody

  const LocalClock& clock() const { return clock_; }
  Program* program() const { return program_; }
  void set_program(Program* program) { program_ = program; }

  // Time that the process needs for each message; it handles one after the other.
  Duration handling() const { return service_ + slowness_; }
  Duration slowness() const { return slowness_; }
  Instant free_at() const { return free_at_; }  // when all arrived messages are handled
  void set_service(Duration service) {
    service_ = service;
    refresh();
  }

 private:
  friend class Network;
  friend class Processes;
  friend class Scheduler;
  friend class Threads;

  // The event happens when the process runs again.
  void defer(const Event& event) { deferred_.push_back(event); }
  void refresh() { plain_ = !down_ && pauses_ == 0 && handling() == Duration::zero() && !backlog_; }

  // The fields that every event touches come first.
  bool plain_ = true;     // running, and needs no time for messages: the usual case
  bool backlog_ = false;  // messages have been waiting for their turn
  bool down_ = false;
  bool silent_ = false;
  std::uint32_t pauses_ = 0;  // pauses may overlap
  ProcessId id_ = 0;
  std::uint32_t incarnation_ = 0;
  std::uint64_t hash_ = 0;
  LocalClock clock_;
  std::uint32_t threads_made_ = 0;
  Thread* threads_ = nullptr;  // alive ones
  Program* program_ = nullptr;
  Duration service_{};
  Duration slowness_{};
  Instant free_at_{};
  Instant caught_up_{};  // when everything that arrived during a pause is handled
  std::string name_;
  std::vector<Event> deferred_;  // came due during a pause
};

}  // namespace picklock::sim
