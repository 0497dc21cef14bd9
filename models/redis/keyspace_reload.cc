// The data of a server is replaced: by its disk at a start, and by a change of roles.
#include <utility>

#include "models/redis/keyspace.h"

namespace picklock::redis {

// ---------------------------------------------------------------- a new incarnation

void Keyspace::begin_reload(bool as_replica) {
  act_for(0, Role::none);
  // An incarnation that ended while it was loading had no entries yet.
  const bool anew = !std::exchange(reloading_, true);
  before_.resize(slots());
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    if (anew) {
      before_[slot] = {.there = entry.present && !entry.mourned && !replica_ && !renounced_,
                       .owner = entry.owner,
                       .deadline_ms = entry.deadline_ms};
    }
    if (!entry.present) continue;
    recall(entry);
    remove(entry, history::Cause::restart);
  }
  replica_ = renounced_ = as_replica;
}

// The history records the death at its instant, even while the server is not up.
void Keyspace::record_death_before_reload(std::uint32_t slot) {
  if (slot >= before_.size() || !before_[slot].there) return;
  if (clock_ms() <= before_[slot].deadline_ms) return;
  before_[slot].there = false;
  act_for(0, Role::none);
  record(history::What::entry_removed, history::Cause::expiry, entries_[slot], before_[slot].owner);
}

void Keyspace::end_reload(bool forgets_dead) {
  act_for(0, Role::none);
  const std::int64_t now = clock_ms();
  before_.resize(slots());
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    const bool alive = entry.alive(now);
    if (entry.present && !alive && forgets_dead) forget(entry);
    record_reload(entry, alive && !replica_);
  }
  reloading_ = false;
  before_.clear();
  if (replica_) return;
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    if (entry.alive(now)) {
      if (entry.has_deadline()) watch_death(entry);
    } else if (entry.present) {
      entry.mourned = true;
      ++mourned_;
    }
  }
  if (mourned_ > 0) await_cycle();
}

// An entry that is the same as before is not recorded. With another owner it is another entry.
void Keyspace::record_reload(Entry& entry, bool alive) {
  const Before& before = before_[entry.slot];
  if (alive && !std::exchange(entry.named, true)) entry.id = id_of(entry.database, entry.key);
  const bool same = before.there && alive && before.owner == entry.owner;
  if (before.there && !same)
    record(history::What::entry_removed, history::Cause::restart, entry, before.owner);
  if (alive && !same) {
    record(history::What::entry_created, history::Cause::restart, entry, entry.owner);
  } else if (same && before.deadline_ms != entry.deadline_ms) {
    record(history::What::entry_altered, history::Cause::restart, entry, entry.owner);
  }
}

// ---------------------------------------------------------------- a change of roles

void Keyspace::become_replica() {
  if (replica_) return;
  renounce();
  replica_ = true;
}

void Keyspace::become_master() {
  if (!replica_) return;
  replica_ = renounced_ = false;
  act_for(0, Role::none);
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    if (!entry.present) continue;
    if (!std::exchange(entry.named, true)) entry.id = id_of(entry.database, entry.key);
    if (entry.alive(clock_ms())) {
      note(history::What::entry_created, history::Cause::failover, entry, entry.owner);
      if (entry.has_deadline()) watch_death(entry);
    } else {
      entry.mourned = true;
      ++mourned_;
    }
  }
  if (mourned_ > 0) await_cycle();
}

void Keyspace::renounce() {
  if (std::exchange(renounced_, true)) return;
  act_for(0, Role::none);
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    if (entry.present && !recall(entry))
      note(history::What::entry_removed, history::Cause::failover, entry, entry.owner);
  }
}

void Keyspace::wipe() {
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    if (entries_[slot].present) remove(entries_[slot]);
  }
}

Value& Keyspace::load(std::uint32_t database, std::string_view key, Type type,
                      std::int64_t deadline_ms, history::TenureId owner) {
  Entry& entry = slot(database, key);
  entry.value.become(type);
  entry.present = true;
  keep_deadline(entry, deadline_ms);
  entry.owner = owner;
  ++entry.version;
  return entry.value;
}

}  // namespace picklock::redis
