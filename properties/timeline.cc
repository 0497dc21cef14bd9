#include "properties/timeline.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace picklock::properties {

using history::What;

namespace {

template <class T>
T& grown(std::vector<T>& table, std::uint32_t index) {
  if (index >= table.size()) table.resize(std::size_t{index} + 1);
  return table[index];
}

}  // namespace

void Timeline::read(const History& history, const Context& context) {
  context_ = &context;
  blank_ = Tenure{};
  blank_.key = context.lock_key;
  last_arrival_ = 0;
  broken_circles_.clear();
  refused_free_.clear();
  refused_ = false;
  waits_while_holding_ = false;
  sleeps_ = false;
  counts_holds_ = false;
  had_nothing_ = false;
  tenures_.clear();
  keys_.clear();
  processes_.clear();
  threads_.clear();
  slots_.clear();
  local_entries_.clear();
  places_.clear();
  believers_.clear();
  beliefs_.clear();
  entries_.clear();
  operations_.clear();
  rejections_.clear();
  known(0);
  grown(keys_, context.lock_key);

  for (std::uint32_t at = 0; at < history.size(); ++at) {
    const HistoryEvent& event = history[at];
    switch (event.what) {
      case What::acquire_invoked:
        asked(event, at);
        break;
      case What::acquire_ok:
        succeeded(event, at);
        break;
      case What::acquire_failed:
      case What::acquire_unknown:
        refused(event, at);
        break;
      case What::release_invoked:
        released(event, at);
        break;
      case What::release_ok:
      case What::release_failed:
      case What::release_unknown:
        had_nothing_ = had_nothing_ || event.what == What::release_failed;
        known(event.tenure).releases = false;
        break;
      case What::loss_learned:
      case What::deadline_passed:
      case What::abandoned:
        end_belief(known(event.tenure), at);
        if (Tenure& tenure = known(event.tenure); tenure.began != kNone) stop(tenure, at);
        break;
      case What::thread_ended: {
        // Each tenure leaves its lists once, however often threads end and machines crash.
        Thread& thread = grown(threads_, event.thread);
        for (TenureId id = thread.first; id != 0; id = tenures_[id].next_of_thread) {
          gone(tenures_[id], at);
        }
        thread.first = 0;
        break;
      }
      case What::process_crashed:
        crashed(grown(processes_, event.process), at);
        break;
      case What::out_of_connections:
        grown(processes_, event.process).out_of_connections = at;
        break;
      case What::entry_created:
      case What::entry_altered:
      case What::entry_removed:
        if (event.process < context.first_server) {
          local_change(event, at);
        } else {
          entry(event, at);
        }
        break;
      case What::queued:
        known(event.tenure).queued = at;
        break;
      case What::wait_begun:
      case What::wait_ended:
        waited(event);
        break;
      case What::deadlock_broken:
        known(event.tenure);
        broken_circles_.push_back(at);
        break;
      case What::refused_free:
        known(event.tenure);
        refused_free_.push_back(at);
        break;
      case What::write_accepted:
      case What::read_accepted:
        if (event.tenure != 0) {
          const KeyId key = known(event.tenure).key;
          operations_.push_back({at, event.tenure, place_of(key, event.process)});
        }
        break;
      case What::write_rejected:
      case What::read_rejected:
      case What::token_rejected:
        if (event.tenure != 0) {
          known(event.tenure);
          rejections_.push_back(at);
        }
        break;
      case What::link_cut:
      case What::link_healed:
        grown(processes_, std::max(event.process, event.peer));
        break;
      default:
        break;
    }
  }
  for (const TenureId id : believers_) {
    Tenure& tenure = tenures_[id];
    if (tenure.granted == kNone) tenure.granted = tenure.began;
  }
}

Tenure& Timeline::known(TenureId id) {
  if (id >= tenures_.size()) tenures_.resize(std::size_t{id} + 1, blank_);
  return tenures_[id];
}

Tenure& Timeline::enrolled(const HistoryEvent& event) {
  Tenure& tenure = known(event.tenure);
  if (tenure.enrolled) return tenure;
  tenure.enrolled = true;
  tenure.key = event.key;
  tenure.process = event.process;
  tenure.thread = event.thread;
  grown(keys_, event.key);
  Process& process = grown(processes_, event.process);
  tenure.next_of_process = process.first;
  process.first = event.tenure;
  Thread& thread = grown(threads_, event.thread);
  tenure.next_of_thread = thread.first;
  thread.first = event.tenure;
  return tenure;
}

void Timeline::asked(const HistoryEvent& event, std::uint32_t at) {
  Tenure& tenure = enrolled(event);
  tenure.waiting = at;
  if (bool& arrived = processes_[tenure.process].arrived; !arrived) {
    arrived = true;
    last_arrival_ = at;
  }
  if (threads_[tenure.thread].beliefs > 0) waits_while_holding_ = true;
}

void Timeline::succeeded(const HistoryEvent& event, std::uint32_t at) {
  Tenure& tenure = enrolled(event);
  tenure.waiting = kNone;
  ++tenure.depth;
  if (tenure.belief == kNone) {
    tenure.belief = static_cast<std::uint32_t>(beliefs_.size());
    tenure.holds = 0;
    beliefs_.push_back({event.tenure, at});
  }
  ++tenure.holds;
  if (tenure.began != kNone) return;
  tenure.began = at;
  tenure.ended = kNone;
  ++threads_[tenure.thread].beliefs;
  believers_.push_back(event.tenure);
}

void Timeline::refused(const HistoryEvent& event, std::uint32_t at) {
  Tenure& tenure = enrolled(event);
  tenure.waiting = kNone;
  refused_ = true;
  // A nested acquire that fails leaves the belief of the outer one as it was.
  if (tenure.began == kNone) stop(tenure, at);
}

void Timeline::released(const HistoryEvent& event, std::uint32_t at) {
  Tenure& tenure = known(event.tenure);
  tenure.releases = true;
  if (tenure.belief != kNone && --tenure.holds == 0) end_belief(tenure, at);
  if (tenure.depth == 0) return;
  if (--tenure.depth == 0) stop(tenure, at);
}

void Timeline::waited(const HistoryEvent& event) {
  sleeps_ = true;
  known(std::max(event.tenure, event.owner));
  grown(keys_, event.key);
  grown(processes_, event.process);
  grown(threads_, event.thread);
}

void Timeline::stop(Tenure& tenure, std::uint32_t at) {
  if (tenure.ended != kNone) return;
  tenure.ended = at;
  if (tenure.began != kNone) --threads_[tenure.thread].beliefs;
}

void Timeline::end_belief(Tenure& tenure, std::uint32_t at) {
  if (tenure.belief == kNone) return;
  beliefs_[tenure.belief].ended = at;
  tenure.belief = kNone;
}

void Timeline::gone(Tenure& tenure, std::uint32_t at) {
  end_belief(tenure, at);
  if (tenure.gone == kNone) tenure.gone = at;
  stop(tenure, at);
}

void Timeline::crashed(Process& process, std::uint32_t at) {
  for (TenureId id = process.first; id != 0; id = tenures_[id].next_of_process) {
    gone(tenures_[id], at);
  }
  process.first = 0;
  process.out_of_connections = kNone;
  for (std::uint32_t i = process.first_local; i != kNone; i = local_entries_[i].next) {
    local_entries_[i].since = kNone;
  }
}

void Timeline::entry(const HistoryEvent& event, std::uint32_t at) {
  known(std::max(event.tenure, event.owner));
  counts_holds_ = counts_holds_ || event.holds > 0;
  Slot& slot = slot_of(event.key, event.process);
  // A server knows better than the sequence of events who owned an entry that two tenures have
  // touched: the alterer is taken for the new owner until an event says otherwise.
  if (event.what != What::entry_created && event.owner != 0 && event.owner != slot.owner) {
    take(slot.owner, event.key, slot);
    if (tenures_[event.owner].key == event.key && !has_copy(event.owner, event.key, slot))
      ++tenures_[event.owner].entries;
    slot.owner = event.owner;
  }
  const TenureId before = slot.owner;
  const bool removed = event.what == What::entry_removed;
  const TenureId touched = event.tenure != 0 ? event.tenure : event.owner;
  const TenureId after = removed ? 0 : touched != 0 ? touched : before;

  EntryChange change{.event = at, .slot = index(slot), .owner = after, .since = slot.since};
  if (after != before) {
    if (before != 0 && tenures_[before].key == event.key) {
      change.loser = before;
      change.left = take(before, event.key, slot);
    }
    if (after != 0 && tenures_[after].key == event.key) {
      change.gainer = after;
      change.has = give(after, event, slot, at);
    }
  }
  const bool present = slot.since != kNone;
  Key& key = keys_[event.key];
  if (present == removed && !is_copied(event.key, slot)) removed ? --key.occupied : ++key.occupied;
  change.occupied = key.occupied;
  entries_.push_back(change);

  const bool renewal = event.what == What::entry_altered && after == before;
  slot.owner = after;
  slot.until = event.until;
  if (!renewal || slot.since == kNone) slot.since = removed ? kNone : at;
  slot.renewed = renewal && event.tenure == after ? at : renewal ? slot.renewed : kNone;
}

void Timeline::local_change(const HistoryEvent& event, std::uint32_t at) {
  known(std::max(event.tenure, event.owner));
  LocalEntry& entry = local_entry_of(event.key, event.process);
  const TenureId owner = event.tenure != 0 ? event.tenure : event.owner;
  if (event.what == What::entry_removed) {
    entry.since = kNone;
  } else if (entry.since == kNone || owner != entry.owner) {
    entry.owner = owner;
    entry.since = at;
  }
}

std::uint32_t Timeline::group(ProcessId server) const {
  const std::vector<std::uint32_t>& groups = context_->group_of;
  return server < groups.size() ? groups[server] : server;
}

bool Timeline::has_copy(TenureId id, KeyId key, const Slot& slot) const {
  if (context_->group_of.empty()) return false;
  for (const Slot* other = first_slot(key); other != nullptr; other = next_slot(*other)) {
    if (other != &slot && other->owner == id && are_copies(*other, slot)) return true;
  }
  return false;
}

bool Timeline::is_copied(KeyId key, const Slot& slot) const {
  if (context_->group_of.empty()) return false;
  for (const Slot* other = first_slot(key); other != nullptr; other = next_slot(*other)) {
    if (other != &slot && other->since != kNone && are_copies(*other, slot)) return true;
  }
  return false;
}

std::uint32_t Timeline::take(TenureId id, KeyId key, const Slot& slot) {
  Tenure& tenure = tenures_[id];
  if (tenure.key == key && tenure.entries > 0 && !has_copy(id, key, slot)) --tenure.entries;
  return tenure.entries;
}

std::uint32_t Timeline::give(TenureId id, const HistoryEvent& event, const Slot& slot,
                             std::uint32_t at) {
  Tenure& tenure = tenures_[id];
  if (tenure.key != event.key) return tenure.entries;
  const std::uint32_t quorum = context_->quorum_of(tenure.process);
  tenure.granted_by |= std::uint64_t{1} << std::min(slot.number, 63U);
  // A copy of an entry that the tenure already has is not a grant, unless it is still acquiring:
  // then the primary that granted it has been replaced, and its reply never came.
  if (has_copy(id, event.key, slot)) {
    const bool asked = event.what == What::entry_created && event.tenure != 0;
    if (asked && tenure.began == kNone && tenure.entries == quorum) tenure.granted = at;
    return tenure.entries;
  }
  // An attempt whose replies were lost or late leaves an orphan. If a quorum of its entries has
  // gone again, the entries of a later attempt make that attempt the grant, even if they are never
  // a quorum at one instant. A tenure that alters another's entry, for example by a renewal without
  // a check, counts as its owner, but its grant stays as it was.
  const bool altered = event.what == What::entry_altered;
  if (tenure.began == kNone && tenure.entries < quorum && !altered) tenure.granted = kNone;
  ++tenure.entries;
  if (tenure.began == kNone && tenure.entries == quorum && tenure.granted == kNone)
    tenure.granted = at;
  return tenure.entries;
}

const LocalEntry* Timeline::local_entry(KeyId key, ProcessId client) const {
  std::uint32_t i = processes_[client].first_local;
  while (i != kNone && local_entries_[i].key != key) i = local_entries_[i].next;
  return i != kNone && local_entries_[i].since != kNone ? &local_entries_[i] : nullptr;
}

LocalEntry& Timeline::local_entry_of(KeyId key, ProcessId client) {
  std::uint32_t* link = &grown(processes_, client).first_local;
  while (*link != kNone) {
    LocalEntry& entry = local_entries_[*link];
    if (entry.key == key) return entry;
    link = &entry.next;
  }
  *link = static_cast<std::uint32_t>(local_entries_.size());
  return local_entries_.emplace_back(LocalEntry{.key = key});
}

Slot& Timeline::slot_of(KeyId key, ProcessId server) {
  std::uint32_t* link = &grown(keys_, key).first_slot;
  std::uint32_t number = 0;
  while (*link != kNone) {
    Slot& slot = slots_[*link];
    if (slot.server == server) return slot;
    link = &slot.next;
    number = std::max(number, slot.number + 1);
  }
  Slot added{.server = server, .number = number};
  for (const Slot* other = first_slot(key); other != nullptr; other = next_slot(*other)) {
    if (are_copies(*other, added)) added.number = other->number;
  }
  *link = static_cast<std::uint32_t>(slots_.size());
  return slots_.emplace_back(added);
}

std::uint32_t Timeline::place_of(KeyId key, ProcessId process) {
  const ProcessId resource = group(process);
  std::uint32_t* link = &keys_[key].first_place;
  while (*link != kNone) {
    if (places_[*link].resource == resource) return *link;
    link = &places_[*link].next;
  }
  const auto place = static_cast<std::uint32_t>(places_.size());
  *link = place;
  places_.push_back({.resource = resource});
  return place;
}

void violated(Verdict& verdict, Witness witness) {
  verdict.outcome = Outcome::violated;
  ++verdict.count;
  const auto later = [](const Witness& a, const Witness& b) {
    return std::tie(a.event, a.other) < std::tie(b.event, b.other);
  };
  std::vector<Witness>& kept = verdict.witnesses;
  kept.insert(std::upper_bound(kept.begin(), kept.end(), witness, later), witness);
  if (kept.size() > kWitnesses) kept.pop_back();
}

}  // namespace picklock::properties
