#include "sim/nemesis.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace picklock::sim {
namespace {

constexpr std::string_view kCrashed = "it had crashed already";
constexpr std::string_view kNoThread = "it had no thread left";
constexpr std::string_view kPaused = "it was paused already, and for longer";
constexpr std::string_view kInterrupted = "it had been interrupted already";
constexpr std::string_view kNoWait =
    "its thread began no wait from then on that could be interrupted";
constexpr std::string_view kSameRate = "its clocks ran at this rate already";
constexpr std::string_view kCutOff = "all of it was cut off already";
constexpr std::string_view kNothingStopped = "nothing was sent that it could stop";
constexpr std::string_view kNoCopy = "its receiver takes no copy of it";
constexpr std::string_view kNeverTalk = "the two sides never talk to each other";

}  // namespace

void Nemesis::reset(const Plan& plan, ProcessId first_client, std::uint32_t clients) {
  planned_ = plan.size();
  if (plan_.size() < planned_) plan_.resize(planned_);
  armed_ = 0;
  marks_armed_ = asks_for_commands_ = false;
  first_client_ = first_client;
  clients_ = clients;
  fired_.clear();
  under_way_ = 0;
  last_end_ = {};
  for (std::uint32_t i = 0; i < planned_; ++i) arm(i, plan[i]);
}

void Nemesis::add(const Fault& fault, std::function<bool(Tag)> by) {
  const auto index = static_cast<std::uint32_t>(planned_++);
  if (plan_.size() < planned_) plan_.resize(planned_);
  arm(index, fault);
  plan_[index].by_tag = std::move(by);
}

void Nemesis::arm(std::uint32_t index, const Fault& fault) {
  const Trigger& trigger = fault.trigger;
  Armed& armed = plan_[index];
  armed.fault = &fault;
  armed.target = named(fault.target);
  const bool at_client = is_client(*armed.target);
  armed.by = !trigger.by.empty() ? named(trigger.by) : at_client ? armed.target : nullptr;
  const bool at_server = is_message_verb(fault.verb) && !at_client && !trigger.is_message();
  armed.on = !trigger.on.empty() ? named(trigger.on) : at_server ? armed.target : nullptr;
  armed.by_tag = nullptr;
  armed.to = fault.to.empty() ? nullptr : named(fault.to);
  armed.from.clear();
  for (const std::string& name : fault.from) armed.from.push_back(named(name));
  armed.seen.assign(clients_, 0);
  armed.healed.clear();
  armed.fired = armed.under_way = armed.effective = false;
  asks_for_commands_ = asks_for_commands_ || !trigger.command.empty();
  if (trigger.at) {
    armed.begins.bind<&Nemesis::on_time>(scheduler_, nullptr, *this, index);
    armed.begins.arm(*trigger.at);
    scheduler_.hold_open();
    ++under_way_;
  } else if (!trigger.mark.empty()) {
    marks_armed_ = true;
  } else if (trigger.is_message()) {
    armed.seen.assign(1, 0);
    network_.set_watcher(this);
  } else {
    // The side does not matter to a message verb: it acts while the message can still be changed.
    const Side side = !is_message_verb(fault.verb)   ? trigger.side
                      : trigger.phase == Phase::sent ? Side::before
                                                     : Side::after;
    armed_ |= 1ull << bit(trigger.role, trigger.phase, side);
  }
}

Process* Nemesis::named(std::string_view name) {
  for (ProcessId id = 0; id < scheduler_.processes().count(); ++id) {
    if (scheduler_.processes().at(id).name() == name) return &scheduler_.processes().at(id);
  }
  throw std::invalid_argument("a fault names a process that is not there: " + std::string(name));
}

bool Nemesis::counts(Armed& armed, const Process& client) {
  if (armed.fired || (armed.by != nullptr && armed.by != &client)) return false;
  return ++armed.seen[client.id() - first_client_] == armed.fault->trigger.nth;
}

void Nemesis::match(const Step& step) {
  for (std::uint32_t i = 0; i < planned_; ++i) {
    Armed& armed = plan_[i];
    const Trigger& trigger = armed.fault->trigger;
    if (trigger.at || !trigger.mark.empty() || trigger.role != step.role ||
        trigger.phase != step.phase) {
      continue;
    }
    if (is_message_verb(armed.fault->verb)) {
      if (step.side != (step.phase == Phase::sent ? Side::before : Side::after)) continue;
    } else if (trigger.side != step.side) {
      continue;
    }
    if (armed.on != nullptr && armed.on != &step.server) continue;
    if (armed.by_tag && !armed.by_tag(step.tag)) continue;
    if (!trigger.command.empty() && !is_same_command(trigger.command, step.command)) continue;
    if (counts(armed, step.client)) fire(i, &step);
  }
}

// Counts what is neither a request of a client nor its answer. A message from one server to another
// may have the role of the command that it is about.
void Nemesis::leaves(Message& message) {
  Process& client = message.connection->client();
  Process& server = message.connection->server();
  if (message.role != Role{} && is_client(client)) return;
  const bool up = message.direction == 0;
  const Step step{
      .client = up ? client : server, .server = up ? server : client, .message = &message};
  for (std::uint32_t i = 0; i < planned_; ++i) {
    Armed& armed = plan_[i];
    if (armed.fired || !armed.fault->trigger.is_message() || armed.target != &step.client) continue;
    if (armed.on != nullptr && armed.on != &step.server) continue;
    if (++armed.seen[0] == armed.fault->trigger.nth) fire(i, &step);
  }
}

void Nemesis::mark(Process& client, std::string_view name) {
  bool struck_before = false;
  for (std::uint32_t i = 0; marks_armed_ && i < planned_; ++i) {
    Armed& armed = plan_[i];
    armed.due = armed.fault->trigger.mark == name && counts(armed, client);
    struck_before |= armed.due && armed.fault->trigger.side == Side::before;
  }
  if (!struck_before) trace_mark(client, name);
  for (std::uint32_t i = 0; marks_armed_ && i < planned_; ++i) {
    if (plan_[i].due) fire(i, nullptr);
  }
  scheduler_.obey();
  if (struck_before) trace_mark(client, name);
}

void Nemesis::trace_mark(const Process& client, std::string_view name) {
  Tracer& tracer = scheduler_.record().tracer();
  if (!tracer.on()) return;
  tracer.add({.at = scheduler_.now(), .kind = TraceKind::mark, .process = client.id()}, name);
}

void Nemesis::on_time(std::uint32_t index) {
  --under_way_;
  scheduler_.let_go();
  fire(index, nullptr);
}

void Nemesis::fire(std::uint32_t index, const Step* step) {
  Armed& armed = plan_[index];
  armed.fired = true;
  const std::size_t firing = fired_.size();
  fired_.push_back({index, scheduler_.now()});
  const bool leaves = step != nullptr && step->phase == Phase::sent && step->message != nullptr;
  scheduler_.record().report({.at = scheduler_.now(),
                              .what = Occurred::fault_fired,
                              .process = armed.target->id(),
                              .fault = index,
                              .request = leaves ? step->message->number : 0});
  fired_[firing].in_vain = apply(armed, index, step);
}

void Nemesis::end_after(std::uint32_t index, std::optional<Duration> lasts) {
  ++under_way_;
  scheduler_.hold_open();
  if (!lasts) {
    on_end(index);
    return;
  }
  Timer& timer = plan_[index].ends;
  timer.bind<&Nemesis::on_end>(scheduler_, nullptr, *this, index);
  timer.arm(scheduler_.now() + *lasts);
}

void Nemesis::on_end(std::uint32_t index) {
  Armed& armed = plan_[index];
  const bool lasted = armed.fault->lasts || armed.fault->verb == Verb::restart;
  if (lasted && !undo(armed)) {
    for (Firing& firing : fired_) firing.healed |= firing.fault == index;
  }
  armed.under_way = false;
  --under_way_;
  scheduler_.let_go();
  last_end_ = std::max({last_end_, scheduler_.now(), armed.target->free_at()});
  scheduler_.record().report({.at = scheduler_.now(),
                              .what = Occurred::fault_ended,
                              .process = armed.target->id(),
                              .fault = index});
}

std::string_view Nemesis::apply(Armed& armed, std::uint32_t index, const Step* step) {
  const Fault& fault = *armed.fault;
  Process& target = *armed.target;
  std::string_view in_vain;
  Message* message = step != nullptr ? step->message : nullptr;
  std::optional<Duration> lasts = fault.lasts;
  armed.under_way = true;
  armed.incarnation = target.incarnation();
  switch (fault.verb) {
    case Verb::pause:
      in_vain = pause(armed);
      break;
    case Verb::crash:
    case Verb::restart:
      // Its restart is a change all the same.
      if (target.down() && fault.verb == Verb::crash && !lasts) in_vain = kCrashed;
      bring_down(target, fault.host, fault.silent);
      break;
    case Verb::end_thread:
      if (Thread* thread = victim(target, step)) {
        scheduler_.record().report({.at = scheduler_.now(),
                                    .what = Occurred::thread_ended,
                                    .process = target.id(),
                                    .thread = thread->id(),
                                    .tag = thread->tag});
        scheduler_.threads().kill(*thread);
      } else {
        in_vain = target.down() ? kCrashed : kNoThread;
      }
      break;
    case Verb::interrupt:
      in_vain = interrupt(armed, step);
      break;
    case Verb::step_clock:
      if (is_gone(target)) in_vain = kCrashed;
      scheduler_.processes().step_clock(target, fault.step);
      break;
    case Verb::set_clock_rate:
      in_vain = set_rate(armed);
      break;
    case Verb::partition:
      in_vain = cut_off(armed);
      break;
    case Verb::heal:
      if (!heal(target)) in_vain = "nothing of it was cut off or held up";
      break;
    case Verb::hold:
      message->mark_held_until(scheduler_.now() + *fault.lasts);
      armed.from.assign({message->direction == 0 ? &message->connection->client()
                                                 : &message->connection->server(),
                         message->direction == 0 ? &message->connection->server()
                                                 : &message->connection->client()});
      break;
    case Verb::delay:
      if (!message->altered) message->again_after = Duration(-1);
      message->extra = (message->altered ? message->extra : Duration{}) + *fault.lasts;
      message->altered = true;
      break;
    case Verb::drop:
      message->mark_lost();
      break;
    case Verb::duplicate:
      if (!message->altered) message->extra = {};
      message->again_after = *fault.lasts;
      message->altered = true;
      // The end that has opened a connection takes no copy of what it is sent.
      if (fault.trigger.is_message() && message->direction == 1) in_vain = kNoCopy;
      break;
    case Verb::slow:
      if (is_gone(target)) in_vain = kCrashed;
      scheduler_.processes().set_slowness(target, target.slowness() + fault.step);
      break;
    default:
      in_vain = strike(armed, &Program::strike);
      break;
  }
  if (fault.verb == Verb::restart && !lasts) lasts = Duration::zero();
  end_after(index, lasts);
  return in_vain;
}

std::string_view Nemesis::pause(Armed& armed) {
  Process& target = *armed.target;
  const std::optional<Duration> lasts = armed.fault->lasts;
  armed.until = lasts ? scheduler_.now() + *lasts : kNever;
  bool outlasted = false;
  for (std::size_t i = 0; i < planned_; ++i) {
    const Armed& other = plan_[i];
    outlasted =
        outlasted || (&other != &armed && other.fault->verb == Verb::pause && other.under_way &&
                      other.target == &target && other.incarnation == target.incarnation() &&
                      other.until >= armed.until);
  }
  scheduler_.processes().pause(target);
  if (target.down()) return kCrashed;
  return outlasted ? kPaused : std::string_view();
}

std::string_view Nemesis::interrupt(Armed& armed, const Step* step) {
  Thread* const thread = victim(*armed.target, step);
  if (thread == nullptr) return armed.target->down() ? kCrashed : kNoThread;
  if (thread->is_interrupted()) return kInterrupted;
  scheduler_.threads().interrupt(*thread, &armed.effective);
  return kNoWait;
}

std::string_view Nemesis::set_rate(Armed& armed) {
  Process& target = *armed.target;
  armed.rate_before = target.clock().rate_ppb();
  const bool same = armed.rate_before == armed.fault->rate_ppb;
  scheduler_.processes().set_clock_rate(target, armed.fault->rate_ppb);
  if (is_gone(target)) return kCrashed;
  return same ? kSameRate : std::string_view();
}

std::string_view Nemesis::cut_off(Armed& armed) {
  bool all_cut = true;
  each_link(armed, [&](Process& from, Process& to) {
    all_cut = all_cut && network_.blocked(from, to);
    network_.block(from, to, &armed.effective);
  });
  if (all_cut) return kCutOff;
  return armed.target->down() ? kCrashed : kNothingStopped;
}

bool Nemesis::awaits(const std::function<bool(Process&)>& takes_steps) const {
  for (std::size_t i = 0; i < planned_; ++i) {
    const Armed& armed = plan_[i];
    const Trigger& trigger = armed.fault->trigger;
    if (armed.fired) continue;
    if (trigger.at || !trigger.mark.empty() || trigger.is_message()) return true;
    for (ProcessId id = first_client_; id < first_client_ + clients_; ++id) {
      Process& client = scheduler_.processes().at(id);
      if ((armed.by == nullptr || armed.by == &client) && takes_steps(client)) return true;
    }
  }
  return false;
}

// A crashed process that no fault of the plan restarts. One that restarts reads its clock then.
bool Nemesis::is_gone(const Process& target) const {
  if (!target.down()) return false;
  for (std::size_t i = 0; i < planned_; ++i) {
    const Fault& fault = *plan_[i].fault;
    const bool restarts = fault.verb == Verb::restart || (fault.verb == Verb::crash && fault.lasts);
    if (restarts && plan_[i].target == &target) return false;
  }
  return true;
}

bool Nemesis::is_between_clients(const Armed& armed) const {
  return is_client(*armed.target) && !armed.from.empty() &&
         std::all_of(armed.from.begin(), armed.from.end(),
                     [this](const Process* one) { return is_client(*one); });
}

// Whether there has been any connection that the partition cuts, if it is never healed.
bool Nemesis::talks(const Armed& armed) const {
  const auto connected = [&](const Process* other) {
    return network_.has_connected(*armed.target, *other);
  };
  if (!armed.from.empty()) return std::any_of(armed.from.begin(), armed.from.end(), connected);
  for (ProcessId id = 0; id < scheduler_.processes().count(); ++id) {
    if (connected(&scheduler_.processes().at(id))) return true;
  }
  return false;
}

// A partition of two servers that do not talk may be meant: a twin moves a fault to where it does
// no harm.
void Nemesis::settle() {
  for (Firing& firing : fired_) {
    Armed& armed = plan_[firing.fault];
    if (armed.effective) {
      firing.in_vain = {};
    } else if (firing.in_vain == kNothingStopped && !talks(armed)) {
      firing.in_vain = is_between_clients(armed) ? kNeverTalk : std::string_view();
    }
  }
}

std::string_view Nemesis::strike(const Armed& armed, void (Program::*what)(const Strike&)) {
  Strike::Findings findings;
  const Strike strike{*armed.fault, *armed.target, armed.to, findings};
  for (ProcessId id = 0; id < scheduler_.processes().count(); ++id) {
    if (Program* program = scheduler_.processes().at(id).program()) (program->*what)(strike);
  }
  return findings.any ? std::string_view() : findings.nothing;
}

void Nemesis::bring_down(Process& target, bool host, bool silent) {
  if (target.down()) return;
  network_.crash(target, host, silent);
  scheduler_.processes().halt(target, silent);
}

// Ends every cut and hold of the target's links and takes the target out of its partitions, so that
// their own end does not undo a later one. Returns whether there was any.
bool Nemesis::heal(Process& target) {
  bool any = false;
  for (ProcessId id = 0; id < scheduler_.processes().count(); ++id) {
    Process& other = scheduler_.processes().at(id);
    any = any || network_.blocked(target, other) || network_.blocked(other, target);
    while (network_.blocked(target, other)) network_.unblock(target, other);
    while (network_.blocked(other, target)) network_.unblock(other, target);
    any = network_.release_hold(target, other) || any;
    any = network_.release_hold(other, target) || any;
  }
  for (std::size_t i = 0; i < planned_; ++i) {
    if (plan_[i].under_way && plan_[i].fault->verb == Verb::partition) {
      plan_[i].healed.push_back(&target);
    }
  }
  return any;
}

// The thread whose step it is, if that is a thread of the target; else the target's oldest thread.
Thread* Nemesis::victim(Process& target, const Step* step) {
  if (step != nullptr && &step->client == &target) {
    if (Thread* thread = scheduler_.threads().find(target, step->thread)) return thread;
  }
  Thread* running = scheduler_.running();
  if (running != nullptr && &running->process() == &target) return running;
  return scheduler_.threads().oldest(target);
}

bool Nemesis::undo(Armed& armed) {
  const Fault& fault = *armed.fault;
  Process& target = *armed.target;
  switch (fault.verb) {
    case Verb::pause:
      // A crash has ended the pause already, and a later incarnation has pauses of its own.
      if (target.incarnation() == armed.incarnation && !target.down())
        scheduler_.processes().resume(target);
      break;
    case Verb::crash:
    case Verb::restart:
      scheduler_.processes().restart(target, fault.keeps);
      break;
    case Verb::set_clock_rate:
      // Another fault has set the rate in between, and this one ends that.
      if (target.clock().rate_ppb() != armed.rate_before && !is_gone(target))
        armed.effective = true;
      scheduler_.processes().set_clock_rate(target, armed.rate_before);
      break;
    case Verb::partition:
      return each_link(
          armed, [&](Process& from, Process& to) { network_.unblock(from, to, &armed.effective); });
    case Verb::hold:
      return network_.release_hold(*armed.from[0], *armed.from[1]);
    case Verb::slow:
      scheduler_.processes().set_slowness(target, target.slowness() - fault.step);
      break;
    case Verb::end_thread:
    case Verb::interrupt:
    case Verb::step_clock:
    case Verb::heal:
    case Verb::delay:
    case Verb::drop:
    case Verb::duplicate:
      break;
    default:
      strike(armed, &Program::relieve);
      break;
  }
  return true;
}

// The directions of links that a partition stops. Returns whether there is any.
template <typename Do>
bool Nemesis::each_link(Armed& armed, Do act) {
  bool any = false;
  const Fault& fault = *armed.fault;
  for (ProcessId id = 0; id < scheduler_.processes().count(); ++id) {
    Process& other = scheduler_.processes().at(id);
    bool meant = armed.from.empty() && &other != armed.target;
    for (const Process* one : armed.from) meant = meant || one == &other;
    for (const Process* one : armed.healed) meant = meant && one != &other && one != armed.target;
    if (!meant) continue;
    any = true;
    if (fault.outbound) act(*armed.target, other);
    if (fault.inbound) act(other, *armed.target);
  }
  return any;
}

}  // namespace picklock::sim
