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

std::string_view operation(What what) {
  switch (what) {
    case What::read_accepted:
      return "read";
    case What::write_rejected:
      return "rejected write";
    case What::read_rejected:
      return "rejected read";
    case What::token_announced:
    case What::token_rejected:
      return "token";
    default:
      return "write";
  }
}

// The kind of a rejected request.
std::string_view request(What what) {
  return what == What::read_rejected ? "read" : what == What::token_rejected ? "token" : "write";
}

std::string_view change(What what) {
  return what == What::entry_altered   ? "altered"
         : what == What::entry_created ? "created"
                                       : "removed";
}

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

std::string_view not_granted(const HistoryEvent& event) {
  return event.what == What::acquire_unknown ? "left without an answer" : "refused";
}

// Whether a release freed the lock and told its client that there was nothing to release.
bool denies_release(const HistoryEvent& told, const HistoryEvent& other) {
  return told.what == What::release_failed && other.what == What::entry_removed;
}

bool is_endless(Property property, const HistoryEvent& event) {
  return (property == Property::not_stuck || property == Property::progress) &&
         event.what == What::acquire_invoked;
}

// Whether the event cut a critical section off, so that its work was not finished.
bool cuts_off(const HistoryEvent& event) {
  return event.what == What::loss_learned || event.what == What::release_unknown ||
         event.what == What::release_failed;
}

struct CutOff {
  std::string_view event;     // of its client
  std::string_view although;  // of the lock
};

CutOff cut_off(const HistoryEvent& event) {
  switch (event.what) {
    case What::loss_learned:
      return {"was told that it had lost", "nothing had taken its entry"};
    case What::release_failed:
      return {"failed to release", "its entry was still there"};
    default:
      return {"could not know whether it had released", "no fault had struck"};
  }
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

const HistoryEvent* Narrator::broke_at(Property property, const Witness& witness) const {
  const std::size_t size = run_.history.size();
  if (witness.event >= size) return nullptr;
  // A wait that does not end is one only at the horizon; what caused it may come after its
  // beginning.
  if (is_endless(property, run_.history[witness.event])) return &run_.history.back();
  const bool later = property == Property::no_lost_wakeup && witness.other < size;
  return &run_.history[later ? std::max(witness.event, witness.other) : witness.event];
}

std::vector<ProcessId> Narrator::concerned(Property property, const Witness& witness) const {
  std::vector<ProcessId> out;
  const auto add = [&](std::optional<ProcessId> process) {
    if (process && std::find(out.begin(), out.end(), *process) == out.end())
      out.push_back(*process);
  };
  const auto add_event = [&](std::uint32_t index) {
    if (index >= run_.history.size()) return;
    const HistoryEvent& event = run_.history[index];
    add(actor_of(event));
    if (event.what >= What::entry_created && event.what <= What::entry_removed)
      add(process_of(event.owner));
  };
  // The process that caused a loss is not concerned: it is not to blame for an unnoticed loss.
  const bool loss = property == Property::loss_noticed && witness.other < run_.history.size();
  if (loss) add(process_of(run_.history[witness.other].owner));
  if (!out.empty()) return out;
  add_event(witness.event);
  add_event(witness.other);
  return out;
}

std::string Narrator::headline(Property property, const Witness& witness) const {
  if (witness.event >= run_.history.size()) return "";
  const HistoryEvent* at = &run_.history[witness.event];
  const HistoryEvent& other =
      run_.history[witness.other < run_.history.size() ? witness.other : witness.event];
  const bool same = actor_of(*at) == actor_of(other);
  const std::string actor = who(*at, same);
  const std::string against = who(other, same);
  const bool alone = witness.other == witness.event;
  switch (property) {
    case Property::mutual_exclusion:
      return alone ? actor + " and another client both believe they hold the lock"
                   : fmt::format("{} and {} both believe they hold the lock", against, actor);
    case Property::resource_exclusion:
      return alone ? actor + "'s operations are interleaved with those of another client"
                   : fmt::format("{}'s {} fell between two operations of {}", against,
                                 operation(other.what), actor);
    case Property::no_stale_write:
      return alone ? actor + "'s stale write was accepted"
                   : fmt::format("{}'s write was accepted after a {} of {}, the newer holder",
                                 actor, operation(other.what), against);
    case Property::no_lost_update:
      return alone ? actor + "'s write replaced an update that it had not read"
                   : fmt::format("{}'s write replaced an update of {} that it had not read", actor,
                                 against);
    case Property::no_holder_refused:
      return fmt::format("{} holds the lock, but its {} was rejected", who(*at, false),
                         request(at->what));
    case Property::own_release:
      return fmt::format("{} {} {}'s entry", doer(*at, actor_of(*at) == process_of(at->owner)),
                         change(at->what), owner(*at));
    case Property::loss_noticed: {
      const auto loser = process_of(other.owner);
      return (loser ? process(*loser) : actor) + " never noticed that it had lost the lock";
    }
    case Property::not_stuck:
      return actor + " waits forever";
    case Property::no_deadlock: {
      if (at->what == What::deadlock_broken) return actor + " is the victim of a deadlock";
      const auto holder = process_of(other.owner != 0 ? other.owner : other.tenure);
      return alone || !holder ? actor + " waits in a cycle of waiters"
                              : fmt::format("{} waits for {}", actor, process(*holder));
    }
    case Property::balanced_holds:
      if (denies_release(*at, other))
        return who(*at, false) + "'s release freed the lock, yet reported nothing to release";
      return alone ? actor + "'s holds are miscounted"
                   : fmt::format("{} miscounts the holds of {}", process(other.process),
                                 who(*at, false));
    case Property::no_lost_wakeup:
      return actor + " keeps sleeping while the lock is free";
    case Property::bounded_wakeups: {
      const auto waker = process_of(at->owner);
      return waker ? fmt::format("{} wakes more waiters than allowed", process(*waker))
                   : actor + " is woken beyond the allowed number of waiters";
    }
    case Property::fair_order:
      return alone ? actor + " overtakes once more than allowed"
                   : fmt::format("{} overtakes {} once more than allowed", actor, against);
    case Property::available:
      return fmt::format("{} was {} although the lock was available", actor, not_granted(*at));
    case Property::progress:
      return at->what == What::horizon && cuts_off(other)
                 ? "no client ever finished its work with the lock"
             : at->what == What::horizon         ? "no client was ever granted the lock"
             : at->what == What::acquire_invoked ? actor + " waits for a lock that nobody holds"
                                                 : against + " waited for a lock that nobody held";
  }
  return "";
}

std::string Narrator::without_work(const HistoryEvent& first) const {
  const std::string lock = this->lock(first.key);
  if (!cuts_off(first)) return fmt::format("no client was granted {} in the whole run", lock);
  const auto [event, although] = cut_off(first);
  return fmt::format(
      "no critical section was finished in the whole run: at {} {} {} {}, although {}",
      instant(first.at), who(first, false), event, lock, although);
}

std::string Narrator::sentence(Property property, const Witness& witness) const {
  if (witness.event >= run_.history.size())
    return fmt::format("event {} of the history", witness.event);
  const HistoryEvent* at = &run_.history[witness.event];
  const bool alone = witness.other == witness.event || witness.other >= run_.history.size();
  const HistoryEvent& other = run_.history[alone ? witness.event : witness.other];
  const bool same = actor_of(*at) == actor_of(other);
  const std::string actor = who(*at, same);
  const std::string against = who(other, same);
  const std::string when = instant(at->at);
  const std::string then = instant(other.at);
  switch (property) {
    case Property::mutual_exclusion:
      if (alone) break;
      return fmt::format(
          "{} was told at {} that it holds {}, but {} had believed the same since {}", actor, when,
          lock(at->key), against, then);
    case Property::resource_exclusion:
      if (alone) break;
      return fmt::format("{} {} {} again at {}, but {}'s {} had been accepted there at {}", actor,
                         at->what == What::read_accepted ? "read from" : "wrote to",
                         process(at->process), when, against, operation(other.what), then);
    case Property::no_stale_write:
      if (alone) break;
      return fmt::format(
          "{} accepted {}'s write at {}, after a {} of {}, whose grant is newer, at {}",
          process(at->process), actor, when, operation(other.what), against, then);
    case Property::no_lost_update:
      if (alone) break;
      if (at->what == What::read_accepted) {
        return fmt::format(
            "{} showed {} version {} at {}, although version {} had been accepted from {} at {}",
            process(at->process), actor, at->version, when, other.version, against, then);
      }
      return fmt::format(
          "{} accepted {}'s write at {}, based on version {}, in place of version {}, which {} had "
          "written at {}",
          process(at->process), actor, when, at->base, other.version, against, then);
    case Property::no_holder_refused:
      if (alone) break;
      return fmt::format("{} rejected {}'s {} at {}{}, although no grant is newer than {}'s, at {}",
                         process(at->process), who(*at, false), request(at->what), when,
                         at->cause == Cause::version
                             ? fmt::format(" because version {} was current", at->version)
                             : "",
                         who(*at, false), then);
    case Property::own_release: {
      const auto role = at->role;
      const bool named = at->role != Role::none && !operator_behind(*at);
      return fmt::format("{} {} {}'s entry of {} on {} at {}{}",
                         doer(*at, actor_of(*at) == process_of(at->owner)), change(at->what),
                         owner(*at), key(at->key), process(at->process), when,
                         named ? fmt::format(", with its {}", name(role)) : "");
    }
    case Property::loss_noticed: {
      if (alone) break;
      const HistoryEvent& lost = first_loss(other);
      const HistoryEvent* const crash = crash_that_lost(lost);
      const std::string believed = at->what == What::release_invoked
                                       ? "until it began to release at " + when
                                   : at->what == What::horizon ? "until the run ended at " + when
                                                               : "until " + when;
      const std::string how =
          crash != nullptr ? fmt::format("was lost in the crash of {}", process(crash->process))
                           : loss(lost);
      return fmt::format(
          "{}'s entry {} at {}; its owner believed that it held {} {} and never learned of the "
          "loss",
          owner(lost), how, instant(crash != nullptr ? crash->at : lost.at), lock(lost.key),
          believed);
    }
    case Property::not_stuck: {
      const auto holder = process_of(other.owner != 0 ? other.owner : other.tenure);
      if (other.what == What::out_of_connections)
        return fmt::format(
            "{} has waited for {} since {}, to the end of the run, without a connection: each of "
            "its process is lent to a thread that has ended",
            actor, lock(at->key), when);
      if (alone || !holder)
        return fmt::format("{} has waited for {} since {}, to the end of the run", actor,
                           lock(at->key), when);
      if (is_client(other.process))
        return fmt::format(
            "{} has waited for {} since {}, to the end of the run, behind a mutex of its own "
            "process "
            "that no live thread can release",
            actor, lock(at->key), when);
      return fmt::format(
          "{} has waited for {} since {}, to the end of the run, behind an entry of {} {}", actor,
          lock(at->key), when, process(*holder),
          other.until == sim::kNever ? "that has no deadline" : "that is renewed without a holder");
    }
    case Property::no_deadlock: {
      if (at->what == What::deadlock_broken)
        return fmt::format("{} found a deadlock at {}, and {} was its victim", process(at->process),
                           when, actor);
      const auto holder = process_of(other.owner != 0 ? other.owner : other.tenure);
      if (alone || !holder)
        return fmt::format("{} has waited for {} since {}", actor, lock(at->key), when);
      return fmt::format("{} has waited since {} for {}, held by {} since {}", actor, when,
                         lock(at->key), process(*holder), then);
    }
    case Property::balanced_holds: {
      if (alone) break;
      if (denies_release(*at, other)) {
        return fmt::format(
            "{} was told at {} that it had nothing to release, although its release had "
            "removed its entry on {} at {}",
            who(*at, false), when, process(other.process), then);
      }
      const std::string told = at->what == What::acquire_ok ? " was told that it holds "
                               : at->what == What::release_failed
                                   ? " was told that it had no hold to release on "
                                   : " had released ";
      return fmt::format("when {}{}{} at {}, {} counted {} of its holds, a number set at {}",
                         who(*at, false), told, lock(at->key), when, process(other.process),
                         other.holds, then);
    }
    case Property::no_lost_wakeup:
      return fmt::format(
          "{} began to wait for {} at {} and kept sleeping, although it could have had it since {}",
          who(*at, !alone && same), lock(at->key), when, alone ? "then" : then);
    case Property::bounded_wakeups: {
      const auto waker = process_of(at->owner);
      if (alone || !waker) break;
      return other.what == What::release_invoked
                 ? fmt::format(
                       "{} was woken at {}, one waiter more than {}'s release at {} may wake",
                       actor, when, process(*waker), then)
                 : fmt::format("{} was woken at {} by {}, one waiter more than {} may wake", actor,
                               when, process(*waker), process(*waker));
    }
    case Property::fair_order:
      if (alone) break;
      return fmt::format(
          "{} was told at {} that it holds {}, although {} had requested it earlier, at {}, and "
          "had "
          "already been overtaken as often as allowed",
          actor, when, lock(at->key), against, then);
    case Property::available:
      return fmt::format("{} was {} at {}, although the lock's condition for a grant was met",
                         actor, not_granted(*at), when);
    case Property::progress:
      if (at->what == What::horizon) return without_work(other);
      if (at->what == What::acquire_invoked)
        return fmt::format(
            "{} has waited for {} since {}, to the end of the run, although nobody held it", actor,
            lock(at->key), when);
      return fmt::format(
          "nobody held {} for more than {} until {}, although {} had waited for it since {}",
          lock(other.key), rounded(run_.patience), when, who(other, false), then);
  }
  return headline(property, witness) + " at " + when;
}

}  // namespace picklock::reports
