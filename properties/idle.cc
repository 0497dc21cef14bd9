#include "properties/idle.h"

#include <algorithm>
#include <span>

namespace picklock::properties {

using history::What;

namespace {

class Watch {
 public:
  Watch(const Case& run, IdleScratch& scratch) : run_(run), scratch_(scratch) {
    scratch_.keys.resize(run.timeline.keys());
    for (Key& key : scratch_.keys) {
      key.believers = key.owners = 0;
      key.asking.clear();
      key.idle = false;
    }
    scratch_.entries.assign(run.timeline.tenures().size(), 0);
    scratch_.times.clear();
    list_locks();
  }

  void follow(std::uint32_t at) {
    const HistoryEvent& event = run_.event(at);
    switch (event.what) {
      case What::acquire_invoked:
        if (!run_.tenure(event.tenure).believes_at(at)) key_of(event.tenure).asking.push_back(at);
        break;
      case What::acquire_ok:
        if (run_.tenure(event.tenure).began == at) ++key_of(event.tenure).believers;
        asks_no_more(event.tenure, at);
        break;
      case What::acquire_failed:
      case What::acquire_unknown:
        asks_no_more(event.tenure, at);
        break;
      case What::release_invoked:
      case What::loss_learned:
      case What::deadline_passed:
      case What::abandoned:
        stops_believing(event.tenure, at);
        break;
      case What::thread_ended:
        all_stop_believing(at);
        asks_no_more([&](const HistoryEvent& one) { return one.thread == event.thread; }, at);
        break;
      case What::process_crashed:
        all_stop_believing(at);
        asks_no_more([&](const HistoryEvent& one) { return one.process == event.process; }, at);
        break;
      case What::fault_fired:
        if (faults_++ == 0) calm_ends(at);
        break;
      case What::fault_ended:
        if (faults_ > 0 && --faults_ == 0) calm_since_ = event.at;
        break;
      default:
        break;
    }
  }

  void entry(const EntryChange& change) {
    if (change.loser != 0) has(change.loser, change.left);
    if (change.gainer != 0) has(change.gainer, change.has);
  }

  void settle(std::uint32_t at) {
    for (const KeyId lock : scratch_.locks) {
      Key& key = scratch_.keys[lock];
      const bool idle = key.believers == 0 && key.owners == 0 && !key.asking.empty();
      if (idle == key.idle) continue;
      if (idle) {
        key.time = {.begun = at};
        key.idle = true;
      } else {
        end(key, at, true);
      }
    }
    for (const KeyId lock : scratch_.locks) {
      Key& key = scratch_.keys[lock];
      if (key.idle) key.time.waiter = key.asking.front();
    }
  }

  void end_of_history() {
    const auto last = static_cast<std::uint32_t>(run_.history.size() - 1);
    for (Key& key : scratch_.keys) {
      if (key.idle) end(key, last, false);
    }
  }

 private:
  using Key = IdleScratch::Key;

  Key& key_of(TenureId tenure) { return scratch_.keys[run_.tenure(tenure).key]; }

  // A run may have thousands of keys, such as the mailbox of each waiter; few of them are locks.
  void list_locks() {
    std::vector<KeyId>& locks = scratch_.locks;
    locks.clear();
    for (const Tenure& tenure : run_.timeline.tenures().subspan(1)) locks.push_back(tenure.key);
    std::sort(locks.begin(), locks.end());
    locks.erase(std::unique(locks.begin(), locks.end()), locks.end());
  }

  void asks_no_more(TenureId id, std::uint32_t at) {
    std::erase_if(key_of(id).asking, [&](std::uint32_t asked) {
      return asked != at && run_.event(asked).tenure == id;
    });
  }

  template <typename Such>
  void asks_no_more(Such such, std::uint32_t at) {
    for (const KeyId lock : scratch_.locks) {
      std::erase_if(scratch_.keys[lock].asking,
                    [&](std::uint32_t asked) { return asked != at && such(run_.event(asked)); });
    }
  }

  void stops_believing(TenureId id, std::uint32_t at) {
    const Tenure& tenure = run_.tenure(id);
    if (tenure.began != kNone && tenure.began < at && tenure.ended == at) --key_of(id).believers;
  }

  void all_stop_believing(std::uint32_t at) {
    for (const TenureId id : run_.timeline.believers()) stops_believing(id, at);
  }

  void has(TenureId id, std::uint32_t entries) {
    std::uint32_t& before = scratch_.entries[id];
    const std::uint32_t quorum = run_.context.quorum_of(run_.tenure(id).process);
    if (before < quorum && entries >= quorum) ++key_of(id).owners;
    if (before >= quorum && entries < quorum) --key_of(id).owners;
    before = entries;
  }

  void calm_ends(std::uint32_t at) {
    for (Key& key : scratch_.keys) {
      if (key.idle) add_calm(key.time, run_.at(at));
    }
  }

  void add_calm(IdleTime& time, Instant until) const {
    time.calm = std::max(time.calm, until - std::max(run_.at(time.begun), calm_since_));
  }

  void end(Key& key, std::uint32_t at, bool over) {
    key.idle = false;
    IdleTime& time = key.time;
    time.ended = at;
    time.over = over;
    time.length = run_.at(at) - run_.at(time.begun);
    if (faults_ == 0) add_calm(time, run_.at(at));
    if (time.length > Duration::zero()) scratch_.times.push_back(time);
  }

  const Case& run_;
  IdleScratch& scratch_;
  std::uint32_t faults_ = 0;
  Instant calm_since_ = sim::kStart;
};

}  // namespace

bool is_unheld_for(const Case& run, Duration length, IdleScratch& scratch) {
  scratch.free.assign(run.timeline.keys(), sim::kStart);
  for (const TenureId id : run.timeline.believers()) {
    const Tenure& tenure = run.tenure(id);
    Instant& free = scratch.free[tenure.key];
    if (run.at(tenure.began) - free > length) return true;
    free = std::max(free, run.belief_ends(tenure));
  }
  const Instant last = run.history.back().at;
  const auto tenures = run.timeline.tenures();
  return std::any_of(tenures.begin(), tenures.end(), [&](const Tenure& tenure) {
    return tenure.enrolled && last - scratch.free[tenure.key] > length;
  });
}

const std::vector<IdleTime>& idle_times(const Case& run, IdleScratch& scratch) {
  Watch watch(run, scratch);
  std::span<const EntryChange> entries = run.timeline.entries();
  for (std::uint32_t at = 0; at < run.history.size(); ++at) {
    watch.follow(at);
    for (; !entries.empty() && entries.front().event == at; entries = entries.subspan(1))
      watch.entry(entries.front());
    watch.settle(at);
  }
  if (!run.history.empty()) watch.end_of_history();
  return scratch.times;
}

}  // namespace picklock::properties
