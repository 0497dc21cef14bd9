#include "explore/premise.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/locks/promises.h"

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using sim::Cause;
using sim::History;
using sim::HistoryEvent;
using sim::TenureId;
using sim::What;

// Who believes that it holds the lock, event by event.
class Believers {
 public:
  void see(const HistoryEvent& event) {
    switch (event.what) {
      case What::acquire_ok:
        all_.emplace_back(event.tenure, event.process);
        break;
      case What::release_invoked:
      case What::loss_learned:
      case What::deadline_passed:
      case What::thread_ended:
        std::erase_if(all_, [&](const auto& one) { return one.first == event.tenure; });
        break;
      case What::process_crashed:
        std::erase_if(all_, [&](const auto& one) { return one.second == event.process; });
        break;
      default:
        break;
    }
  }
  bool have(TenureId tenure) const {
    return std::any_of(all_.begin(), all_.end(),
                       [tenure](const auto& one) { return one.first == tenure; });
  }

 private:
  std::vector<std::pair<TenureId, sim::ProcessId>> all_;
};

// No entry expires while its holder believes that it holds the lock.
bool sections_end_within_leases(const Scenario&, const History& history) {
  Believers believers;
  for (const HistoryEvent& event : history) {
    believers.see(event);
    const bool expires = event.what == What::entry_removed && event.cause == Cause::expiry;
    if (expires && believers.have(event.owner)) return false;
  }
  return true;
}

// The same where the lease is a time that clients tell each other: from when it was written.
bool sections_end_within_ttl(const Scenario& scenario, const History& history) {
  std::vector<sim::Instant> written;  // by tenure
  Believers believers;
  for (const HistoryEvent& event : history) {
    const bool ends = event.what == What::release_invoked && believers.have(event.tenure);
    if (ends && event.tenure < written.size() &&
        event.at - written[event.tenure] > scenario.lock.options.ttl) {
      return false;
    }
    believers.see(event);
    if (event.what != What::entry_created && event.what != What::entry_altered) continue;
    if (written.size() <= event.tenure) written.resize(event.tenure + 1, sim::kNever);
    written[event.tenure] = event.at;
  }
  return true;
}

bool is_over(What what) {
  return what == What::acquire_failed || what == What::acquire_unknown ||
         what == What::release_ok || what == What::release_failed || what == What::release_unknown;
}

// No command of a tenure changes an entry when the tenure is over.
bool commands_act_in_time(const Scenario&, const History& history) {
  std::vector<bool> over;
  for (const HistoryEvent& event : history) {
    if (is_over(event.what)) {
      if (over.size() <= event.tenure) over.resize(event.tenure + 1);
      over[event.tenure] = true;
    }
    const bool changes = event.what == What::entry_created || event.what == What::entry_altered ||
                         event.what == What::entry_removed;
    if (changes && event.cause == Cause::command && event.tenure < over.size() &&
        over[event.tenure]) {
      return false;
    }
  }
  return true;
}

bool commands_are_answered(const Scenario&, const History& history) {
  return std::none_of(history.begin(), history.end(), [](const HistoryEvent& event) {
    return event.what == What::acquire_unknown || event.what == What::release_unknown;
  });
}

// No write arrives when its client has let go.
bool writes_arrive_in_time(const Scenario&, const History& history) {
  std::vector<bool> released;
  for (const HistoryEvent& event : history) {
    if (event.what == What::release_invoked) {
      if (released.size() <= event.tenure) released.resize(event.tenure + 1);
      released[event.tenure] = true;
    }
    const bool late = event.tenure < released.size() && released[event.tenure];
    if (event.what == What::write_accepted && late) return false;
  }
  return true;
}

bool tokens_are_for_one_acquisition(const Scenario& scenario, const History&) {
  return scenario.lock.options.value == models::TokenPer::acquisition;
}

bool lock_is_taken_once(const Scenario& scenario, const History&) {
  return !scenario.clients.nested;
}

bool nothing_else_sets_the_key(const Scenario& scenario, const History&) {
  return scenario.clients.progress == scenarios::Progress::none;
}

bool of_every_run(const Scenario&, const History&) { return true; }

struct Premise {
  std::string_view words;
  bool (*kept)(const Scenario&, const History&);
};

namespace locks = models::locks;

constexpr Premise kPremises[] = {
    {"", of_every_run},
    {locks::kWithinLease, sections_end_within_leases},
    {locks::kOwnCommands, nothing_else_sets_the_key},
    {locks::kOneLock, lock_is_taken_once},
    {locks::kFreeKey, of_every_run},               // the property itself looks at nothing else
    {"it never releases anything", of_every_run},  // a reason, not a condition
    {"every acquisition has a token of its own", tokens_are_for_one_acquisition},
    {"every critical section ends within its lease, and the clients' clocks agree",
     sections_end_within_ttl},
    {"the clients' clocks agree", of_every_run},  // a fault of theirs is beyond such a promise
    {"a command takes effect before its client gives up on it", commands_act_in_time},
    {"every command is answered before its client gives up on it", commands_are_answered},
    {"every write arrives before its client gives up on it", writes_arrive_in_time},
};

const Premise* judge_of(std::string_view words) {
  for (const Premise& one : kPremises) {
    if (one.words == words) return &one;
  }
  return nullptr;
}

}  // namespace

bool is_judged(std::string_view premise) { return judge_of(premise) != nullptr; }

bool was_kept(std::string_view premise, const Scenario& scenario, const History& history) {
  const Premise* judge = judge_of(premise);
  return judge == nullptr || judge->kept(scenario, history);
}

}  // namespace picklock::explore
