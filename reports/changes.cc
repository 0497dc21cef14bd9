#include "reports/changes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace picklock::reports {
namespace {

using history::HistoryEvent;
using history::What;
using sim::ProcessId;
using sim::TraceKind;

// The beliefs of clients. A reentrant acquire adds a hold to a belief, and its release takes one.
class Beliefs {
 public:
  void follow(std::size_t position, const HistoryEvent& event, std::vector<Change>& out) {
    const auto own = held_.find(event.tenure);
    const bool releases = event.what == What::release_invoked && own != held_.end();
    if (releases && --own->second.holds > 0) return;
    std::erase_if(held_, [&](const auto& held) {
      const HistoryEvent& since = *held.second.since;
      if (!ends(event, held.first, since)) return false;
      if (--believing_[since.process] == 0)
        out.push_back({position, since.process, Shift::belief_ends});
      return true;
    });
    if (event.what != What::acquire_ok || held_[event.tenure].holds++ > 0) return;
    held_[event.tenure].since = &event;
    if (believing_[event.process]++ == 0)
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
      case What::abandoned:
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
  std::map<ProcessId, int> believing_;  // how many beliefs its threads have
};

// The owner of the lock's entry in the column of its server. Servers of which any may lead have one
// entry together: it is in the column of one that reaches most of them.
class Entries {
 public:
  Entries(const Run& run, const Narrator& narrator) : narrator_(narrator) {
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
      const auto process = static_cast<ProcessId>(i);
      if (narrator.is_peer(process)) peers_.push_back(process);
    }
    if (!peers_.empty()) column_ = peers_.front();
  }

  void follow(std::size_t position, const HistoryEvent& event, std::vector<Change>& out) {
    switch (event.what) {
      case What::link_cut:
        cut_.emplace(event.process, event.peer);
        break;
      case What::link_healed:
        cut_.erase({event.process, event.peer});
        break;
      case What::process_crashed:
        down_.insert(event.process);
        break;
      case What::process_started:
        down_.erase(event.process);
        break;
      default:
        return follow_entry(position, event, out);
    }
    move(position, out);
  }

 private:
  void follow_entry(std::size_t position, const HistoryEvent& event, std::vector<Change>& out) {
    const bool of_entry = event.what >= What::entry_created && event.what <= What::entry_removed;
    if (!of_entry || !narrator_.is_lock(event.key) || narrator_.is_client(event.process)) return;
    const bool shared = std::find(peers_.begin(), peers_.end(), event.process) != peers_.end();
    const ProcessId column = shared ? column_ : event.process;
    std::map<history::KeyId, ProcessId>& owners = owners_[shared ? peers_.front() : event.process];
    if (event.what == What::entry_removed) {
      owners.erase(event.key);
    } else {
      owners[event.key] = narrator_.process_of(history::owner_after(event)).value_or(column);
    }
    Change change{position, column, Shift::no_entry, column};
    if (!owners.empty()) change = {position, column, Shift::entry_is, owner_of_all(owners, column)};
    if (shared) shared_ = change;
    out.push_back(change);
  }

  // One column cannot show which of several clients has which lock: then it names nobody.
  static ProcessId owner_of_all(const std::map<history::KeyId, ProcessId>& owners,
                                ProcessId nobody) {
    const ProcessId first = owners.begin()->second;
    const bool same = std::all_of(owners.begin(), owners.end(),
                                  [first](const auto& one) { return one.second == first; });
    return same ? first : nobody;
  }

  void move(std::size_t position, std::vector<Change>& out) {
    const auto leads = std::find_if(peers_.begin(), peers_.end(),
                                    [this](ProcessId peer) { return reaches_most(peer); });
    if (peers_.empty() || reaches_most(column_) || leads == peers_.end()) return;
    if (shared_ && shared_->shift == Shift::entry_is) {
      out.push_back({position, column_, Shift::no_entry, column_});
      out.push_back({position, *leads, Shift::entry_is, shared_->owner});
    }
    column_ = *leads;
  }

  bool reaches_most(ProcessId one) const {
    if (down_.contains(one)) return false;
    const auto reached = std::count_if(peers_.begin(), peers_.end(), [&](ProcessId other) {
      return !down_.contains(other) && !cut_.contains({one, other}) && !cut_.contains({other, one});
    });
    return 2 * static_cast<std::size_t>(reached) > peers_.size();
  }

  const Narrator& narrator_;
  std::vector<ProcessId> peers_;
  std::map<ProcessId, std::map<history::KeyId, ProcessId>> owners_;  // of entries, by server
  ProcessId column_ = 0;                                             // of the peers
  std::optional<Change> shared_;  // the last change of their entry
  std::set<std::pair<ProcessId, ProcessId>> cut_;
  std::set<ProcessId> down_;
};

}  // namespace

std::vector<Change> changes(const Run& run, const Narrator& narrator,
                            const std::vector<std::size_t>& positions) {
  std::vector<Change> out;
  Beliefs beliefs;
  Entries entries(run, narrator);
  for (std::size_t i = 0; i < run.history.size(); ++i) {
    const HistoryEvent& event = run.history[i];
    beliefs.follow(positions[i], event, out);
    entries.follow(positions[i], event, out);
    if (event.what == What::process_crashed)
      out.push_back({positions[i], event.process, Shift::goes_down});
    if (event.what == What::process_started)
      out.push_back({positions[i], event.process, Shift::comes_up});
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
