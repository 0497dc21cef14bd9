#include "reports/narrator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "picklock/client.h"
#include "reports/columns.h"
#include "scenarios/promises.h"
#include "scenarios/setup.h"
#include "scenarios/verbs/kind.h"

namespace picklock::reports {
namespace {

using history::Cause;
using history::HistoryEvent;
using history::TenureId;
using history::What;
using sim::ProcessId;

// How an entry ends that no command ended.
struct Ending {
  std::string_view now;
  std::string_view past;
};

Ending ending(Cause cause) {
  switch (cause) {
    case Cause::expiry:
      return {"expires", "expired"};
    case Cause::eviction:
      return {"is evicted", "was evicted"};
    case Cause::failover:
      return {"is lost in the failover", "was lost in the failover"};
    case Cause::session_end:
      return {"ends with its session", "ended with its session"};
    case Cause::coordinator:
      return {"is freed by the coordinator", "was freed by the coordinator"};
    case Cause::restart:
      return {"is lost in the restart", "was lost in the restart"};
    case Cause::crash:
      return {"is lost in the crash", "was lost in the crash"};
    case Cause::command:
    case Cause::interrupt:
    case Cause::version:
      break;
  }
  return {"is lost", "was lost"};
}

}  // namespace

const scenarios::FiredFault* fired_fault(const Run& run, std::size_t fault) {
  const auto found = std::find_if(run.fired.begin(), run.fired.end(),
                                  [fault](const auto& one) { return one.fault == fault; });
  return found == run.fired.end() ? nullptr : &*found;
}

Narrator::Narrator(const Run& run)
    : run_(run), clients_(run.processes.size()), resources_(run.processes.size()) {
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    clients_[i] = i < run.outside || run.processes[i].starts_with("client-") ||
                  run.processes[i] == kCoordinator;
    resources_[i] = scenarios::is_resource(run.processes[i]);
  }
  locks_ = scenarios::lock_keys(run.scenario).size();
  if (scenarios::find_algorithm(run.scenario) != nullptr)
    specs_ = scenarios::processes_of(run.scenario);
  if (specs_.size() != run.processes.size()) specs_.clear();
  for (const HistoryEvent& event : run.history) {
    if (event.what > What::deadline_passed || event.tenure == 0) continue;
    if (event.process < clients_.size()) clients_[event.process] = true;
    if (event.tenure >= tenures_.size()) tenures_.resize(event.tenure + std::size_t{1});
    Actor& actor = tenures_[event.tenure];
    if (!actor.known) actor = {event.process, true};
  }
}

std::string Narrator::process(ProcessId process) const {
  return process < run_.processes.size() ? printable(run_.processes[process])
                                         : fmt::format("process {}", process);
}

std::string Narrator::processes(const std::vector<ProcessId>& processes) const {
  std::vector<std::string> names;
  names.reserve(processes.size());
  for (const ProcessId one : processes) names.push_back(process(one));
  return list(names);
}

std::string Narrator::key(history::KeyId key) const {
  return key < run_.keys.size() ? printable(run_.keys[key]) : "the lock";
}

std::string Narrator::lock(history::KeyId key) const {
  if (!is_lock(key)) return this->key(key);
  return has_one_lock() ? "the lock" : fmt::format("the lock {}", this->key(key));
}

std::optional<ProcessId> Narrator::find(std::string_view name) const {
  const auto found = std::find(run_.processes.begin(), run_.processes.end(), name);
  if (found == run_.processes.end()) return std::nullopt;
  return static_cast<ProcessId>(found - run_.processes.begin());
}

bool Narrator::is_client(ProcessId process) const {
  return process < clients_.size() && clients_[process];
}

std::string Narrator::number(ProcessId client) const {
  if (is_of_outside()) return std::to_string(client);
  const std::string name = process(client);
  const std::size_t dash = name.rfind('-');
  return dash == std::string::npos ? "" : name.substr(dash + 1);
}

Side Narrator::side(ProcessId process) const {
  const bool resource = process < resources_.size() && resources_[process];
  return is_client(process) ? Side::client : resource ? Side::resource : Side::server;
}

bool Narrator::is_peer(ProcessId process) const {
  return process < specs_.size() && specs_[process].kind->standing == servers::Standing::peer;
}

std::optional<ProcessId> Narrator::process_of(TenureId tenure) const {
  if (tenure >= tenures_.size() || !tenures_[tenure].known) return std::nullopt;
  return tenures_[tenure].process;
}

bool Narrator::is_operator(ProcessId process) const {
  const auto& clients = run_.scenario.clients;
  return process < clients.count && clients.count - process <= clients.operators;
}

// An operator acts on behalf of the holder that it saw; the sender of the command tells the two
// apart. When the run was not traced, a command is attributed to the operator only if the holder
// had no release in flight.
std::optional<ProcessId> Narrator::operator_behind(const HistoryEvent& event) const {
  const auto& clients = run_.scenario.clients;
  if (clients.operators == 0 || event.cause != Cause::command || event.role != Role::release)
    return std::nullopt;
  std::map<std::uint32_t, ProcessId> senders;
  std::optional<ProcessId> sender;
  for (const sim::TraceRecord& record : run_.trace.records) {
    const bool sends = record.kind == sim::TraceKind::sent || record.kind == sim::TraceKind::copied;
    const bool asks = sends && !record.reply && record.role == event.role &&
                      record.tag == event.tenure && record.peer == event.process;
    if (asks) senders[record.message] = record.process;
    if (record.kind == sim::TraceKind::delivered && senders.contains(record.message))
      sender = senders[record.message];
    if (record.kind != sim::TraceKind::recorded || record.message >= run_.history.size() ||
        &run_.history[record.message] != &event)
      continue;
    return sender && is_operator(*sender) ? sender : std::nullopt;
  }
  bool releasing = false;
  for (const HistoryEvent& earlier : run_.history) {
    if (&earlier == &event) break;
    if (earlier.tenure != event.tenure) continue;
    if (earlier.what == What::release_invoked) releasing = true;
    if (earlier.what > What::release_invoked && earlier.what <= What::release_unknown)
      releasing = false;
  }
  if (releasing || clients.operators > 1) return std::nullopt;
  return static_cast<ProcessId>(clients.count - 1);
}

std::optional<ProcessId> Narrator::actor_of(const HistoryEvent& event) const {
  switch (event.what) {
    case What::entry_altered:
    case What::entry_removed:
      if (const auto by = operator_behind(event)) return by;
      return process_of(event.tenure);
    case What::entry_created:
    case What::queued:
    case What::deadlock_broken:
    case What::refused_free:
      return process_of(event.tenure);
    case What::write_accepted:
    case What::write_rejected:
    case What::read_accepted:
    case What::read_rejected:
    case What::token_announced:
    case What::token_rejected:
      if (const auto process = process_of(event.tenure)) return process;
      return event.peer;
    case What::horizon:
      return std::nullopt;
    default:
      return event.process;
  }
}

std::string Narrator::who(const HistoryEvent& event, bool with_tenure) const {
  const auto actor = actor_of(event);
  if (!actor) return "an unknown client";
  return with_tenure ? fmt::format("{} (tenure {})", process(*actor), event.tenure)
                     : process(*actor);
}

// The same as `who`, for an event that changes an entry.
std::string Narrator::doer(const HistoryEvent& event, bool with_tenure) const {
  const auto by = operator_behind(event);
  if (!by) return who(event, with_tenure);
  const auto meant = process_of(event.tenure);
  const bool other = meant && meant != process_of(event.owner);
  return fmt::format("{}'s forced unlock{}", process(*by),
                     other ? fmt::format(", meant for {},", process(*meant)) : "");
}

std::string Narrator::owner(const HistoryEvent& event) const {
  const auto process = process_of(event.owner);
  if (!process)
    return event.owner == 0 ? "an unknown client" : fmt::format("tenure {}", event.owner);
  const bool own = event.tenure != event.owner && process == process_of(event.tenure);
  return this->process(*process) + (own ? fmt::format(" (tenure {})", event.owner) : "");
}

// A server that is down continues to count time, so an entry that was lost in a failover may expire
// there once more.
const HistoryEvent& Narrator::first_loss(const HistoryEvent& removed) const {
  const HistoryEvent* gone = nullptr;
  for (const HistoryEvent& event : run_.history) {
    if (&event == &removed) break;
    if (event.process != removed.process || event.key != removed.key) continue;
    if (event.what == What::entry_created || event.what == What::entry_altered) gone = nullptr;
    if (event.what == What::entry_removed && gone == nullptr) gone = &event;
  }
  const bool again =
      removed.what == What::entry_removed && gone != nullptr && gone->owner == removed.owner;
  return again ? *gone : removed;
}

bool Narrator::are_copies(ProcessId one, ProcessId other) const {
  return one != other && one < specs_.size() && other < specs_.size() &&
         specs_[one].kind->standing != servers::Standing::none &&
         specs_[other].kind->standing != servers::Standing::none &&
         specs_[one].group == specs_[other].group;
}

bool Narrator::is_kept_by_copy(const HistoryEvent& removed) const {
  if (removed.what != What::entry_removed || removed.cause != Cause::failover) return false;
  bool kept = false;
  for (const HistoryEvent& event : run_.history) {
    if (&event == &removed) break;
    const bool comes = event.what == What::entry_created && event.key == removed.key &&
                       history::owner_after(event) == removed.owner;
    if (!comes) continue;
    if (are_copies(event.process, removed.process)) kept = true;
    // A server that finds the entry again after a restart has had it all the time.
    if (event.process == removed.process && event.cause != Cause::restart) kept = false;
  }
  return kept;
}

const HistoryEvent* Narrator::crash_that_lost(const HistoryEvent& removed) const {
  const bool in_crash = removed.cause == Cause::crash;
  if (removed.what != What::entry_removed || (removed.cause != Cause::expiry && !in_crash))
    return nullptr;
  const HistoryEvent* crash = nullptr;
  const sim::Fault* by = nullptr;
  const sim::Fault* latest = nullptr;
  for (const HistoryEvent& event : run_.history) {
    if (&event == &removed) break;
    if (event.what == What::fault_fired && event.key < run_.scenario.faults.size())
      latest = &run_.scenario.faults[event.key];
    if (event.process != removed.process) continue;
    if (event.what == What::process_started) crash = nullptr;
    if (event.what == What::process_crashed) {
      crash = &event;
      by = latest;
    }
  }
  if (in_crash) return crash;
  if (crash == nullptr || by == nullptr) return nullptr;
  const auto keeps = specs_[removed.process].kind->keeps;  // nullptr: of whatever a fault says
  if (by->keeps == sim::Keeps::fsynced &&
      (keeps == nullptr || keeps(run_.scenario.servers, by->target, by->keeps) == by->keeps))
    return nullptr;
  const bool loses = verbs::kind_of(by->verb).stops &&
                     scenarios::class_of(*by, run_.scenario) == FaultClass::amnesia;
  return loses ? crash : nullptr;
}

std::string Narrator::loss(const HistoryEvent& event) const {
  if (event.what == What::entry_altered) return "was altered by " + doer(event, false);
  if (event.cause == Cause::command) return "was removed by " + doer(event, false);
  return std::string(ending(event.cause).past);
}

std::string Narrator::entry_ends(const HistoryEvent& event) const {
  const auto owner = process_of(event.owner);
  const std::string of = has_one_lock() ? "" : " of " + key(event.key);
  const std::string whose = !is_lock(event.key) ? key(event.key)
                            : owner             ? process(*owner) + "'s entry" + of
                                                : "the entry of " + key(event.key);
  return fmt::format("{} {}", whose, ending(event.cause).now);
}

std::string Narrator::event(const HistoryEvent& event) const {
  std::string subject = process(event.process);
  const std::string lock = this->lock(event.key);
  switch (event.what) {
    case What::acquire_invoked:
      return subject + " requests " + lock;
    case What::acquire_ok:
      return subject + " holds " + lock;
    case What::acquire_failed:
      return subject + " gives up";
    case What::acquire_unknown:
      return subject + " cannot know whether it got " + lock;
    case What::release_invoked:
      return subject + " begins to release " + lock;
    case What::release_ok:
      return subject + " has released " + lock;
    case What::release_failed:
      return subject + " is told that it had nothing of its own to release";
    case What::release_unknown:
      return subject + " cannot know whether it released " + lock;
    case What::loss_learned:
      return subject + " learns that it has lost " + lock;
    case What::deadline_passed:
      return subject + "'s own deadline passes";
    case What::abandoned:
      return subject + " forgets " + lock + " without a release";
    case What::thread_ended:
      return "a thread of " + subject + " ends";
    case What::process_crashed:
      return subject + " crashes";
    case What::process_started:
      return subject + " restarts";
    case What::fault_fired:
      return fault_fires(event.key);
    case What::fault_ended:
      return fault_ends(event.key);
    case What::entry_created:
      if (event.tenure == 0 && event.owner != 0)  // it was there before, under another server
        return fmt::format("{} has {}'s entry of {}", subject, owner(event), key(event.key));
      return fmt::format("{}: {} gets an entry of {}", subject, who(event, false), key(event.key));
    case What::entry_altered:
      return fmt::format("{}: {} alters {}'s entry of {}", subject, doer(event, false),
                         owner(event), key(event.key));
    case What::entry_removed:
      return entry_ends(event);
    case What::out_of_connections:
      return subject + " has no connection left: each is lent to a thread that has ended";
    case What::horizon:
      return "the run ends";
    default:  // it has no row: others tell of it
      return subject;
  }
}

// A message that is as late as the network may deliver it anyway is no fault.
std::string Narrator::numbered_fault(std::uint32_t index) const {
  const bool known = index < run_.scenario.faults.size();
  const bool is_order =
      known && run_.outside == 0 &&
      !scenarios::class_of(run_.scenario.faults[index], run_.scenario).has_value();
  return fmt::format("{} {}", is_order ? "late message" : "fault", index + std::uint64_t{1});
}

std::string Narrator::fault_fires(std::uint32_t index) const {
  std::string text = numbered_fault(index);
  if (index < run_.scenario.faults.size())
    text += ": " + printable(fault(run_.scenario.faults[index]));
  const scenarios::FiredFault* const fired = fired_fault(run_, index);
  return fired == nullptr || fired->in_vain.empty() ? text
                                                    : fmt::format("{}: {}", text, fired->in_vain);
}

std::string Narrator::fault_ends(std::uint32_t index) const {
  std::string text = numbered_fault(index) + " is over";
  if (index >= run_.scenario.faults.size()) return text;
  const sim::Fault& fault = run_.scenario.faults[index];
  const auto consequence = verbs::kind_of(fault.verb).told_at_end;
  return consequence == nullptr ? text : text + ": " + printable(consequence(fault));
}

}  // namespace picklock::reports
