#include "properties/no_deadlock.h"

#include <algorithm>
#include <span>
#include <utility>

namespace picklock::properties {

using history::What;

namespace {

class WaitsFor {
 public:
  WaitsFor(const Case& run, NoDeadlockScratch& scratch, Verdict& verdict)
      : run_(run), scratch_(scratch), verdict_(verdict), surroundings_(run, scratch.surroundings) {
    scratch_.self_waits.clear();
    scratch_.keys.assign(run.timeline.keys(), {});
    scratch_.threads.assign(run.timeline.threads(), {});
    scratch_.has.assign(run.timeline.tenures().size(), 0);
    scratch_.searches = 0;
  }

  void begin_wait(TenureId id, std::uint32_t at) {
    const Tenure& tenure = run_.tenure(id);
    if (tenure.thread == 0) return;
    end_wait(tenure.thread, run_.at(at));
    Thread& thread = scratch_.threads[tenure.thread];
    thread.waits_as = id;
    thread.since = at;
    Key& key = scratch_.keys[tenure.key];
    ++key.waiters;
    if (key.holder != 0) ++holding_thread(key).awaited;
    find_cycle(tenure.thread, at);
    if (key.holder == id && tenure.believes_at(at)) {
      scratch_.self_waits.push_back({id, at, key.held_since, run_.at(at)});
    }
  }

  void end_wait(ThreadId id, Instant now) {
    Thread& thread = scratch_.threads[id];
    if (thread.waits_as == 0) return;
    end_self_wait(thread.waits_as, now);
    Key& key = scratch_.keys[run_.tenure(thread.waits_as).key];
    --key.waiters;
    if (key.holder != 0) --holding_thread(key).awaited;
    thread.waits_as = 0;
  }

  void begin_belief(TenureId id, std::uint32_t at) {
    const Tenure& tenure = run_.tenure(id);
    if (tenure.began != at) return;
    // If a server reports no entries, only beliefs show who holds the key.
    if (tenure.granted_by == 0) {
      hold(id, at, at);
    } else if (scratch_.has[id] >= run_.context.quorum_of(tenure.process)) {
      hold(id, tenure.granted, at);
    }
  }

  void entry(const EntryChange& change) {
    if (change.loser != 0) {
      scratch_.has[change.loser] = change.left;
      if (change.left < quorum_of(change.loser)) let_go(change.loser, run_.at(change.event));
    }
    if (change.gainer != 0) {
      scratch_.has[change.gainer] = change.has;
      const bool believes = run_.tenure(change.gainer).believes_at(change.event);
      if (believes && change.has >= quorum_of(change.gainer)) {
        hold(change.gainer, change.event, change.event);
      }
    }
  }

  // The tenure no longer holds, or its thread no longer waits: if it has waited long enough for
  // itself, that is a cycle.
  void end_self_wait(TenureId id, Instant now) {
    std::erase_if(scratch_.self_waits, [&](const SelfWait& wait) {
      if (wait.tenure != id) return false;
      judge_self_wait(wait, now);
      return true;
    });
  }

  void end_of_thread(const HistoryEvent& event) {
    std::erase_if(scratch_.self_waits, [&](const SelfWait& wait) {
      const Tenure& tenure = run_.tenure(wait.tenure);
      const bool gone = event.what == What::process_crashed ? tenure.process == event.process
                                                            : tenure.thread == event.thread;
      if (gone) judge_self_wait(wait, event.at);
      return gone;
    });
  }

  void surroundings(const HistoryEvent& event) {
    if (Surroundings::worsens(event)) end_self_waits(event.at);
    surroundings_.follow(event);
  }

  void end_self_waits(Instant now) {
    std::erase_if(scratch_.self_waits,
                  [&](const SelfWait& wait) { return judge_self_wait(wait, now); });
  }

 private:
  using Key = NoDeadlockScratch::Key;
  using Thread = NoDeadlockScratch::Thread;
  using SelfWait = NoDeadlockScratch::SelfWait;

  std::uint32_t quorum_of(TenureId id) const {
    return run_.context.quorum_of(run_.tenure(id).process);
  }

  bool judge_self_wait(const SelfWait& wait, Instant now) {
    const Duration bound = run_.context.acquire_bound;
    if (bound == Duration::zero()) return false;
    const ProcessId client = run_.tenure(wait.tenure).process;
    std::uint32_t willing = 0;
    for (std::uint32_t server = 0; server < run_.context.servers; ++server) {
      if (!run_.context.uses(client, server)) continue;
      const Instant since = surroundings_.since(client, server);
      if (since != sim::kNever && now - std::max(since, wait.since) >= bound) ++willing;
    }
    if (willing < run_.context.quorum_of(client)) return false;
    // It may have lost and regained its hold meanwhile, but it waits only once.
    std::uint32_t& reported = scratch_.threads[run_.tenure(wait.tenure).thread].waited_for_itself;
    if (std::exchange(reported, wait.invoked) == wait.invoked) return true;
    scratch_.cycle.assign(1, {wait.invoked, wait.held_since});
    report();
    return true;
  }

  Thread& holding_thread(const Key& key) {
    return scratch_.threads[run_.tenure(key.holder).thread];
  }

  void hold(TenureId id, std::uint32_t since, std::uint32_t at) {
    const Tenure& tenure = run_.tenure(id);
    if (tenure.thread == 0) return;
    Key& key = scratch_.keys[tenure.key];
    if (key.holder == id) return;
    if (key.holder != 0) holding_thread(key).awaited -= key.waiters;
    key.holder = id;
    key.held_since = since;
    holding_thread(key).awaited += key.waiters;
    find_cycle(tenure.thread, at, &key);
    const Thread& thread = scratch_.threads[tenure.thread];
    if (thread.waits_as == id && tenure.began < at) {
      scratch_.self_waits.push_back({id, thread.since, since, run_.at(at)});
    }
  }

  void let_go(TenureId id, Instant now) {
    end_self_wait(id, now);
    Key& key = scratch_.keys[run_.tenure(id).key];
    if (key.holder != id) return;
    holding_thread(key).awaited -= key.waiters;
    key.holder = 0;
  }

  // Every new edge starts or ends at `first`, so a cycle that has just closed passes through it. If
  // `first` has come to hold `taken`, the cycle passes through a waiter for `taken`. If no thread
  // waits for what `first` holds, there is no cycle; this check avoids following chains of waiters
  // at each new link.
  void find_cycle(ThreadId first, std::uint32_t at, const Key* taken = nullptr) {
    if (scratch_.threads[first].awaited == 0) return;
    ++scratch_.searches;
    scratch_.cycle.clear();
    for (ThreadId id = first; scratch_.threads[id].visited != scratch_.searches;) {
      Thread& thread = scratch_.threads[id];
      thread.visited = scratch_.searches;
      if (thread.waits_as == 0) return;
      const Key& key = scratch_.keys[run_.tenure(thread.waits_as).key];
      // An entry that outlives its tenure's belief is a wait for its deadline, not for a thread.
      if (key.holder == 0 || key.holder == thread.waits_as) return;
      if (!run_.tenure(key.holder).believes_at(at)) return;
      scratch_.cycle.push_back({thread.since, key.held_since});
      id = run_.tenure(key.holder).thread;
      if (id == first && taken != nullptr && taken != &key) return;
      if (id == first) return report();
    }
  }

  // Keeps whole cycles, so that the witnesses of two are not mixed.
  void report() {
    verdict_.outcome = Outcome::violated;
    ++verdict_.count;
    std::vector<Witness>& kept = verdict_.witnesses;
    std::vector<Witness>& cycle = scratch_.cycle;
    if (!kept.empty() && kept.size() + cycle.size() > kWitnesses) return;
    std::sort(cycle.begin(), cycle.end(),
              [](const Witness& a, const Witness& b) { return a.event < b.event; });
    const std::size_t fit = std::min(cycle.size(), kWitnesses);
    kept.insert(kept.end(), cycle.begin(), cycle.begin() + static_cast<std::ptrdiff_t>(fit));
  }

  const Case& run_;
  NoDeadlockScratch& scratch_;
  Verdict& verdict_;
  Surroundings surroundings_;
};

}  // namespace

void no_deadlock(const Case& run, NoDeadlockScratch& scratch, Verdict& verdict) {
  for (const std::uint32_t broken : run.timeline.broken_circles())
    violated(verdict, {broken, broken});
  // Everyone in a cycle waits for one lock while holding another.
  if (!run.timeline.waits_while_holding()) return;
  WaitsFor graph(run, scratch, verdict);
  std::span<const EntryChange> entries = run.timeline.entries();
  for (std::uint32_t at = 0; at < run.history.size(); ++at) {
    const HistoryEvent& event = run.event(at);
    switch (event.what) {
      case What::acquire_invoked:
        graph.begin_wait(event.tenure, at);
        break;
      case What::acquire_ok:
        graph.end_wait(run.tenure(event.tenure).thread, event.at);
        graph.begin_belief(event.tenure, at);
        break;
      case What::acquire_failed:
      case What::acquire_unknown:
        graph.end_wait(run.tenure(event.tenure).thread, event.at);
        break;
      case What::entry_created:
      case What::entry_altered:
      case What::entry_removed:
        if (entries.empty() || entries.front().event != at) break;
        graph.entry(entries.front());
        entries = entries.subspan(1);
        break;
      case What::loss_learned:
      case What::deadline_passed:
      case What::abandoned:
        graph.end_self_wait(event.tenure, event.at);
        break;
      case What::thread_ended:
        graph.end_of_thread(event);
        break;
      case What::process_crashed:
        graph.end_of_thread(event);
        graph.surroundings(event);
        break;
      case What::process_started:
      case What::link_cut:
      case What::link_healed:
      case What::fault_fired:
      case What::fault_ended:
        graph.surroundings(event);
        break;
      default:
        break;
    }
  }
  if (!run.history.empty()) graph.end_self_waits(run.history.back().at);
}

}  // namespace picklock::properties
