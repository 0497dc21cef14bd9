#include "scenarios/premise.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "models/locks/lease_store_lock.h"
#include "models/locks/local_time.h"
#include "models/locks/promises.h"
#include "models/locks/redisson/kin.h"
#include "scenarios/bounds.h"
#include "scenarios/process_kinds.h"
#include "scenarios/program_locks.h"
#include "scenarios/setup.h"
#include "scenarios/topology.h"

namespace picklock::scenarios {

using models::locks::kInPlace;
using models::locks::kInTime;
using models::locks::kNoForce;
using models::locks::kOwnCommands;
using models::locks::kOwnName;
using models::locks::LeaseStoreOptions;
using models::locks::redisson::FairOptions;
namespace {

using history::Cause;
using history::History;
using history::HistoryEvent;
using history::TenureId;
using history::What;

template <typename Holds>
bool every_client(const Scenario& scenario, Holds holds) {
  const std::vector<Setup> all = setups(scenario);
  return std::all_of(all.begin(), all.end(), holds);
}

bool ends_without_its_owner(const HistoryEvent& removed) {
  return removed.cause == Cause::expiry || removed.cause == Cause::session_end ||
         removed.cause == Cause::coordinator;
}

// The leases of a run as its lock sets them: which of them end early because of the lock itself.
class Leases {
 public:
  Leases(const Scenario& scenario, FaultClasses met)
      : scenario_(scenario),
        undisturbed_(met.empty()),
        clocks_agree_(!met.has(FaultClass::server_clock)) {}

  void set(const HistoryEvent& event) {
    Lease& lease = lease_of(event);
    if (event.what == What::entry_created)
      lease = {.server = event.process, .key = event.key, .since = event.at};
    lease.is_renewed = lease.is_renewed || renews(lease, event);
    lease.longest = sets_lease(event) ? event.until : std::max(lease.longest, event.until);
    lease.until = event.until;
  }

  // Whether the lock ends the lease under its holder, a thread of `client`, if that is known. It
  // has deleted or shortened it; or, although there was no fault, it has not renewed it in time, or
  // has made it shorter than it should be.
  bool ended_by_lock(const HistoryEvent& removed, std::optional<sim::ProcessId> client,
                     bool in_release) {
    // An operator's command counts as its holder's: what it removes is the user's doing.
    if (removed.cause == Cause::command) return !in_release && scenario_.clients.operators == 0;
    if (removed.cause != Cause::expiry) return false;
    const Lease& lease = lease_of(removed);
    const bool is_shortened = lease.until < lease.longest && removed.at < lease.longest;
    if (is_shortened && clocks_agree_) return true;
    if (!undisturbed_) return false;
    if (!client) return lease.is_renewed;
    const Terms terms = terms_of(*client);
    return lease.is_renewed || terms.renews || removed.at < lease.since + terms.shortest;
  }

 private:
  struct Lease {
    sim::ProcessId server = 0;
    history::KeyId key = 0;
    sim::Instant since{};
    bool is_renewed = false;
    sim::Instant until{};
    sim::Instant longest{};  // ever set
  };

  // How a client's lock uses its leases.
  struct Terms {
    bool renews = false;  // in time, and every lease
    Duration shortest{};
  };

  Terms terms_of(sim::ProcessId client) const {
    const OneClient* const one = unlike(scenario_, client);
    const Setup setup = one == nullptr ? common_setup(scenario_) : setup_of(scenario_, *one);
    const models::LockOptions& options = setup.lock.options;
    // Redisson does not renew a lease that its user has set.
    const bool renews = options.renew != models::Renew::none && setup.clients.leases.empty() &&
                        models::locks::renewal_interval(options) < options.ttl;
    // A lease is whole milliseconds, or more, on its server.
    const models::Algorithm* const algorithm = find_algorithm(setup.lock);  // not of a user's own
    const models::Uses uses = algorithm != nullptr ? algorithm->uses : models::Uses{};
    return {.renews = renews, .shortest = shortest_lease(setup) - uses.lease_unit};
  }

  // An acquire may set its key without an expiry, or with a provisional one, and then its lease.
  static bool sets_lease(const HistoryEvent& event) {
    return event.what == What::entry_created || event.role == Role::acquire;
  }

  // An acquire renews nothing, and neither does a script that sets a key and then its expiry.
  static bool renews(const Lease& lease, const HistoryEvent& event) {
    return event.what == What::entry_altered && event.role != Role::acquire &&
           event.at > lease.since;
  }

  Lease& lease_of(const HistoryEvent& event) {
    const auto same = [&event](const Lease& one) {
      return one.server == event.process && one.key == event.key;
    };
    const auto found = std::find_if(leases_.begin(), leases_.end(), same);
    if (found != leases_.end()) return *found;
    return leases_.emplace_back(Lease{.server = event.process, .key = event.key});
  }

  const Scenario& scenario_;
  const bool undisturbed_;
  const bool clocks_agree_;
  std::vector<Lease> leases_;
};

// An operator means the holder that it saw, but takes the lock from any later holder
// (docs/facts/failures.md B-16). On several servers it may see several holders.
bool is_forced_open(const Scenario& scenario) {
  const auto by_force = [&scenario](const Setup& setup) {
    return setup.clients.force == ForceUnlock::unconditional ||
           servers_of(scenario, setup.clients) > 1;
  };
  return scenario.clients.operators > 0 && !every_client(scenario, std::not_fn(by_force));
}

// Whether the entry is removed by its owner's command, or by an operator's. An operator acts for
// the holder that it saw, if there was one, and hits whatever it finds.
bool is_removed_by_command(const Scenario& scenario, const HistoryEvent& removed) {
  if (removed.cause != Cause::command) return false;
  const bool by_operator =
      scenario.clients.operators > 0 && (removed.tenure == 0 || is_forced_open(scenario));
  return removed.tenure == removed.owner || by_operator;
}

// From the grant until its holder stops believing that it holds the lock, no entry expires, ends
// with its session or is removed by the holder's own inner release. An entry that the lock itself
// shortens, deletes or fails to renew is not the holder's doing.
bool sections_end_within_leases(const Scenario& scenario, const History& history) {
  struct Holder {
    TenureId tenure = 0;
    sim::ProcessId process = 0;
    sim::ThreadId thread = 0;
    std::uint32_t depth = 1;  // of nested acquires
    bool releases = false;
  };
  std::vector<Holder> holders;
  std::vector<TenureId> over;  // granted, and gone again
  Leases leases(scenario, classes_met(scenario));
  const auto holder = [&holders](TenureId tenure) {
    return std::find_if(holders.begin(), holders.end(),
                        [tenure](const Holder& one) { return one.tenure == tenure; });
  };
  const auto holds_no_more = [&holders](const auto& such) { std::erase_if(holders, such); };
  for (const HistoryEvent& event : history) {
    switch (event.what) {
      case What::acquire_ok: {
        const auto outer = holder(event.tenure);
        if (std::find(over.begin(), over.end(), event.tenure) != over.end()) return false;
        if (outer == holders.end()) {
          holders.push_back({event.tenure, event.process, event.thread});
        } else {
          ++outer->depth;
        }
        break;
      }
      case What::release_invoked:
        if (const auto one = holder(event.tenure); one != holders.end()) {
          one->releases = true;
          if (--one->depth == 0) holders.erase(one);
        }
        break;
      case What::release_ok:
      case What::release_failed:
      case What::release_unknown:
        if (const auto one = holder(event.tenure); one != holders.end()) one->releases = false;
        break;
      case What::loss_learned:
      case What::deadline_passed:
      case What::abandoned:
        holds_no_more([&](const Holder& one) { return one.tenure == event.tenure; });
        break;
      case What::thread_ended:  // the holder's, not that of its renewals
        holds_no_more([&](const Holder& one) { return one.thread == event.thread; });
        break;
      case What::process_crashed:
        holds_no_more([&](const Holder& one) { return one.process == event.process; });
        break;
      case What::entry_created:
        std::erase(over, event.tenure);
        leases.set(event);
        break;
      case What::entry_altered:
        if (event.tenure == event.owner && event.cause == Cause::command) leases.set(event);
        break;
      case What::entry_removed: {
        const bool by_itself = ends_without_its_owner(event);
        if (!by_itself && !is_removed_by_command(scenario, event)) break;
        const auto one = holder(event.owner);
        const bool holds = one != holders.end();
        const auto client = holds ? std::optional(one->process) : std::nullopt;
        if (leases.ended_by_lock(event, client, holds && one->releases)) break;
        // An operator may take the lock before its holder knows of the grant.
        if (by_itself || scenario.clients.operators > 0) over.push_back(event.owner);
        if (holds) return false;
        break;
      }
      default:
        break;
    }
  }
  return true;
}

bool tokens_are_for_one_acquisition(const Scenario& scenario, const History&) {
  const bool each = every_client(scenario, [](const Setup& setup) {
    return setup.lock.options.value == models::TokenPer::acquisition;
  });
  return each && !is_forced_open(scenario);
}

bool commands_alone_set_the_key(const Scenario& scenario) {
  return every_client(scenario,
                      [](const Setup& setup) { return setup.clients.progress == Progress::none; });
}

// No two clients acquire two locks in opposite orders.
bool has_one_order(const Scenario& scenario) {
  const std::vector<Setup> all = setups(scenario);
  const auto before = [&all](const std::string& one, const std::string& other) {
    return std::any_of(all.begin(), all.end(), [&](const Setup& setup) {
      const std::vector<std::string>& keys = setup.clients.keys;
      const auto first = std::find(keys.begin(), keys.end(), one);
      return first != keys.end() && std::find(first, keys.end(), other) != keys.end();
    });
  };
  return every_client(scenario, [&before](const Setup& setup) {
    const std::vector<std::string>& keys = setup.clients.keys;
    for (std::size_t later = 1; later < keys.size(); ++later) {
      for (std::size_t i = 0; i < later; ++i) {
        if (before(keys[later], keys[i])) return false;
      }
    }
    return true;
  });
}

// The part of every premise that the scenario itself does not keep, whatever happens in the run.
std::string_view broken_by_user(const Scenario& scenario) {
  if (has_programs(scenario)) return {};
  if (!commands_alone_set_the_key(scenario)) return kOwnCommands;
  const bool release =
      every_client(scenario, [](const Setup& setup) { return setup.clients.releases; });
  if (!release) return "every holder releases its lock";
  if (!has_one_order(scenario)) return "all clients acquire several locks in the same order";
  const bool shortens = !every_client(scenario, [](const Setup& setup) {
    const std::vector<Duration>& leases = setup.clients.leases;
    return !setup.clients.nested || std::is_sorted(leases.begin(), leases.end());
  });
  if (shortens) return "a nested acquire has no shorter lease than its outer one";
  if (!share_one_lock(scenario)) return "all clients have the same lock on the same servers";
  return {};
}

// No client that has the key stays alive without learning that it has it.
bool commands_are_answered(const Scenario&, const History& history) {
  struct Asker {
    TenureId tenure = 0;
    sim::ProcessId process = 0;
    sim::ThreadId thread = 0;
    bool has_entry = false;
  };
  std::vector<Asker> askers;
  for (const HistoryEvent& event : history) {
    switch (event.what) {
      case What::acquire_unknown:
      case What::release_unknown:
        return false;
      case What::acquire_invoked:
        askers.push_back({event.tenure, event.process, event.thread});
        break;
      case What::entry_created:
        for (Asker& one : askers) one.has_entry = one.has_entry || one.tenure == event.tenure;
        break;
      case What::acquire_ok:
        std::erase_if(askers, [&](const Asker& one) { return one.tenure == event.tenure; });
        break;
      case What::thread_ended:
        std::erase_if(askers, [&](const Asker& one) { return one.thread == event.thread; });
        break;
      case What::process_crashed:
        std::erase_if(askers, [&](const Asker& one) { return one.process == event.process; });
        break;
      default:
        break;
    }
  }
  return std::none_of(askers.begin(), askers.end(), [](const Asker& one) { return one.has_entry; });
}

bool never_happens(What what, const History& history) {
  return std::none_of(history.begin(), history.end(),
                      [what](const HistoryEvent& event) { return event.what == what; });
}

bool releases_are_answered(const Scenario& scenario, const History& history) {
  if (is_forced_open(scenario)) return false;
  return never_happens(What::release_unknown, history);
}

// No write lands after its holder has begun to release.
bool writes_are_in_time(const Scenario&, const History& history) {
  std::vector<TenureId> gone;
  for (const HistoryEvent& event : history) {
    if (event.what == What::release_invoked) gone.push_back(event.tenure);
    if (event.what != What::write_accepted) continue;
    if (std::find(gone.begin(), gone.end(), event.tenure) != gone.end()) return false;
  }
  return true;
}

// In addition, no write lands after its session has ended and the lock-delay is over.
bool writes_are_within_the_delay(const Scenario& scenario, const History& history) {
  std::vector<std::pair<TenureId, sim::Instant>> ended;
  const std::vector<Setup> all = setups(scenario);
  Duration delay = all.front().lock.options.of<LeaseStoreOptions>().lock_delay;
  for (const Setup& setup : all)
    delay = std::min(delay, setup.lock.options.of<LeaseStoreOptions>().lock_delay);
  for (const HistoryEvent& event : history) {
    if (event.what == What::entry_removed && event.cause == Cause::session_end)
      ended.emplace_back(event.owner, event.at);
    if (event.what != What::write_accepted) continue;
    for (const auto& [tenure, at] : ended) {
      if (tenure == event.tenure && event.at - at >= delay) return false;
    }
  }
  return writes_are_in_time(scenario, history);
}

// The timestamp is made with the last attempt, one or two commands before the holder learns of its
// grant.
bool sections_end_before_timestamps(const Scenario& scenario, const History& history) {
  // The client with the least time decides.
  Duration section = Duration::max();
  for (const Setup& setup : setups(scenario)) {
    const Duration lease = shortest_lease(setup);
    section = std::min(section, lease - 2 * setup.lock.options.command_timeout);
  }
  std::vector<std::pair<TenureId, sim::Instant>> holders;
  for (const HistoryEvent& event : history) {
    if (event.what == What::acquire_ok) holders.emplace_back(event.tenure, event.at);
    if (event.what != What::release_invoked) continue;
    for (const auto& [tenure, since] : holders) {
      const bool late = event.at - since >= section;
      if (tenure == event.tenure && late) return false;
    }
  }
  return true;
}

// The servers are up at the end, no client is cut off from any of them, and they answer in time.
// Replicas count: one may be the primary by then.
bool servers_are_there_at_the_end(const Scenario& scenario, const History& history) {
  if (late_without_faults(scenario).has(FaultClass::late_command)) return false;
  const std::vector<ProcessSpec> processes = processes_of(scenario);
  const auto is_server = [&processes](sim::ProcessId process) {
    const ProcessKind& kind = *processes[process].kind;
    const bool is_coordinator = kind.takes_steps && kind != kClientKind;
    return kind.standing != servers::Standing::none || is_coordinator;
  };
  std::vector<sim::ProcessId> down;
  std::vector<std::pair<sim::ProcessId, sim::ProcessId>> cut;
  for (const HistoryEvent& event : history) {
    if (event.what == What::process_crashed && is_server(event.process))
      down.push_back(event.process);
    if (event.what == What::process_started) std::erase(down, event.process);
    const bool link = is_server(event.process) || is_server(event.peer);
    if (event.what == What::link_cut && link) cut.emplace_back(event.process, event.peer);
    if (event.what == What::link_healed) std::erase(cut, std::pair(event.process, event.peer));
  }
  return down.empty() && cut.empty();
}

bool taken_once_at_a_time(const Scenario& scenario, const History&) {
  return every_client(scenario, [](const Setup& setup) { return !setup.clients.nested; });
}

// Every grant shortens the places of all others by the life of a place. So a place lasts for that
// time, but no longer, however often its waiter renews it. A waiter with a time-out has a place for
// as long as it waits.
bool waits_end_before_places(const Scenario& scenario, const History& history) {
  Duration life = Duration::max();
  for (const Setup& setup : setups(scenario)) {
    const models::LockOptions& options = setup.lock.options;
    if (options.acquire_timeout == Duration::zero())
      life = std::min(life, options.of<FairOptions>().place_expires);
  }
  std::vector<std::pair<TenureId, sim::Instant>> waiting;
  for (const HistoryEvent& event : history) {
    switch (event.what) {
      case What::acquire_invoked:
        waiting.emplace_back(event.tenure, event.at);
        break;
      case What::acquire_ok:
      case What::acquire_failed:
      case What::acquire_unknown:
        for (const auto& [tenure, since] : waiting) {
          if (tenure == event.tenure && event.at - since >= life) return false;
        }
        std::erase_if(waiting, [&](const auto& one) { return one.first == event.tenure; });
        break;
      default:
        break;
    }
  }
  return waiting.empty() || history.back().at - waiting.front().second < life;
}

bool nobody_forces(const Scenario& scenario, const History&) {
  return scenario.clients.operators == 0;
}

bool threads_have_names(const Scenario& scenario, const History&) {
  return every_client(scenario, [](const Setup& setup) { return setup.clients.threads == 1; });
}

bool threads_last(const Scenario&, const History& history) {
  return never_happens(What::thread_ended, history);
}

bool no_circle_is_broken(const Scenario&, const History& history) {
  return never_happens(What::deadlock_broken, history);
}

bool of_every_run(const Scenario&, const History&) { return true; }

// Nothing judges that the clients' clocks agree: they do unless a fault sets one. That nothing else
// sets the key is required by every promise.
struct Clause {
  std::string_view words;
  bool (*kept)(const Scenario&, const History&);
};

constexpr Clause kClauses[] = {
    {"every critical section ends within its lease, by the server's clock",
     sections_end_within_leases},
    {"every critical section ends within its lease", sections_end_before_timestamps},
    {"every critical section ends while its session lives, according to the store",
     sections_end_within_leases},
    {"every critical section ends while its session lives, according to the ensemble",
     sections_end_within_leases},
    {"every critical section ends while its session lives, according to the server",
     sections_end_within_leases},
    {"every write arrives before its client gives up on it", writes_are_in_time},
    {"every write arrives before its client gives up on it or, if the client has crashed, within "
     "the lock-delay",
     writes_are_within_the_delay},
    {"every command is answered before its client gives up on it", commands_are_answered},
    {kInTime, releases_are_answered},
    {"every acquisition has a token of its own", tokens_are_for_one_acquisition},
    {kOwnName, threads_have_names},
    {kOwnCommands, of_every_run},
    {kNoForce, nobody_forces},
    {"one lock, taken once at a time", taken_once_at_a_time},
    {"no server ends a wait to break a circle", no_circle_is_broken},
    {"no thread ends before its process", threads_last},
    {kInPlace, waits_end_before_places},
    {"a server that accepts writes is eventually available", servers_are_there_at_the_end},
    {"the server is eventually available", servers_are_there_at_the_end},
    {"the ensemble is eventually available", servers_are_there_at_the_end},
    {"the clients' clocks agree", of_every_run},
    {"it never releases anything", of_every_run},
    // The property itself considers nothing else.
    {"the server is up and reachable and the key is free", of_every_run},
};
constexpr std::string_view kAnd = ", and ";

// The clause with which a premise begins; nullptr: there is no judge for it.
const Clause* first_clause(std::string_view premise) {
  for (const Clause& clause : kClauses) {
    if (!premise.starts_with(clause.words)) continue;
    const std::string_view rest = premise.substr(clause.words.size());
    if (rest.empty() || rest.starts_with(kAnd)) return &clause;
  }
  return nullptr;
}

std::string_view after(const Clause& clause, std::string_view premise) {
  premise.remove_prefix(clause.words.size());
  return premise.substr(std::min(premise.size(), kAnd.size()));
}

}  // namespace

bool is_judged(std::string_view premise) {
  while (!premise.empty()) {
    const Clause* const clause = first_clause(premise);
    if (clause == nullptr) return false;
    premise = after(*clause, premise);
  }
  return true;
}

std::vector<std::string_view> judged_clauses() {
  std::vector<std::string_view> all;
  for (const Clause& clause : kClauses) all.push_back(clause.words);
  return all;
}

std::string_view part_not_kept(std::string_view premise, const Scenario& scenario,
                               const History& history) {
  if (const std::string_view part = broken_by_user(scenario); !part.empty()) return part;
  while (!premise.empty()) {
    const Clause* const clause = first_clause(premise);
    if (clause == nullptr) return {};
    if (!clause->kept(scenario, history)) return clause->words;
    premise = after(*clause, premise);
  }
  return {};
}

bool was_kept(std::string_view premise, const Scenario& scenario, const History& history) {
  return part_not_kept(premise, scenario, history).empty();
}

bool answers_for(const Promised& promised, const Scenario& scenario, const History& history) {
  const bool by_lock = broken_by_user(scenario).empty() && scenario.clients.operators == 0;
  if (promised.without_faults && by_lock) return true;
  return promised.promised && was_kept(promised.premise, scenario, history);
}

void judge_premise(Promised& promised, const Scenario& scenario, const History& history) {
  promised.part_not_kept = part_not_kept(promised.premise, scenario, history);
  promised.premise_kept = promised.part_not_kept.empty();
  promised.answers = answers_for(promised, scenario, history);
  const std::string_view part = broken_by_user(scenario);
  if (promised.promised && !part.empty()) promised.premise = part;
}

}  // namespace picklock::scenarios
