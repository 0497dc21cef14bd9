#include "scenarios/measures.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "properties/idle.h"

namespace picklock::scenarios {

using history::TenureId;
using history::What;
using sim::Duration;

namespace {

struct Interest {
  bool granted = false;
  bool contended = false;
  bool open = false;
  sim::ProcessId process = 0;
  sim::ThreadId thread = 0;
  std::uint32_t depth = 0;  // of nested acquires
};

}  // namespace

LongestWait longest_wait(const history::History& history, sim::Instant ended) {
  std::vector<std::pair<sim::Instant, sim::ProcessId>> waiting;  // by tenure
  LongestWait longest;
  const auto finish = [&](TenureId tenure, sim::Instant at) {
    if (tenure >= waiting.size() || waiting[tenure].first == sim::kNever) return;
    const Duration length = at - waiting[tenure].first;
    if (length > longest.length) longest = {length, waiting[tenure].second};
    waiting[tenure].first = sim::kNever;
  };
  for (const history::HistoryEvent& event : history) {
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

LongestIdle longest_idle(const history::History& history, const properties::Context& context) {
  properties::Timeline timeline;
  timeline.read(history, context);
  properties::IdleScratch scratch;
  LongestIdle longest;
  for (const properties::IdleTime& time :
       properties::idle_times({history, context, timeline}, scratch)) {
    if (time.length > longest.length)
      longest = {time.length, history[time.ended].at, history[time.waiter].process};
  }
  return longest;
}

Wakeups wakeups(const history::History& history) {
  using Release = std::pair<TenureId, history::KeyId>;
  std::vector<std::pair<Release, TenureId>> heard;  // the release, and the tenure that was notified
  for (const history::HistoryEvent& event : history) {
    if (event.what == What::wait_ended && event.owner != 0)
      heard.push_back({{event.owner, event.key}, event.tenure});
  }
  std::sort(heard.begin(), heard.end());
  // A waiter on several servers may be notified of the same release by each of them.
  heard.erase(std::unique(heard.begin(), heard.end()), heard.end());
  Wakeups counted{.all = heard.size()};
  for (auto first = heard.begin(); first != heard.end();) {
    const auto end = std::find_if(first, heard.end(),
                                  [&](const auto& other) { return other.first != first->first; });
    ++counted.by;
    counted.most = std::max(counted.most, static_cast<std::uint64_t>(end - first));
    first = end;
  }
  return counted;
}

std::uint32_t grants(const history::History& history) {
  std::set<TenureId> told;
  for (const history::HistoryEvent& event : history) {
    if (event.what == What::acquire_ok) told.insert(event.tenure);
  }
  return static_cast<std::uint32_t>(told.size());
}

std::uint32_t contended_grants(const history::History& history) {
  std::vector<Interest> tenures;
  std::vector<TenureId> open;
  const auto close = [&](const auto& over) {
    std::erase_if(open, [&](TenureId tenure) {
      if (over(tenure)) tenures[tenure].open = false;
      return !tenures[tenure].open;
    });
  };
  for (const history::HistoryEvent& event : history) {
    switch (event.what) {
      case What::acquire_invoked:
        if (tenures.size() <= event.tenure) tenures.resize(event.tenure + 1);
        // A nested acquire belongs to the same tenure and contends only with itself.
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
      case What::abandoned:
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

std::uint32_t working_clients(const history::History& history) {
  std::set<sim::ProcessId> clients;
  for (const history::HistoryEvent& event : history) {
    if (event.what == What::acquire_ok) clients.insert(event.process);
    if (event.what == What::write_accepted || event.what == What::read_accepted)
      clients.insert(event.peer);
  }
  return static_cast<std::uint32_t>(clients.size());
}

}  // namespace picklock::scenarios
