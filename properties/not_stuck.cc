#include "properties/not_stuck.h"

#include <algorithm>

namespace picklock::properties {

using history::What;

namespace {

bool gave_up_before(const Tenure& tenure, std::uint32_t event) {
  return tenure.began == kNone && tenure.ended < event;
}

// The end of the last fault; without faults, the arrival of the last client.
std::uint32_t settled(const Case& run, std::uint32_t horizon) {
  std::uint32_t arrival = run.timeline.last_arrival();
  for (std::uint32_t i = horizon; i-- > 0;) {
    const What what = run.event(i).what;
    if (what == What::fault_ended || what == What::fault_fired) return i;
    if (what == What::process_started) arrival = std::max(arrival, i);
  }
  return arrival;
}

void find_last_grants(const Case& run, std::vector<std::uint32_t>& last_grant) {
  last_grant.assign(run.timeline.keys(), 0);
  const auto granted = [&last_grant](KeyId key, std::uint32_t event) {
    last_grant[key] = std::max(last_grant[key], event);
  };
  for (const EntryChange& change : run.timeline.entries()) {
    // An entry that its server restored, or that another tenure altered, is a grant only once its
    // owner believes that it holds the lock.
    const HistoryEvent& event = run.event(change.event);
    if (event.what != What::entry_created || event.tenure == 0) continue;
    // An entry that is created after its tenure has given up is not a grant either.
    if (change.gainer == 0 || gave_up_before(run.tenure(change.gainer), change.event)) continue;
    if (change.has >= run.context.quorum_of(run.tenure(change.gainer).process)) {
      granted(run.tenure(change.gainer).key, change.event);
    }
  }
  for (const TenureId id : run.timeline.believers()) {
    granted(run.tenure(id).key, run.tenure(id).began);
  }
}

// The event that made an entry one that will never go by itself; kNone if it will.
std::uint32_t made_permanent(const Case& run, const Slot& slot) {
  const bool renewed = slot.renewed != kNone;
  if (slot.until == sim::kNever) return renewed ? slot.renewed : slot.since;
  // A tenure that is still acquiring may come to hold the lock; one whose belief or acquire has
  // ended will not. A script that sets a key and then its expiry renews nothing. An entry that
  // should have expired by the end, and exists only because its server's clock was set back, is not
  // renewed either.
  const bool later = renewed && run.event(slot.renewed).at > run.event(slot.since).at &&
                     slot.until > run.history.back().at;
  if (later && slot.renewed > run.tenure(slot.owner).ended) return slot.renewed;
  return kNone;
}

// Whether a copy of the entry, on another server of its group, stands before it in the list.
bool counted(const Case& run, KeyId key, const Slot& slot) {
  const Timeline& timeline = run.timeline;
  for (const Slot* other = timeline.first_slot(key); other != &slot;
       other = timeline.next_slot(*other)) {
    if (timeline.are_copies(*other, slot) && made_permanent(run, *other) != kNone) return true;
  }
  return false;
}

// The blocking entry of the lock, if so many of the waiter's servers are blocked that no quorum is
// left to win.
std::uint32_t blocked_by(const Case& run, const Tenure& waiter) {
  const Context& context = run.context;
  std::uint32_t blocked = 0;
  std::uint32_t event = kNone;
  const Timeline& timeline = run.timeline;
  for (const Slot* slot = timeline.first_slot(waiter.key); slot != nullptr;
       slot = timeline.next_slot(*slot)) {
    if (!context.uses(waiter.process, context.group_number(slot->server))) continue;
    const std::uint32_t made = made_permanent(run, *slot);
    if (made == kNone) continue;
    if (!counted(run, waiter.key, *slot)) ++blocked;
    event = std::min(event, made);
  }
  const bool none_left =
      blocked + context.quorum_of(waiter.process) > context.servers_of(waiter.process);
  return none_left ? event : kNone;
}

// Its process has no connection left; or a mutex inside it is left without a tenure to release it:
// none holds it, still acquires, or has yet to complete its release.
std::uint32_t blocked_at_home(const Case& run, const Tenure& waiter) {
  const std::uint32_t cut_off = run.timeline.out_of_connections(waiter.process);
  if (cut_off != kNone) return cut_off;
  const LocalEntry* entry = run.timeline.local_entry(waiter.key, waiter.process);
  if (entry == nullptr) return kNone;
  const Tenure& owner = run.tenure(entry->owner);
  const bool holds = owner.began != kNone && owner.ended == kNone;
  const bool busy = holds || owner.waiting != kNone || owner.releases;
  return busy && owner.gone == kNone ? kNone : entry->since;
}

}  // namespace

Standstill::Standstill(const Case& run, NotStuckScratch& scratch)
    : run_(run), last_grant_(scratch.last_grant) {
  calm_ = settled(run, static_cast<std::uint32_t>(run.history.size() - 1));
  find_last_grants(run, scratch.last_grant);
}

std::uint32_t Standstill::stuck_behind(const Tenure& waiter) const {
  // Grants to other processes do not help a waiter that is blocked inside its own process.
  const bool granted = last_grant_[waiter.key] > calm_;
  return std::min(granted ? kNone : blocked_by(run_, waiter), blocked_at_home(run_, waiter));
}

void not_stuck(const Case& run, NotStuckScratch& scratch, Verdict& verdict) {
  if (run.history.empty() || run.history.back().what != What::horizon) {
    verdict.outcome = Outcome::unknown;
    return;
  }
  const auto tenures = run.timeline.tenures();
  if (std::none_of(tenures.begin(), tenures.end(), waits_alive)) return;

  const Standstill standstill(run, scratch);
  for (const Tenure& waiter : tenures) {
    if (!waits_alive(waiter)) continue;
    const std::uint32_t blocking = standstill.stuck_behind(waiter);
    if (blocking != kNone) violated(verdict, {waiter.waiting, blocking});
  }
}

}  // namespace picklock::properties
