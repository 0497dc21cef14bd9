#include "scenarios/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/duration_text.h"

namespace picklock::scenarios {

using sim::TenureId;
using sim::What;

namespace {

struct Interest {
  bool granted = false;
  bool contended = false;
  bool open = false;
  sim::ProcessId process = 0;
  sim::ThreadId thread = 0;
  std::uint32_t depth = 0;  // of nested acquires
};

void judge_verdicts(const World& world, std::vector<std::string>& surprises) {
  const std::vector<Property>& violated = world.scenario().expect.violated;
  for (const properties::Verdict& verdict : world.verdicts()) {
    const bool listed =
        std::find(violated.begin(), violated.end(), verdict.property) != violated.end();
    const auto wanted = listed ? properties::Outcome::violated : properties::Outcome::holds;
    if (verdict.outcome == wanted) continue;
    surprises.push_back(fmt::format(
        "{} was expected {} and {}", name(verdict.property), listed ? "to be violated" : "to hold",
        verdict.outcome == properties::Outcome::holds      ? "holds"
        : verdict.outcome == properties::Outcome::violated ? "is violated"
                                                           : "is unknown"));
  }
}

void judge_faults(const World& world, std::vector<std::string>& surprises) {
  const std::size_t planned = world.scenario().faults.size();
  if (world.fired().size() == planned) return;  // each fires once at most
  std::vector<bool> fired(planned);
  for (const sim::Nemesis::Firing& one : world.fired()) fired[one.fault] = true;
  for (std::size_t i = 0; i < planned; ++i) {
    if (!fired[i]) surprises.push_back(fmt::format("fault {} did not fire", i + 1));
  }
}

}  // namespace

LongestWait longest_wait(const sim::History& history, sim::Instant ended) {
  std::vector<std::pair<sim::Instant, sim::ProcessId>> waiting;  // by tenure
  LongestWait longest;
  const auto finish = [&](TenureId tenure, sim::Instant at) {
    if (tenure >= waiting.size() || waiting[tenure].first == sim::kNever) return;
    const Duration length = at - waiting[tenure].first;
    if (length > longest.length) longest = {length, waiting[tenure].second};
    waiting[tenure].first = sim::kNever;
  };
  for (const sim::HistoryEvent& event : history) {
    switch (event.what) {
      case What::acquire_invoked:
        if (waiting.size() <= event.tenure) waiting.resize(event.tenure + 1, {sim::kNever, 0});
        waiting[event.tenure] = {event.at, event.process};
        break;
      case What::acquire_ok:
      case What::acquire_failed:
      case What::acquire_unknown:
        finish(event.tenure, event.at);
        break;
      case What::thread_ended:
        if (event.tenure < waiting.size()) waiting[event.tenure].first = sim::kNever;
        break;
      case What::process_crashed:
        for (auto& [since, process] : waiting) {
          if (process == event.process) since = sim::kNever;
        }
        break;
      default:
        break;
    }
  }
  for (TenureId tenure = 0; tenure < waiting.size(); ++tenure) finish(tenure, ended);
  return longest;
}

std::uint32_t contended_grants(const sim::History& history) {
  std::vector<Interest> tenures;
  std::vector<TenureId> open;
  const auto close = [&](const auto& over) {
    std::erase_if(open, [&](TenureId tenure) {
      if (over(tenure)) tenures[tenure].open = false;
      return !tenures[tenure].open;
    });
  };
  for (const sim::HistoryEvent& event : history) {
    switch (event.what) {
      case What::acquire_invoked:
        if (tenures.size() <= event.tenure) tenures.resize(event.tenure + 1);
        // A nested acquire is of the same tenure, which contends with nobody but itself.
        if (++tenures[event.tenure].depth > 1) break;
        for (const TenureId other : open) tenures[other].contended = true;
        tenures[event.tenure] = {.contended = !open.empty(),
                                 .open = true,
                                 .process = event.process,
                                 .thread = event.thread,
                                 .depth = 1};
        open.push_back(event.tenure);
        break;
      case What::acquire_ok:
        tenures[event.tenure].granted = true;
        break;
      case What::acquire_failed:
      case What::acquire_unknown:
      case What::release_ok:
      case What::release_failed:
      case What::release_unknown:
        if (--tenures[event.tenure].depth > 0) break;
        close([&](TenureId tenure) { return tenure == event.tenure; });
        break;
      case What::thread_ended:
        close([&](TenureId tenure) { return tenures[tenure].thread == event.thread; });
        break;
      case What::process_crashed:
        close([&](TenureId tenure) { return tenures[tenure].process == event.process; });
        break;
      default:
        break;
    }
  }
  return static_cast<std::uint32_t>(
      std::count_if(tenures.begin(), tenures.end(),
                    [](const Interest& one) { return one.granted && one.contended; }));
}

std::vector<std::string> surprises(const World& world, Demands demands) {
  std::vector<std::string> surprises;
  judge_faults(world, surprises);  // what did not fire explains the rest
  judge_verdicts(world, surprises);
  const Expectation& expect = world.scenario().expect;
  if (expect.longest_wait) {
    const auto [low, high] = *expect.longest_wait;
    const Duration wait = longest_wait(world.history(), world.ended()).length;
    if (wait < low || wait > high) {
      surprises.push_back(fmt::format("the longest wait was {}, expected {} to {}", to_text(wait),
                                      to_text(low), to_text(high)));
    }
  }
  if (demands.contention && contended_grants(world.history()) < 2) {
    surprises.emplace_back("fewer than two grants were contended: it would be safe by accident");
  }
  if (demands.digest && expect.digest && *expect.digest != world.digest()) {
    surprises.push_back(
        fmt::format("the digest is {:016x}, committed is {:016x}", world.digest(), *expect.digest));
  }
  return surprises;
}

}  // namespace picklock::scenarios
