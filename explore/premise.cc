#include "explore/premise.h"

#include <algorithm>
#include <array>
#include <vector>

namespace picklock::explore {
namespace {

using scenarios::Scenario;
using sim::Cause;
using sim::History;
using sim::HistoryEvent;
using sim::TenureId;
using sim::What;

// No entry expires while its holder believes that it holds the lock.
bool sections_end_within_leases(const Scenario&, const History& history) {
  struct Holder {
    TenureId tenure = 0;
    sim::ProcessId process = 0;
  };
  std::vector<Holder> holders;
  const auto holds_no_more = [&holders](const auto& over) { std::erase_if(holders, over); };
  for (const HistoryEvent& event : history) {
    switch (event.what) {
      case What::acquire_ok:
        holders.push_back({event.tenure, event.process});
        break;
      case What::release_invoked:
      case What::loss_learned:
      case What::deadline_passed:
      case What::thread_ended:
        holds_no_more([&](const Holder& one) { return one.tenure == event.tenure; });
        break;
      case What::process_crashed:
        holds_no_more([&](const Holder& one) { return one.process == event.process; });
        break;
      case What::entry_removed:
        if (event.cause != Cause::expiry) break;
        for (const Holder& one : holders) {
          if (one.tenure == event.owner) return false;
        }
        break;
      default:
        break;
    }
  }
  return true;
}

bool tokens_are_for_one_acquisition(const Scenario& scenario, const History&) {
  return scenario.lock.options.value == models::TokenPer::acquisition;
}

bool of_every_run(const Scenario&, const History&) { return true; }

struct Premise {
  std::string_view words;
  bool (*kept)(const Scenario&, const History&);
};

constexpr std::array<Premise, 5> kPremises = {{
    {"", of_every_run},
    {"every critical section ends within its lease, by the server's clock",
     sections_end_within_leases},
    {"every acquisition has a token of its own", tokens_are_for_one_acquisition},
    {"one lock, taken once at a time", of_every_run},
    // The property itself looks at nothing else.
    {"the server is up and reachable and the key is free", of_every_run},
}};

const Premise* judge_of(std::string_view words) {
  const auto found = std::find_if(kPremises.begin(), kPremises.end(),
                                  [words](const Premise& one) { return one.words == words; });
  return found == kPremises.end() ? nullptr : found;
}

}  // namespace

bool is_judged(std::string_view premise) { return judge_of(premise) != nullptr; }

bool was_kept(std::string_view premise, const Scenario& scenario, const History& history) {
  const Premise* judge = judge_of(premise);
  return judge == nullptr || judge->kept(scenario, history);
}

}  // namespace picklock::explore
