#include "models/mysql/lock_table.h"

#include <algorithm>
#include <utility>

namespace picklock::mysql {
namespace {

bool is_on_gap(LockKind kind) {
  return kind == LockKind::gap || kind == LockKind::insert_intention;
}

// Behind the last record there is only one kind of gap lock.
LockKind kind_at(const Place& place, LockKind kind) {
  return place.supremum && kind == LockKind::gap ? LockKind::next_key : kind;
}

}  // namespace

void LockTable::clear() {
  places_.clear();
  waiting_.clear();
  inserters_ = 0;
  held_.clear();
  intentions_.clear();
  structs_.clear();
}

// Whether `one` has to wait for `other`, which came before it. A gap lock only blocks inserts: two
// transactions may lock the same gap.
bool LockTable::must_wait(const Lock& one, const Lock& other, bool supremum) {
  if (one.trx == other.trx) return false;
  if (one.mode == LockMode::shared && other.mode == LockMode::shared) return false;
  if (one.kind == LockKind::insert_intention) {
    return other.kind != LockKind::insert_intention && other.kind != LockKind::record;
  }
  if (supremum || one.kind == LockKind::gap) return false;
  return !is_on_gap(other.kind);
}

bool LockTable::has_the_record(TrxId trx, const Queue& queue, LockMode mode) {
  return std::any_of(queue.begin(), queue.end(), [trx, mode](const Lock& lock) {
    return lock.trx == trx && lock.mode >= mode && !lock.waiting && !is_on_gap(lock.kind);
  });
}

const LockTable::Lock* LockTable::first_obstacle(const Place& place, const Queue& queue,
                                                 std::size_t index) {
  const auto end = queue.begin() + static_cast<std::ptrdiff_t>(index);
  const auto found = std::find_if(queue.begin(), end, [&](const Lock& other) {
    return must_wait(queue[index], other, place.supremum);
  });
  return found == end ? nullptr : &*found;
}

bool LockTable::has(TrxId trx, const Place& place, LockMode mode, LockKind kind) const {
  const auto found = places_.find(place);
  if (found == places_.end()) return false;
  bool record = false;
  bool gap = false;
  for (const Lock& lock : found->second) {
    if (lock.trx != trx || lock.waiting || lock.kind == LockKind::insert_intention) continue;
    if (lock.mode == LockMode::shared && mode == LockMode::exclusive) continue;
    record = record || place.supremum || lock.kind != LockKind::gap;
    gap = gap || place.supremum || lock.kind != LockKind::record;
  }
  if (kind == LockKind::next_key) return record && gap;  // M55
  return kind == LockKind::gap ? gap : record;
}

LockTable::Asked LockTable::ask(TrxId trx, const Place& place, LockMode mode, LockKind kind,
                                bool may_wait, bool leaves) {
  kind = kind_at(place, kind);
  const bool inserts = kind == LockKind::insert_intention;
  if (!inserts && has(trx, place, mode, kind)) return Asked::granted;
  const auto found = places_.find(place);
  const Lock wanted{trx, mode, kind};
  const bool passes =
      !inserts && found != places_.end() && has_the_record(trx, found->second, mode);
  const auto obstructs = [&](const Lock& other) {
    return !(passes && other.waiting) && must_wait(wanted, other, place.supremum);
  };
  const bool free =
      found == places_.end() || std::none_of(found->second.begin(), found->second.end(), obstructs);
  if (free) {
    // The permission to insert leaves no lock.
    if (leaves && !inserts) give(trx, place, mode, kind);
    return Asked::granted;
  }
  if (!may_wait) return Asked::refused;
  // A transaction that already has as strong a lock on the record queues before those that wait for
  // it.
  Queue& queue = places_[place];
  const auto first_waiter =
      std::find_if(queue.begin(), queue.end(), [](const Lock& other) { return other.waiting; });
  queue.insert(passes ? first_waiter : queue.end(), {trx, mode, kind, true});
  waiting_.emplace(trx, place);
  if (inserts) ++inserters_;
  held_[trx].insert(place);
  ++structs_[trx].own;
  return Asked::waits;
}

void LockTable::give(TrxId trx, const Place& place, LockMode mode, LockKind kind) {
  kind = kind_at(place, kind);
  if (has(trx, place, mode, kind)) return;
  Queue& queue = places_[place];
  // Where others wait for the record, the lock is a struct of its own.
  Structs& structs = structs_[trx];
  const bool widens = kind != LockKind::gap && has_the_record(trx, queue, mode);
  const bool alone =
      std::any_of(queue.begin(), queue.end(), [](const Lock& lock) { return lock.waiting; });
  if (!structs.shared.insert({place.table, mode, kind, widens}).second && alone) ++structs.own;
  // It goes before the waiters; otherwise they would not be seen to wait for it.
  queue.insert(
      std::find_if(queue.begin(), queue.end(), [](const Lock& lock) { return lock.waiting; }),
      {trx, mode, kind});
  held_[trx].insert(place);
}

void LockTable::intend(TrxId trx, TableId table, LockMode mode) {
  std::set<std::pair<TableId, LockMode>>& mine = intentions_[trx];
  if (!mine.contains({table, LockMode::exclusive})) mine.insert({table, mode});
}

LockTable::Granted LockTable::unlock(TrxId trx, const Place& place, LockMode mode, LockKind kind) {
  Granted granted;
  const auto found = places_.find(place);
  if (found == places_.end()) return granted;
  const auto mine = std::find_if(found->second.begin(), found->second.end(), [&](const Lock& lock) {
    return lock.trx == trx && lock.mode == mode && lock.kind == kind && !lock.waiting;
  });
  if (mine == found->second.end()) return granted;
  found->second.erase(mine);
  grant_waiters(place, found->second, granted);
  return granted;
}

LockTable::Granted LockTable::withdraw(TrxId trx) {
  Granted granted;
  const auto found = waiting_.find(trx);
  if (found == waiting_.end()) return granted;
  const Place place = found->second;
  waiting_.erase(found);
  --structs_[trx].own;
  Queue& queue = places_.at(place);
  const auto mine = std::find_if(queue.begin(), queue.end(), [trx](const Lock& lock) {
    return lock.trx == trx && lock.waiting;
  });
  if (mine->kind == LockKind::insert_intention) --inserters_;
  queue.erase(mine);
  if (!all_wait_for_first(place, queue)) grant_waiters(place, queue, granted);
  return granted;
}

LockTable::Granted LockTable::release(TrxId trx) {
  Granted granted = withdraw(trx);
  const std::set<Place> places = std::exchange(held_[trx], {});
  held_.erase(trx);
  intentions_.erase(trx);
  structs_.erase(trx);
  for (const Place& place : places) {
    const auto found = places_.find(place);
    if (found == places_.end()) continue;
    std::erase_if(found->second, [trx](const Lock& lock) { return lock.trx == trx; });
    if (found->second.empty()) {
      places_.erase(found);
    } else {
      grant_waiters(place, found->second, granted);
    }
  }
  return granted;
}

void LockTable::inserted(const Place& record, const Place& next) {
  const auto found = places_.find(next);
  if (found == places_.end()) return;
  for (const Lock& lock : Queue(found->second)) {
    const bool on_gap =
        next.supremum || lock.kind == LockKind::gap || lock.kind == LockKind::next_key;
    if (on_gap && !lock.waiting && lock.kind != LockKind::insert_intention)
      give(lock.trx, record, lock.mode, LockKind::gap);
  }
}

LockTable::Granted LockTable::removed(const Place& record) {
  Granted granted;
  for (const Lock& lock : places_.at(record)) {
    held_[lock.trx].erase(record);
    if (!lock.waiting) continue;
    if (lock.kind == LockKind::insert_intention) --inserters_;
    waiting_.erase(lock.trx);
    granted.push_back(lock.trx);
  }
  places_.erase(record);
  return granted;
}

// Grants one waiter at a time, in order of arrival, unless an earlier lock is in its way.
void LockTable::grant_waiters(const Place& place, Queue& queue, Granted& granted) {
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (!queue[i].waiting || first_obstacle(place, queue, i) != nullptr) continue;
    queue[i].waiting = false;
    if (queue[i].kind == LockKind::insert_intention) --inserters_;
    waiting_.erase(queue[i].trx);
    // From now on locks of its kind share this struct.
    Structs& structs = structs_[queue[i].trx];
    if (structs.shared.insert({place.table, queue[i].mode, queue[i].kind, false}).second)
      --structs.own;
    granted.push_back(queue[i].trx);
  }
}

TrxId LockTable::holder(const Place& place) const {
  const auto found = places_.find(place);
  if (found == places_.end()) return 0;
  const auto held = std::find_if(found->second.begin(), found->second.end(), [](const Lock& lock) {
    return !lock.waiting && !is_on_gap(lock.kind);
  });
  return held == found->second.end() ? 0 : held->trx;
}

TrxId LockTable::owner(const Place& place) const {
  const auto found = places_.find(place);
  if (found == places_.end()) return 0;
  const auto held = std::find_if(found->second.begin(), found->second.end(), [](const Lock& lock) {
    return !lock.waiting && lock.mode == LockMode::exclusive && !is_on_gap(lock.kind);
  });
  return held == found->second.end() ? 0 : held->trx;
}

TrxId LockTable::waits_for(TrxId trx) const {
  const auto found = waiting_.find(trx);
  if (found == waiting_.end()) return 0;
  const Queue& queue = places_.at(found->second);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].trx != trx || !queue[i].waiting) continue;
    const Lock* const obstacle = first_obstacle(found->second, queue, i);
    return obstacle == nullptr ? 0 : obstacle->trx;
  }
  return 0;
}

// Whether the first lock is in the way of all waiters, and its owner does not wait. Thousands may
// wait for one row; without this test, each end of a wait would look at all the others.
bool LockTable::all_wait_for_first(const Place& place, const Queue& queue) const {
  if (place.supremum || inserters_ > 0 || queue.empty()) return false;
  const Lock& first = queue.front();
  return !first.waiting && first.mode == LockMode::exclusive && !is_on_gap(first.kind) &&
         !waits(first.trx);
}

bool LockTable::may_have_cycle() const {
  TrxId idle = 0;  // known not to wait: usually all wait for one
  for (const auto& [place, queue] : places_) {
    if (all_wait_for_first(place, queue)) continue;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Lock* const obstacle = queue[i].waiting ? first_obstacle(place, queue, i) : nullptr;
      if (obstacle == nullptr || obstacle->trx == idle) continue;
      if (waits(obstacle->trx)) return true;
      idle = obstacle->trx;
    }
  }
  return false;
}

std::vector<TrxId> LockTable::cycle(TrxId trx) const {
  std::vector<TrxId> chain;
  for (TrxId next = waits_for(trx); next != 0; next = waits_for(next)) {
    const auto again = std::find(chain.begin(), chain.end(), next);
    if (again != chain.end()) return {again, chain.end()};
    chain.push_back(next);
  }
  return {};
}

std::size_t LockTable::structs(TrxId trx) const {
  const auto records = structs_.find(trx);
  const auto tables = intentions_.find(trx);
  return (records == structs_.end() ? 0 : records->second.shared.size() + records->second.own) +
         (tables == intentions_.end() ? 0 : tables->second.size());
}

}  // namespace picklock::mysql
