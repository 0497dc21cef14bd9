#include "models/redis/data_source.h"

#include <utility>

#include "models/redis/keyspace.h"

namespace picklock::redis {

void DataSource::reset() {
  replica_ = renounced_ = obeying_ = reloading_ = false;
  before_.clear();
}

void DataSource::lose() {
  keys_.recorder().act_for({});
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    Entry& entry = keys_.at(slot);
    if (entry.present) keys_.remove(entry, history::Cause::crash);
  }
}

// ---------------------------------------------------------------- a new incarnation

void DataSource::begin_reload(bool as_replica) {
  keys_.recorder().act_for({});
  // An incarnation that ended while it was loading had no entries yet.
  const bool anew = !std::exchange(reloading_, true);
  before_.resize(keys_.slots());
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    Entry& entry = keys_.at(slot);
    if (anew) {
      before_[slot] = {.there = entry.present && !entry.mourned && !replica_ && !renounced_,
                       .owner = entry.owner,
                       .deadline_ms = entry.deadline_ms};
    }
    if (!entry.present) continue;
    keys_.deaths().recall(entry);
    keys_.remove(entry, history::Cause::restart);
  }
  replica_ = renounced_ = as_replica;
}

void DataSource::record_death_before_reload(std::uint32_t slot) {
  if (slot >= before_.size() || !before_[slot].there) return;
  if (keys_.clock().ms() <= before_[slot].deadline_ms) return;
  before_[slot].there = false;
  EntryRecorder& recorder = keys_.recorder();
  recorder.act_for({});
  recorder.record(history::What::entry_removed, history::Cause::expiry, keys_.at(slot),
                  before_[slot].owner);
}

void DataSource::end_reload(bool forgets_dead) {
  keys_.recorder().act_for({});
  const std::int64_t now = keys_.clock().ms();
  before_.resize(keys_.slots());
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    Entry& entry = keys_.at(slot);
    const bool alive = entry.alive(now);
    if (entry.present && !alive && forgets_dead) keys_.forget(entry);
    record_reload(entry, alive && !replica_);
  }
  reloading_ = false;
  before_.clear();
  if (replica_) return;
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    Entry& entry = keys_.at(slot);
    if (entry.alive(now)) {
      if (entry.has_deadline()) keys_.deaths().watch(entry);
    } else if (entry.present) {
      keys_.deaths().mourn(entry);
    }
  }
  if (keys_.deaths().any()) keys_.cycle().await();
}

// An entry that is the same as before is not recorded. With another owner it is another entry.
void DataSource::record_reload(Entry& entry, bool alive) {
  const Before& before = before_[entry.slot];
  EntryRecorder& recorder = keys_.recorder();
  if (alive) recorder.name(entry);
  const bool same = before.there && alive && before.owner == entry.owner;
  if (before.there && !same)
    recorder.record(history::What::entry_removed, history::Cause::restart, entry, before.owner);
  if (alive && !same) {
    recorder.record(history::What::entry_created, history::Cause::restart, entry, entry.owner);
  } else if (same && before.deadline_ms != entry.deadline_ms) {
    recorder.record(history::What::entry_altered, history::Cause::restart, entry, entry.owner);
  }
}

// ---------------------------------------------------------------- a change of roles

void DataSource::become_replica() {
  if (replica_) return;
  renounce();
  replica_ = true;
}

void DataSource::become_master() {
  if (!replica_) return;
  replica_ = renounced_ = false;
  EntryRecorder& recorder = keys_.recorder();
  recorder.act_for({});
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    Entry& entry = keys_.at(slot);
    if (!entry.present) continue;
    recorder.name(entry);
    if (entry.alive(keys_.clock().ms())) {
      recorder.note(history::What::entry_created, history::Cause::failover, entry, entry.owner);
      if (entry.has_deadline()) keys_.deaths().watch(entry);
    } else {
      keys_.deaths().mourn(entry);
    }
  }
  if (keys_.deaths().any()) keys_.cycle().await();
}

void DataSource::renounce(DataSource* successor) {
  if (std::exchange(renounced_, true)) return;
  EntryRecorder& recorder = keys_.recorder();
  recorder.act_for({});
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    Entry& entry = keys_.at(slot);
    if (!entry.present || keys_.deaths().recall(entry)) continue;
    const bool expired = successor != nullptr && successor->has_dead(entry);
    recorder.note(history::What::entry_removed,
                  expired ? history::Cause::expiry : history::Cause::failover, entry, entry.owner);
  }
}

bool DataSource::has_dead(const Entry& entry) const {
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    const Entry& copy = keys_.at(slot);
    if (copy.present && copy.key == entry.key && copy.database == entry.database &&
        copy.owner == entry.owner)
      return !copy.alive(keys_.clock().ms());
  }
  return false;
}

void DataSource::wipe() {
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    if (keys_.at(slot).present) keys_.remove(keys_.at(slot));
  }
}

Value& DataSource::load(std::uint32_t database, std::string_view key, Type type,
                        std::int64_t deadline_ms, history::TenureId owner) {
  Entry& entry = keys_.slot(database, key);
  entry.value.become(type);
  entry.present = true;
  keys_.cycle().keep_deadline(entry, deadline_ms);
  entry.owner = owner;
  ++entry.version;
  return entry.value;
}

}  // namespace picklock::redis
