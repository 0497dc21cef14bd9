// Carries out a fault plan. A fault waits for a step of an algorithm or for a time, fires once, and
// ends; the history records which faults fired and when. A step that no fault waits for costs one
// test of a bit.
//
// The effect of a verb depends on its target: a crash of a client unwinds its threads, a crash of a
// server halts its program. Message verbs (hold, delay, drop, duplicate) act on the message of the
// step that triggers them: the request at `sent`, the answer at `applied`; or on a message that
// belongs to no step. A verb that the simulator does not know goes to the programs
// (Program::strike).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "sim/fault.h"
#include "sim/network.h"

namespace picklock::sim {

class Nemesis final : private Network::Watcher {
 public:
  Nemesis(Scheduler& scheduler, Network& network) : scheduler_(scheduler), network_(network) {}
  Nemesis(const Nemesis&) = delete;
  Nemesis& operator=(const Nemesis&) = delete;

  // `clients`: processes [first_client, first_client + clients). The plan must outlive the run;
  // every name in it is a process of the run. Schedules the faults that wait for a time.
  void reset(const Plan& plan, ProcessId first_client, std::uint32_t clients);
  // One fault more, for a run that is under way; it too must outlive the run. Its
  // trigger counts only steps with a tag that `by` accepts; nullptr: all.
  void add(const Fault& fault, std::function<bool(Tag)> by = nullptr);

  // True if the plan has no step triggers.
  bool idle() const { return armed_ == 0; }

  // Stops the process, with its machine if `host`; its peers see silence instead of a reset if
  // `silent`. No effect on one that is down.
  void bring_down(Process& target, bool host, bool silent);

  // True if a trigger is narrowed to a command, so that steps must name their command.
  bool asks_for_commands() const { return asks_for_commands_; }

  // A step of a client's thread.
  struct Step {
    Process& client;
    Process& server;
    Role role{};
    Phase phase = Phase::sent;
    Side side = Side::before;
    ThreadId thread = 0;
    Tag tag = 0;
    std::string_view command{};  // empty unless asked for
    Message* message =
        nullptr;  // what message verbs act on: the request at sent, the answer at applied
  };
  void step(const Step& step) {
    if (step.role != Role{} && (armed_ >> bit(step.role, step.phase, step.side) & 1) != 0)
      match(step);
  }
  // The running thread of `client` passes a mark, which the trace records: after the faults that
  // strike before it, once the thread runs again, and before those that strike after it.
  void mark(Process& client, std::string_view name);

  struct Firing {
    std::uint32_t fault = 0;
    Instant at{};
    std::string_view in_vain{};  // why it changed nothing; empty: it changed something
    bool healed = false;         // it was over before its end, which changed nothing
  };
  const std::vector<Firing>& fired() const { return fired_; }
  // At the end of a run: decides whether those that could change something have done so.
  void settle();

  // Hardships under way or still to come by the clock; the horizon waits for them.
  bool quiet() const { return under_way_ == 0; }
  // Whether a fault still waits for a step that one of these clients may take, or for anything but
  // a step.
  bool awaits(const std::function<bool(Process&)>& takes_steps) const;
  // When the last one was over, and what a slow server had been sent by then was handled.
  Instant last_end() const { return last_end_; }

 private:
  struct Armed {
    const Fault* fault = nullptr;
    Process* target = nullptr;
    Process* by = nullptr;            // nullptr: any client
    std::function<bool(Tag)> by_tag;  // nullptr: any tag
    Process* on = nullptr;            // nullptr: any server
    Process* to = nullptr;            // nullptr: the fault names none
    std::vector<Process*> from;
    // Per client, how often its step has passed; of a message, how often the target has sent one.
    std::vector<std::uint32_t> seen;
    std::vector<Process*> healed;  // processes that a partition no longer cuts off
    bool fired = false;
    bool due = false;  // strikes at the mark that is being passed
    bool under_way = false;
    bool effective = false;         // has changed something, although its firing names a reason
    std::uint32_t incarnation = 0;  // of the target, when it struck
    std::int64_t rate_before = 0;
    Instant until{};  // a pause
    Timer begins;
    Timer ends;
  };

  // Of `armed_`, for the steps of this kind. Requires a role.
  static constexpr unsigned bit(Role role, Phase phase, Side side) {
    constexpr unsigned kPhases = kPhaseNames.size();
    constexpr unsigned kSides = 2;
    static_assert((kMostRoles - 1) * kPhases * kSides <= 64);
    return ((static_cast<unsigned>(role) - 1) * kPhases + static_cast<unsigned>(phase)) * kSides +
           static_cast<unsigned>(side);
  }
  static bool is_message_verb(Verb verb) {
    return verb == Verb::hold || verb == Verb::delay || verb == Verb::drop ||
           verb == Verb::duplicate;
  }
  void arm(std::uint32_t index, const Fault& fault);
  Process* named(std::string_view name);
  bool is_client(const Process& one) const {
    return one.id() >= first_client_ && one.id() < first_client_ + clients_;
  }
  bool counts(Armed& armed, const Process& client);
  void match(const Step& step);
  void leaves(Message& message) override;
  void trace_mark(const Process& client, std::string_view name);
  void fire(std::uint32_t index, const Step* step);
  void end_after(std::uint32_t index, std::optional<Duration> lasts);
  // Returns why the fault changes nothing; empty: it changes something.
  std::string_view apply(Armed& armed, std::uint32_t index, const Step* step);
  std::string_view strike(const Armed& armed, void (Program::*what)(const Strike&));
  bool heal(Process& target);
  Thread* victim(Process& target, const Step* step);
  // Returns whether anything was left of the fault.
  bool undo(Armed& armed);
  template <typename Do>
  bool each_link(Armed& armed, Do act);
  std::string_view pause(Armed& armed);
  std::string_view interrupt(Armed& armed, const Step* step);
  std::string_view set_rate(Armed& armed);
  std::string_view cut_off(Armed& armed);
  bool is_gone(const Process& target) const;
  bool talks(const Armed& armed) const;
  bool is_between_clients(const Armed& armed) const;
  void on_time(std::uint32_t index);
  void on_end(std::uint32_t index);

  Scheduler& scheduler_;
  Network& network_;
  std::deque<Armed> plan_;
  std::size_t planned_ = 0;
  std::uint64_t armed_ = 0;
  bool marks_armed_ = false;
  bool asks_for_commands_ = false;
  ProcessId first_client_ = 0;
  std::uint32_t clients_ = 0;
  std::vector<Firing> fired_;
  std::uint32_t under_way_ = 0;
  Instant last_end_{};
};

}  // namespace picklock::sim
