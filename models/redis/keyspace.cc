#include "models/redis/keyspace.h"

#include <algorithm>
#include <utility>

namespace picklock::redis {

void Keyspace::reset(history::RecordedSimulation& simulation, sim::Process& process,
                     models::Tenures& tenures, models::Keys& keys) {
  if (index_.empty()) index_.emplace_back();
  for (auto& database : index_) database.clear();
  used_ = 0;
  last_found_ = nullptr;
  changes_ = 0;
  chance_ = sim::Random(simulation.scheduler.record().seed(),
                        sim::mixed(process.hash() ^ sim::hash_of("keyspace")));
  clock_.reset(simulation.scheduler, process);
  source_.reset();
  recorder_.reset(simulation, process, tenures, keys);
  deaths_.reset(simulation);
  cycle_.reset(simulation, process);
}

inline Entry* Keyspace::find(std::uint32_t database, std::string_view key) {
  if (last_found_ != nullptr && last_found_->key == key && last_found_->database == database)
    return last_found_;
  if (database >= index_.size()) return nullptr;
  const auto found = index_[database].find(key);
  if (found == index_[database].end()) return nullptr;
  return last_found_ = &entries_[found->second];
}

Entry* Keyspace::live(std::uint32_t database, std::string_view key) {
  Entry* const entry = find(database, key);
  if (entry == nullptr || !entry->present) return nullptr;
  if (is_there(*entry)) return entry;
  if (!cycle_.holds_expiry() && !source_.is_replica()) forget(*entry);
  return nullptr;
}

Entry& Keyspace::slot(std::uint32_t database, std::string_view key) {
  if (Entry* const entry = find(database, key)) return *entry;
  while (index_.size() <= database) index_.emplace_back();
  const auto at = static_cast<std::uint32_t>(used_++);
  if (at == entries_.size()) entries_.emplace_back();
  Entry& entry = entries_[at];
  entry.key.assign(key);
  entry.deadline_ms = kNoDeadline;
  entry.version = 0;
  entry.database = database;
  entry.slot = at;
  entry.owner = 0;
  entry.named = entry.present = entry.mourned = false;
  index_[database].emplace(std::string_view(entry.key), at);
  return entry;
}

Value& Keyspace::put(std::uint32_t database, std::string_view key, Type type,
                     std::int64_t deadline_ms) {
  Entry& entry = slot(database, key);
  const bool there = is_there(entry);
  // A key that a script sees alive may have died meanwhile (R25): then the history has another one.
  const bool existed = there && !entry.mourned;
  if (entry.present && !existed) {
    if (there) {
      drop(entry);
    } else {
      forget(entry);
    }
  }
  const history::TenureId owner = existed ? entry.owner : 0;
  entry.value.become(type);
  entry.present = true;
  cycle_.keep_deadline(entry, deadline_ms);
  entry.owner = recorder_.actor().tenure;
  ++entry.version;
  ++changes_;
  recorder_.name(entry);
  if (!existed) recorder_.granted(entry);
  recorder_.note(existed ? history::What::entry_altered : history::What::entry_created,
                 history::Cause::command, entry, owner);
  if (deadline_ms != kNoDeadline) deaths_.watch(entry);
  return entry.value;
}

void Keyspace::altered(Entry& entry) {
  ++entry.version;
  ++changes_;
  if (!entry.mourned)
    recorder_.note(history::What::entry_altered, history::Cause::command, entry, entry.owner);
}

void Keyspace::set_deadline(Entry& entry, std::int64_t deadline_ms) {
  cycle_.keep_deadline(entry, deadline_ms);
  if (deaths_.recall(entry)) {
    // Dead by the running clock, alive by the time a script began: this revives it (R25).
    ++entry.version;
    ++changes_;
    recorder_.note(history::What::entry_created, history::Cause::command, entry, entry.owner);
  } else {
    altered(entry);
  }
  if (deadline_ms != kNoDeadline) deaths_.watch(entry);
}

void Keyspace::remove(Entry& entry, history::Cause cause) {
  entry.present = false;
  cycle_.keep_deadline(entry, kNoDeadline);
  // WATCH notices an expiry from the absence of the key.
  if (cause != history::Cause::expiry) {
    ++entry.version;
    ++changes_;
  }
  if (!deaths_.recall(entry))
    recorder_.note(history::What::entry_removed, cause, entry, entry.owner);
  entry.owner = 0;
}

// A removal by no client, which does not count as a change of the data (R27).
void Keyspace::drop(Entry& entry) {
  const Actor actor = recorder_.act_for({});
  remove(entry, history::Cause::expiry);
  recorder_.act_for(actor);
}

void Keyspace::forget(Entry& entry) {
  drop(entry);
  if (mourner_.self != nullptr) mourner_.forgotten(mourner_.self, entry.database, entry.key);
}

void Keyspace::move(Entry& entry, std::uint32_t database, std::string_view to) {
  const std::int64_t deadline_ms = entry.deadline_ms;
  Entry& target = slot(database, to);
  if (&target == &entry) return;
  put(database, to, entry.value.type(), deadline_ms);
  std::swap(target.value, entry.value);
  remove(entry);
}

void Keyspace::clear(std::uint32_t database) {
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    if (!entry.present || entry.database != database) continue;
    if (is_there(entry)) {
      remove(entry);
    } else {
      drop(entry);
    }
  }
}

void Keyspace::swap(std::uint32_t one, std::uint32_t other) {
  ++changes_;
  if (one == other) return;
  while (index_.size() <= std::max(one, other)) index_.emplace_back();
  std::swap(index_[one], index_[other]);
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    if (entry.database != one && entry.database != other) continue;
    const bool in_history = entry.present && !entry.mourned;
    if (in_history)
      recorder_.note(history::What::entry_removed, history::Cause::command, entry, entry.owner);
    entry.database = entry.database == one ? other : one;
    entry.named = false;
    if (entry.present) recorder_.name(entry);
    if (in_history)
      recorder_.note(history::What::entry_created, history::Cause::command, entry, entry.owner);
  }
}

Entry* Keyspace::any(std::uint32_t database) {
  const auto lives_there = [&](const Entry& entry) {
    return entry.database == database && entry.alive(clock_.frozen_ms());
  };
  std::uint64_t living = 0;
  for (std::size_t slot = 0; slot < used_; ++slot) living += lives_there(entries_[slot]) ? 1u : 0u;
  if (living == 0) return any_dead(database);
  std::uint64_t before = chance_.below(living);
  std::size_t slot = 0;
  while (!lives_there(entries_[slot]) || before-- > 0) ++slot;
  return &entries_[slot];
}

// A replica that finds nothing but dead keys answers with one of them in the end (R33).
Entry* Keyspace::any_dead(std::uint32_t database) {
  if (!source_.is_replica()) return nullptr;
  for (std::size_t slot = 0; slot < used_; ++slot) {
    if (entries_[slot].present && entries_[slot].database == database) return &entries_[slot];
  }
  return nullptr;
}

}  // namespace picklock::redis
