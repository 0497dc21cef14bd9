#include "properties/no_lost_wakeup.h"

#include <algorithm>
#include <span>

namespace picklock::properties {

using history::What;

namespace {

class Sleepers {
 public:
  Sleepers(const Case& run, NoLostWakeupScratch& scratch, Verdict& verdict)
      : run_(run), scratch_(scratch), verdict_(verdict) {
    scratch_.sleeps.clear();
    scratch_.keys.assign(run.timeline.keys(), {});
    for (Key& key : scratch_.keys) key.free = is_free(key);
    scratch_.down.assign(run.timeline.processes(), false);
    scratch_.sleep_of.assign(run.timeline.threads(), kNone);
    scratch_.sleeps_of.assign(run.timeline.processes(), kNone);
  }

  void begin(const HistoryEvent& event, std::uint32_t at) {
    end_of_thread(event.thread, event.at);
    const auto index = static_cast<std::uint32_t>(scratch_.sleeps.size());
    std::uint32_t& latest = scratch_.sleeps_of[event.process];
    scratch_.sleeps.push_back({.begun = at, .key = event.key, .next_of_process = latest});
    latest = index;
    scratch_.sleep_of[event.thread] = index;
    Key& key = scratch_.keys[event.key];
    (key.first == kNone ? key.first : scratch_.sleeps[key.last].next) = index;
    key.last = index;
  }

  void end_of_thread(ThreadId thread, Instant now) { end(scratch_.sleep_of[thread], now); }

  void end_of_process(ProcessId process, Instant now) {
    std::uint32_t& latest = scratch_.sleeps_of[process];
    for (; latest != kNone; latest = scratch_.sleeps[latest].next_of_process) end(latest, now);
  }

  void entry(const EntryChange& change) {
    const HistoryEvent& event = run_.event(change.event);
    Key& key = scratch_.keys[event.key];
    key.occupied = change.occupied;
    changed(key, change.event);
  }

  // A server that is down grants nothing, but one of its replicas may.
  void server(const HistoryEvent& event, std::uint32_t at) {
    const Context& context = run_.context;
    const bool serves = event.process >= context.first_server &&
                        event.process - context.first_server < context.servers;
    const bool goes = event.what == What::process_crashed;
    if (!serves || !context.group_of.empty() || event.process >= scratch_.down.size()) return;
    if (scratch_.down[event.process] == goes) return;
    scratch_.down[event.process] = goes;
    down_ += goes ? 1U : -1U;
    for (Key& key : scratch_.keys) changed(key, at);
  }

  void end_of_history(Instant now) {
    for (Key& key : scratch_.keys) {
      if (key.free) find_overslept(key, now);
    }
  }

 private:
  using Sleep = NoLostWakeupScratch::Sleep;
  using Key = NoLostWakeupScratch::Key;

  // Where clients differ in their servers, it is free once it is free for all of them.
  bool is_free(const Key& key) const {
    if (!run_.context.shares.empty()) return key.occupied + down_ == 0;
    return key.occupied + down_ + run_.context.quorum <= run_.context.servers;
  }

  void changed(Key& key, std::uint32_t at) {
    const bool free = is_free(key);
    if (free == key.free) return;
    if (!free) find_overslept(key, run_.at(at));
    key.free = free;
    key.freed = at;
  }

  // Closes the sleep, and says so, if the lock was free for too long of it until now.
  bool overslept(const Key& key, Sleep& sleep, Instant now) {
    const std::uint32_t since = std::max(sleep.begun, key.freed);
    if (now - run_.at(since) <= run_.context.wakeup_bound) return false;
    sleep.open = false;
    violated(verdict_, {sleep.begun, since});
    return true;
  }

  void end(std::uint32_t index, Instant now) {
    if (index == kNone || !scratch_.sleeps[index].open) return;
    Sleep& sleep = scratch_.sleeps[index];
    const Key& key = scratch_.keys[sleep.key];
    if (key.free) overslept(key, sleep, now);
    sleep.open = false;
  }

  // Sleeps are kept as they began, so none behind one that has not overslept has done so.
  void find_overslept(Key& key, Instant now) {
    for (; key.first != kNone; key.first = scratch_.sleeps[key.first].next) {
      Sleep& sleep = scratch_.sleeps[key.first];
      if (sleep.open && !overslept(key, sleep, now)) return;
    }
  }

  const Case& run_;
  NoLostWakeupScratch& scratch_;
  Verdict& verdict_;
  std::uint32_t down_ = 0;
};

}  // namespace

void no_lost_wakeup(const Case& run, NoLostWakeupScratch& scratch, Verdict& verdict) {
  if (run.context.wakeup_bound == Duration::zero() || !run.timeline.sleeps()) return;
  Sleepers sleepers(run, scratch, verdict);
  std::span<const EntryChange> entries = run.timeline.entries();
  for (std::uint32_t at = 0; at < run.history.size(); ++at) {
    const HistoryEvent& event = run.event(at);
    switch (event.what) {
      case What::wait_begun:
        sleepers.begin(event, at);
        break;
      case What::wait_ended:
      case What::thread_ended:
        sleepers.end_of_thread(event.thread, event.at);
        break;
      case What::process_crashed:
        sleepers.end_of_process(event.process, event.at);
        sleepers.server(event, at);
        break;
      case What::process_started:
        sleepers.server(event, at);
        break;
      case What::entry_created:
      case What::entry_altered:
      case What::entry_removed:
        if (entries.empty() || entries.front().event != at) break;
        sleepers.entry(entries.front());
        entries = entries.subspan(1);
        break;
      default:
        break;
    }
  }
  sleepers.end_of_history(run.history.back().at);
}

}  // namespace picklock::properties
