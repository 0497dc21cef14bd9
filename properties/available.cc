#include "properties/available.h"

#include <algorithm>
#include <span>

namespace picklock::properties {

using history::What;

namespace {

// Follows the condition through the history. Chances are looked for only when a condition is about
// to break and when an acquire ends: until then they only grow.
class Conditions {
 public:
  Conditions(const Case& run, AvailableScratch& scratch)
      : run_(run),
        scratch_(scratch),
        servers_(run.context.servers),
        surroundings_(run, scratch.surroundings) {
    scratch_.entries.assign(run.timeline.keys() * servers_, {});
    scratch_.present.assign(run.timeline.slots(), false);
    scratch_.acquires.clear();
    scratch_.asking.assign(run.timeline.keys(), kNone);
    scratch_.latest_of.assign(run.timeline.tenures().size(), kNone);
  }

  void asked(TenureId tenure, std::uint32_t at) {
    std::uint32_t& newest = scratch_.asking[run_.tenure(tenure).key];
    const auto index = static_cast<std::uint32_t>(scratch_.acquires.size());
    scratch_.acquires.push_back({.tenure = tenure, .invoked = at, .next = newest});
    newest = index;
    scratch_.latest_of[tenure] = index;
  }

  // Its acquire is over; nullptr if it had no chance to succeed, or never asked.
  const AvailableScratch::Acquire* ended(TenureId tenure, Instant now) {
    const std::uint32_t index = scratch_.latest_of[tenure];
    if (index == kNone) return nullptr;
    Acquire& acquire = scratch_.acquires[index];
    if (!acquire.open) return nullptr;
    acquire.open = false;
    return acquire.had_its_chance || has_chance(acquire, now) ? &acquire : nullptr;
  }

  void entry(const EntryChange& change) {
    const HistoryEvent& event = run_.event(change.event);
    const std::uint32_t server = run_.context.group_number(event.process);
    if (server >= servers_) return;
    const bool removed = event.what == What::entry_removed;
    if (scratch_.present[change.slot] != removed) return;
    scratch_.present[change.slot] = !removed;
    Entry& entry = scratch_.entries[event.key * servers_ + server];
    if (removed) {
      if (--entry.copies == 0) entry.free_since = event.at;
    } else {
      if (entry.copies == 0) look_for_chances(event.key, event.at);
      ++entry.copies;
    }
  }

  void surroundings(const HistoryEvent& event) {
    if (Surroundings::worsens(event)) look_for_chances(event.at);
    surroundings_.follow(event);
  }

 private:
  using Acquire = AvailableScratch::Acquire;
  using Entry = AvailableScratch::Entry;

  // Whether the server is up and its entry was free throughout the bound that ends now.
  bool ready(KeyId key, std::uint32_t server, Instant now) const {
    const Entry& entry = scratch_.entries[key * servers_ + server];
    return surroundings_.up(server) && entry.copies == 0 &&
           now - entry.free_since >= run_.context.acquire_bound;
  }

  bool has_chance(const Acquire& acquire, Instant now) const {
    const Duration bound = run_.context.acquire_bound;
    const Instant invoked = run_.at(acquire.invoked);
    if (now - invoked < bound) return false;
    const Tenure& tenure = run_.tenure(acquire.tenure);
    std::uint32_t willing = 0;
    for (std::uint32_t server = 0; server < servers_; ++server) {
      if (!run_.context.uses(tenure.process, server)) continue;
      const Instant since = surroundings_.since(tenure.process, server);
      const Duration struck = since > invoked ? run_.context.answer_within : Duration::zero();
      const bool reachable = since != sim::kNever && now - since >= bound + struck;
      if (reachable && ready(tenure.key, server, now)) ++willing;
    }
    return willing >= run_.context.quorum_of(tenure.process);
  }

  void look_for_chances(Instant now) {
    for (KeyId key = 0; key < scratch_.asking.size(); ++key) look_for_chances(key, now);
  }

  void look_for_chances(KeyId key, Instant now) {
    if (scratch_.asking[key] == kNone || surroundings_.disturbed()) return;
    std::uint32_t willing = 0;
    for (std::uint32_t server = 0; server < servers_; ++server) {
      if (ready(key, server, now)) ++willing;
    }
    if (willing < run_.context.quorum && run_.context.shares.empty()) return;

    std::uint32_t* link = &scratch_.asking[key];
    while (*link != kNone) {
      Acquire& acquire = scratch_.acquires[*link];
      if (acquire.open) acquire.had_its_chance = has_chance(acquire, now);
      // Settled ones are dropped, so each is met only a few times.
      if (!acquire.open || acquire.had_its_chance) {
        *link = acquire.next;
      } else {
        link = &acquire.next;
      }
    }
  }

  const Case& run_;
  AvailableScratch& scratch_;
  const std::uint32_t servers_;
  Surroundings surroundings_;
};

}  // namespace

void available(const Case& run, AvailableScratch& scratch, Verdict& verdict) {
  for (const std::uint32_t refusal : run.timeline.refused_free())
    violated(verdict, {refusal, refusal});
  if (run.context.acquire_bound == Duration::zero() || !run.timeline.refused()) return;
  Conditions conditions(run, scratch);
  std::span<const EntryChange> entries = run.timeline.entries();
  for (std::uint32_t at = 0; at < run.history.size(); ++at) {
    const HistoryEvent& event = run.event(at);
    switch (event.what) {
      case What::acquire_invoked:
        conditions.asked(event.tenure, at);
        break;
      case What::acquire_ok:
        conditions.ended(event.tenure, event.at);
        break;
      case What::acquire_failed:
      case What::acquire_unknown:
        // A client that was told to give up was not refused.
        if (const auto* acquire = conditions.ended(event.tenure, event.at);
            acquire != nullptr && event.cause != history::Cause::interrupt) {
          violated(verdict, {at, acquire->invoked});
        }
        break;
      case What::process_crashed:
      case What::process_started:
      case What::link_cut:
      case What::link_healed:
      case What::fault_fired:
      case What::fault_ended:
        conditions.surroundings(event);
        break;
      case What::entry_created:
      case What::entry_altered:
      case What::entry_removed:
        if (entries.empty() || entries.front().event != at) break;
        conditions.entry(entries.front());
        entries = entries.subspan(1);
        break;
      default:
        break;
    }
  }
}

}  // namespace picklock::properties
