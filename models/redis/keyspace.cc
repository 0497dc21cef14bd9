#include "models/redis/keyspace.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "history/recorded_simulation.h"
#include "models/redis/numbers.h"

namespace picklock::redis {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kCycle = 100 * kMillisecond;  // hz 10

}  // namespace

void Keyspace::reset(history::RecordedSimulation& simulation, sim::Process& process,
                     models::Tenures& tenures, models::Keys& keys) {
  if (simulation_ != &simulation) death_timers_.clear();
  simulation_ = &simulation;
  process_ = &process;
  tenures_ = &tenures;
  keys_ = &keys;
  if (index_.empty()) index_.emplace_back();
  for (auto& database : index_) database.clear();
  used_ = 0;
  last_found_ = nullptr;
  cycle_timer_.bind<&Keyspace::on_cycle>(simulation.scheduler, &process, *this);
  expiring_.clear();
  mourned_ = 0;
  changes_ = 0;
  frozen_ms_ = 0;
  actor_ = 0;
  role_ = Role::none;
  cycle_held_ = cycle_missed_ = false;
  replica_ = renounced_ = obeying_ = reloading_ = false;
  before_.clear();
  active_expiry_ = true;
  expiry_held_ = false;
  cursor_ = 0;
  chance_ = sim::Random(simulation.scheduler.record().seed(),
                        sim::mixed(process.hash() ^ sim::hash_of("keyspace")));
  // Each server has its own cycle phase and its own order of hash tables.
  sim::Random cycles(simulation.scheduler.record().seed(),
                     sim::mixed(process.hash() ^ sim::hash_of("cycle")));
  cycle_phase_ = cycles.between(sim::Duration(0), sim::Duration(kCycle - 1)).count();
  salt_ = cycles.next();
}

void Keyspace::halted() {
  cycle_held_ = cycle_missed_ = false;
  cycle_timer_.leave();
  active_expiry_ = true;
  expiry_held_ = false;
}

// ---------------------------------------------------------------- time

std::int64_t Keyspace::clock_ms() const {
  return simulation_->scheduler.local_time(*process_, sim::ClockKind::wall) / kMillisecond;
}

std::int64_t Keyspace::clock_us() const {
  return simulation_->scheduler.local_time(*process_, sim::ClockKind::wall) / 1000;
}

// The wall clock must show one millisecond more than the deadline (R13).
sim::Instant Keyspace::dies(const Entry& entry) const {
  constexpr std::int64_t kBeyond = INT64_MAX / kMillisecond - 1;
  if (!entry.has_deadline() || entry.deadline_ms >= kBeyond) return sim::kNever;
  return process_->clock().when(sim::ClockKind::wall, (entry.deadline_ms + 1) * kMillisecond,
                                simulation_->now());
}

// The history records a death at the instant of expiry, regardless of when the server notices and
// forgets the key.
void Keyspace::watch_death(Entry& entry) {
  if (!recorded()) return;
  while (death_timers_.size() <= entry.slot) {
    const auto slot = static_cast<std::uint32_t>(death_timers_.size());
    death_timers_.emplace_back().bind<&Keyspace::on_death>(simulation_->scheduler, nullptr, *this,
                                                           slot);
  }
  const sim::Instant at = dies(entry);
  if (at == sim::kNever) {
    death_timers_[entry.slot].disarm();
  } else {
    death_timers_[entry.slot].arm(at);
  }
}

void Keyspace::on_death(std::uint32_t slot) {
  if (reloading_) {
    record_death_before_reload(slot);
    return;
  }
  Entry& entry = entries_[slot];
  if (!entry.present || entry.mourned || replica_ || entry.alive(clock_ms())) return;
  entry.mourned = true;
  ++mourned_;
  const history::TenureId actor = std::exchange(actor_, 0);
  const Role role = std::exchange(role_, Role::none);
  note(history::What::entry_removed, history::Cause::expiry, entry, entry.owner);
  act_for(actor, role);
  await_cycle();
}

// A key that no command has touched since its death lives again when the clock is set back to
// before its deadline (R28).
void Keyspace::clock_changed() {
  if (!recorded()) return;
  act_for(0, Role::none);
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    if (!entry.present || !entry.has_deadline()) continue;
    if (entry.mourned && !entry.alive(clock_ms())) continue;
    if (recall(entry))
      note(history::What::entry_created, history::Cause::command, entry, entry.owner);
    watch_death(entry);
  }
}

// ---------------------------------------------------------------- physical expiry

void Keyspace::set_active_expiry(bool on) {
  active_expiry_ = on;
  if (on) await_cycle();
}

void Keyspace::hold_expiry(bool on) {
  expiry_held_ = on;
  if (!cycle_held_ && !on && std::exchange(cycle_missed_, false)) await_cycle();
}

void Keyspace::hold_cycle(bool on) {
  cycle_held_ = on;
  if (!expiry_held_ && !on && std::exchange(cycle_missed_, false)) await_cycle();
}

std::int64_t Keyspace::next_cycle(std::int64_t local) const {
  const std::int64_t since = local - cycle_phase_;
  const std::int64_t cycles = since / kCycle + (since % kCycle > 0 ? 1 : 0);
  return cycles * kCycle + cycle_phase_;
}

// The cycle runs on the server's event loop, by its monotonic clock, even if there is nothing to
// do. An event is spent only on a cycle that may find a dead key.
void Keyspace::await_cycle() {
  if (cycle_timer_.armed() || !active_expiry_ || replica_ || process_->down()) return;
  const std::int64_t now = simulation_->scheduler.local_time(*process_, sim::ClockKind::monotonic);
  cycle_timer_.arm_on(sim::ClockKind::monotonic, next_cycle(now + 1));
}

void Keyspace::on_cycle() {
  if (expiry_held_ || cycle_held_) {
    cycle_missed_ = true;
  } else {
    cycle();
  }
}

// The slot of the next key with a deadline, in the order of a hash table. That order is unrelated
// to the order of creation; here it is a permutation of all places, by their bits.
std::uint32_t Keyspace::next_to_look_at() {
  const auto size = static_cast<std::uint32_t>(expiring_.size());
  const unsigned bits = static_cast<unsigned>(std::bit_width(size - 1));
  const unsigned half = (bits + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (;;) {
    std::uint64_t place = cursor_++ & mask;
    for (const std::uint64_t odd : {0x9e3779b97f4a7c15ull, 0xbf58476d1ce4e5b9ull}) {
      place = (place * odd + salt_) & mask;
      place ^= place >> half;
    }
    if (place < size) return expiring_[place];
  }
}

// Checks twenty keys that have a deadline, and repeats while more than a tenth of them were dead.
// So a few dead keys among many live ones are left for very long (R22). It also ends when it has
// used its share of the processor, some thousands of keys (R21). (The real server checks its
// databases one by one; here they are one.)
void Keyspace::cycle() {
  constexpr std::size_t kSample = 20;
  constexpr std::size_t kAcceptedPercent = 10;
  constexpr std::size_t kMostInOneCycle = 6000;
  if (!active_expiry_ || replica_) return;
  const std::int64_t now = clock_ms();
  std::size_t removed = 0;
  bool stale = true;
  while (stale && removed < kMostInOneCycle && !expiring_.empty()) {
    // The sample is chosen first, because a removal moves another key into the free place.
    std::array<std::uint32_t, kSample> sample;
    const std::size_t count = std::min(kSample, expiring_.size());
    for (std::size_t i = 0; i < count; ++i) sample[i] = next_to_look_at();
    std::size_t dead = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Entry& entry = entries_[sample[i]];
      if (entry.alive(now)) continue;
      forget(entry);
      ++dead;
    }
    removed += dead;
    stale = dead * 100 / count > kAcceptedPercent;
  }
  if (mourned_ > 0) await_cycle();
}

void Keyspace::forget(Entry& entry) {
  const history::TenureId actor = std::exchange(actor_, 0);
  const Role role = std::exchange(role_, Role::none);
  remove(entry, history::Cause::expiry);
  act_for(actor, role);
  if (mourner_.self != nullptr) mourner_.forgotten(mourner_.self, entry.database, entry.key);
}

bool Keyspace::recall(Entry& entry) {
  if (!entry.mourned) return false;
  entry.mourned = false;
  --mourned_;
  return true;
}

// ---------------------------------------------------------------- keys

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
  if (!expiry_held_ && !replica_) forget(*entry);
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

history::KeyId Keyspace::id_of(std::uint32_t database, std::string_view key) {
  if (database == 0) return keys_->id(key);
  return keys_->id("db" + std::to_string(database) + ":" + std::string(key));
}

Value& Keyspace::put(std::uint32_t database, std::string_view key, Type type,
                     std::int64_t deadline_ms) {
  Entry& entry = slot(database, key);
  // A key that a script sees alive may have died meanwhile (R25).
  const bool existed = is_there(entry) && !entry.mourned;
  if (entry.present && !existed) forget(entry);
  const history::TenureId owner = existed ? entry.owner : 0;
  entry.value.become(type);
  entry.present = true;
  keep_deadline(entry, deadline_ms);
  entry.owner = actor_;
  ++entry.version;
  ++changes_;
  if (!std::exchange(entry.named, true)) entry.id = id_of(database, key);
  if (!existed && recorded()) tenures_->granted(actor_, entry.id);
  note(existed ? history::What::entry_altered : history::What::entry_created,
       history::Cause::command, entry, owner);
  if (deadline_ms != kNoDeadline) watch_death(entry);
  return entry.value;
}

void Keyspace::altered(Entry& entry) {
  ++entry.version;
  ++changes_;
  if (!entry.mourned)
    note(history::What::entry_altered, history::Cause::command, entry, entry.owner);
}

void Keyspace::keep_deadline(Entry& entry, std::int64_t deadline_ms) {
  const auto listed = [&] {
    return entry.place < expiring_.size() && expiring_[entry.place] == entry.slot;
  };
  entry.deadline_ms = deadline_ms;
  const bool wanted = entry.present && entry.has_deadline();
  if (wanted == listed()) return;
  if (wanted) {
    entry.place = static_cast<std::uint32_t>(expiring_.size());
    expiring_.push_back(entry.slot);
  } else {
    Entry& last = entries_[expiring_.back()];
    expiring_[entry.place] = last.slot;
    last.place = entry.place;
    expiring_.pop_back();
  }
}

void Keyspace::set_deadline(Entry& entry, std::int64_t deadline_ms) {
  keep_deadline(entry, deadline_ms);
  if (recall(entry)) {
    // Dead by the running clock, alive by the time a script began: this revives it (R25).
    ++entry.version;
    ++changes_;
    note(history::What::entry_created, history::Cause::command, entry, entry.owner);
  } else {
    altered(entry);
  }
  if (deadline_ms != kNoDeadline) watch_death(entry);
}

void Keyspace::remove(Entry& entry, history::Cause cause) {
  entry.present = false;
  keep_deadline(entry, kNoDeadline);
  // WATCH notices an expiry from the absence of the key.
  if (cause != history::Cause::expiry) {
    ++entry.version;
    ++changes_;
  }
  if (!recall(entry)) note(history::What::entry_removed, cause, entry, entry.owner);
  entry.owner = 0;
}

void Keyspace::rename(Entry& entry, std::string_view to) {
  const std::int64_t deadline_ms = entry.deadline_ms;
  Entry& target = slot(entry.database, to);
  if (&target == &entry) return;
  put(entry.database, to, entry.value.type(), deadline_ms);
  std::swap(target.value, entry.value);
  remove(entry);
}

void Keyspace::clear(std::uint32_t database) {
  for (std::uint32_t slot = 0; slot < slots(); ++slot) {
    Entry& entry = entries_[slot];
    if (!entry.present || entry.database != database) continue;
    // The removal of a dead key is no change (R27).
    if (is_there(entry)) {
      remove(entry);
    } else {
      forget(entry);
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
    if (in_history) note(history::What::entry_removed, history::Cause::command, entry, entry.owner);
    entry.database = entry.database == one ? other : one;
    entry.named = entry.present;
    if (entry.present) entry.id = id_of(entry.database, entry.key);
    if (in_history) note(history::What::entry_created, history::Cause::command, entry, entry.owner);
  }
}

Entry* Keyspace::any(std::uint32_t database) {
  const auto lives_there = [&](const Entry& entry) {
    return entry.database == database && entry.alive(frozen_ms_);
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
  if (!replica_) return nullptr;
  for (std::size_t slot = 0; slot < used_; ++slot) {
    if (entries_[slot].present && entries_[slot].database == database) return &entries_[slot];
  }
  return nullptr;
}

std::size_t Keyspace::size(std::uint32_t database) const {
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < used_; ++slot) {
    if (entries_[slot].present && entries_[slot].database == database) ++count;
  }
  return count;
}

std::size_t Keyspace::with_deadline(std::uint32_t database) const {
  std::size_t count = 0;
  for (std::uint32_t slot : expiring_) {
    if (entries_[slot].database == database) ++count;
  }
  return count;
}

std::size_t Keyspace::used_memory() const {
  constexpr std::size_t kEmptyServer = 1'000'000;
  constexpr std::size_t kPerKey = 96;
  std::size_t bytes = kEmptyServer;
  for (std::size_t slot = 0; slot < used_; ++slot) {
    const Entry& entry = entries_[slot];
    if (!entry.present) continue;
    bytes += kPerKey + entry.key.size() + entry.value.bytes();
  }
  return bytes;
}

void Keyspace::record(history::What what, history::Cause cause, const Entry& entry,
                      history::TenureId owner) {
  const bool removed = what == history::What::entry_removed;
  const bool gone = removed || !entry.has_deadline();
  if (removed) tenures_->removed(owner, entry.id);
  if (what == history::What::entry_altered) tenures_->altered(actor_, owner, entry.id);
  simulation_->recorder.note({.at = simulation_->now(),
                              .what = what,
                              .cause = cause,
                              .role = role_,
                              .holds = removed ? std::uint8_t{0} : holds(entry),
                              .process = process_->id(),
                              .tenure = actor_,
                              .owner = owner,
                              .key = entry.id,
                              .until = gone ? sim::kNever : dies(entry)});
}

std::uint8_t Keyspace::holds(const Entry& entry) {
  if (entry.value.type() != Type::hash) return 0;
  const Hash& hash = entry.value.hash();
  std::int64_t count = 0;
  const bool counts = hash.size() == 1 && strict_integer(hash.begin()->value, count);
  return counts && count > 0 && count <= UINT8_MAX ? static_cast<std::uint8_t>(count)
                                                   : std::uint8_t{0};
}

// A request for the lock: the first of its tenure takes the tenure's place in the order of arrival.
void Keyspace::arrived(history::TenureId tenure) {
  if (!recorded() || !tenures_->arrives(tenure)) return;
  simulation_->recorder.note({.at = simulation_->now(),
                              .what = history::What::queued,
                              .role = role_,
                              .process = process_->id(),
                              .tenure = tenure,
                              .key = tenures_->lock_key()});
}

}  // namespace picklock::redis
