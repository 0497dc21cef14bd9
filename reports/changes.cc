#include "reports/changes.h"

#include <algorithm>
#include <map>

namespace picklock::reports {
namespace {

using history::HistoryEvent;
using history::What;
using sim::TraceKind;

// The beliefs of clients. A reentrant acquire adds a hold to a belief, and its release takes one.
class Beliefs {
 public:
  void follow(std::size_t position, const HistoryEvent& event, std::vector<Change>& out) {
    const auto own = held_.find(event.tenure);
    const bool releases = event.what == What::release_invoked && own != held_.end();
    if (releases && --own->second.holds > 0) return;
    std::erase_if(held_, [&](const auto& held) {
      if (!ends(event, held.first, *held.second.since)) return false;
      out.push_back({position, held.second.since->process, Shift::belief_ends});
      return true;
    });
    if (event.what != What::acquire_ok) return;
    Belief& belief = held_[event.tenure];
    if (belief.holds++ > 0) return;
    belief.since = &event;
    out.push_back({position, event.process, Shift::belief_begins});
  }

 private:
  struct Belief {
    const HistoryEvent* since = nullptr;
    int holds = 0;
  };

  static bool ends(const HistoryEvent& event, history::TenureId tenure, const HistoryEvent& since) {
    switch (event.what) {
      case What::release_invoked:
      case What::loss_learned:
      case What::deadline_passed:
        return tenure == event.tenure;
      case What::process_crashed:
        return since.process == event.process;
      case What::thread_ended:
        return since.thread == event.thread;
      default:
        return false;
    }
  }

  std::map<history::TenureId, Belief> held_;
};

// The owner of the lock's entry on each server.
class EntryOwners {
 public:
  explicit EntryOwners(const Narrator& narrator) : narrator_(narrator) {}

  Change follow(std::size_t position, const HistoryEvent& event) {
    const bool created = event.what == What::entry_created;
    const history::TenureId owner = created && event.tenure != 0 ? event.tenure : event.owner;
    if (event.what == What::entry_removed) {
      owners_.erase(event.process);
    } else if (created || owner != 0) {
      owners_[event.process] = owner;
    }
    const auto held = owners_.find(event.process);
    if (held == owners_.end()) return {position, event.process, Shift::no_entry, event.process};
    return {position, event.process, Shift::entry_is,
            narrator_.process_of(held->second).value_or(event.process)};
  }

 private:
  const Narrator& narrator_;
  std::map<sim::ProcessId, history::TenureId> owners_;
};

}  // namespace

std::vector<Change> changes(const Run& run, const Narrator& narrator,
                            const std::vector<std::size_t>& positions) {
  std::vector<Change> out;
  Beliefs beliefs;
  EntryOwners owners(narrator);
  for (std::size_t i = 0; i < run.history.size(); ++i) {
    const HistoryEvent& event = run.history[i];
    beliefs.follow(positions[i], event, out);
    const bool of_entry = event.what >= What::entry_created && event.what <= What::entry_removed;
    if (event.what == What::process_crashed)
      out.push_back({positions[i], event.process, Shift::goes_down});
    if (event.what == What::process_started)
      out.push_back({positions[i], event.process, Shift::comes_up});
    if (of_entry && event.key == 0 && !narrator.is_client(event.process))
      out.push_back(owners.follow(positions[i], event));
  }
  for (std::size_t i = 0; i < run.trace.records.size(); ++i) {
    const sim::TraceRecord& record = run.trace.records[i];
    if (record.kind == TraceKind::paused) out.push_back({i, record.process, Shift::pauses});
    if (record.kind == TraceKind::resumed) out.push_back({i, record.process, Shift::resumes});
    if (record.kind == TraceKind::crashed) out.push_back({i, record.process, Shift::goes_down});
    if (record.kind == TraceKind::started) out.push_back({i, record.process, Shift::comes_up});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Change& a, const Change& b) { return a.position < b.position; });
  return out;
}

}  // namespace picklock::reports
