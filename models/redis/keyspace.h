// The databases of one Redis server. A key with deadline D lives while the server's wall clock, in
// whole milliseconds, shows D or less, and is dead from D + 1 on (R13). A deadline that is not in
// the future deletes at once (R14). A dead key looks absent (R16) and is forgotten when something
// touches it (R23) or when the server's own cycle finds it (R20-R22).
//
// The history records changes of a key with the tenure that acted and the tenure that owned the
// entry. The tenure that sets a key anew owns it; one that alters it in place does not.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/tenures.h"
#include "models/redis/value.h"
#include "picklock/client.h"
#include "sim/random.h"
#include "sim/simulation.h"

namespace picklock::redis {

inline constexpr std::int64_t kNoDeadline = INT64_MIN;
inline constexpr std::uint32_t kDatabases = 16;

struct Entry {
  std::string key;
  Value value;
  std::int64_t deadline_ms = kNoDeadline;
  std::uint64_t version = 0;  // counts what WATCH notices
  std::uint32_t database = 0;
  std::uint32_t slot = 0;
  std::uint32_t place = 0;  // index among the keys with a deadline, if it has one
  history::TenureId owner = 0;
  history::KeyId id = 0;
  bool named = false;    // `id` is set
  bool present = false;  // in memory, dead or alive
  bool mourned = false;  // its death by expiry is in the history already

  bool has_deadline() const { return deadline_ms != kNoDeadline; }
  bool alive(std::int64_t now_ms) const {
    return present && (now_ms <= deadline_ms || !has_deadline());
  }
};

class Keyspace {
 public:
  // Empty, for a new run.
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             models::Tenures& tenures, models::Keys& keys);

  // --- a new incarnation of the process: empty, to be filled from its disk. The history records
  // nothing in between; at the end it records what has become of the earlier entries.
  void begin_reload(bool as_replica);
  // `forgets_dead`: entries that died meanwhile are forgotten at once; otherwise like any dead
  // ones.
  void end_reload(bool forgets_dead);

  // --- a replica's data are its master's: dead keys look absent and are left to the master (R33).
  // The history does not record its entries, because no lock depends on them.
  bool replica() const { return replica_; }
  void become_replica();
  void become_master();  // the present entries count from now on (R34)
  // Commands that come from the master or from a log still see dead keys as alive.
  void obey(bool on) { obeying_ = on; }
  bool obeying() const { return obeying_; }
  // The server will serve no client again, because another serves in its place.
  void renounce();
  // Removes all keys, which the master's data will replace.
  void wipe();
  // Adds a key that is copied from another place: empty, of this type.
  Value& load(std::uint32_t database, std::string_view key, Type type, std::int64_t deadline_ms,
              history::TenureId owner);

  void halted();
  void clock_changed();

  // --- time
  // The running clock, which counts TTLs and deadlines even inside a script (R25).
  std::int64_t clock_ms() const;
  std::int64_t clock_us() const;
  // Expiry is judged by the time at which the command, script or transaction began (R25, R26).
  std::int64_t now_ms() const { return frozen_ms_; }
  void freeze() { frozen_ms_ = clock_ms(); }
  void freeze_at(std::int64_t now_ms) { frozen_ms_ = now_ms; }

  // Counts changes of the data except expiry: a command that does not advance it has changed
  // nothing (R31).
  std::uint64_t changes() const { return changes_; }
  // Is notified of every dead key that is forgotten; `forgotten` nullptr: there is none.
  struct Mourner {
    void* self = nullptr;
    void (*forgotten)(void* self, std::uint32_t database, std::string_view key) = nullptr;
  };
  void set_mourner(const Mourner& mourner) { mourner_ = mourner; }

  // --- the tenure and role of later commands
  void act_for(history::TenureId tenure, Role role) {
    actor_ = tenure;
    role_ = role;
  }
  history::TenureId actor() const { return actor_; }
  std::string_view lock_key() const { return keys_->name(tenures_->lock_key()); }
  void arrived(history::TenureId tenure);
  Role role() const { return role_; }

  // --- keys
  // nullptr: there is none, or it is dead, and now forgotten.
  Entry* live(std::uint32_t database, std::string_view key);
  // The slot of a key, present or not, for WATCH; slots are kept for the run.
  Entry& slot(std::uint32_t database, std::string_view key);
  // Sets a key anew regardless of its old value (R8): empty, of this type, owned by the acting
  // tenure.
  Value& put(std::uint32_t database, std::string_view key, Type type,
             std::int64_t deadline_ms = kNoDeadline);
  // Call after its value was altered in place.
  void altered(Entry& entry);
  // `deadline_ms` must lie in the future; kNoDeadline: none.
  void set_deadline(Entry& entry, std::int64_t deadline_ms);
  void remove(Entry& entry, history::Cause cause = history::Cause::command);
  // Moves the entry to another key, which it replaces (RENAME).
  void rename(Entry& entry, std::string_view to);
  void clear(std::uint32_t database);
  void swap(std::uint32_t one, std::uint32_t other);  // exchanges the keys of two databases

  // Every slot in order of creation; some are not present, or are dead.
  std::uint32_t slots() const { return static_cast<std::uint32_t>(used_); }
  Entry& at(std::uint32_t slot) { return entries_[slot]; }
  // A random live entry; nullptr: there is none.
  Entry* any(std::uint32_t database);
  // The random stream of the server's own choices.
  sim::Random& chance() { return chance_; }
  // Keys in memory, including dead ones that no command has touched (R16).
  std::size_t size(std::uint32_t database) const;
  std::size_t with_deadline(std::uint32_t database) const;

  // An estimate of the memory that the real server would use.
  std::size_t used_memory() const;

  // --- the server's own cycle, ten times a second
  void set_active_expiry(bool on);
  bool active_expiry() const { return active_expiry_; }
  // While on, dead keys look absent but stay in memory (R107).
  void hold_expiry(bool on);
  // While on, a running command keeps the cycle from the event loop.
  void hold_cycle(bool on);
  // The next cycle at or after `local`, by the process's monotonic clock.
  std::int64_t next_cycle(std::int64_t local) const;

 private:
  Entry* find(std::uint32_t database, std::string_view key);  // its slot, if it has one
  history::KeyId id_of(std::uint32_t database, std::string_view key);
  bool recorded() const { return !replica_ && !reloading_; }  // whether the history has its entries
  void note(history::What what, history::Cause cause, const Entry& entry, history::TenureId owner) {
    if (recorded()) record(what, cause, entry, owner);
  }
  void record(history::What what, history::Cause cause, const Entry& entry,
              history::TenureId owner);
  // The count of a re-entrant lock: the only field of a hash, if it is a small number; else 0.
  static std::uint8_t holds(const Entry& entry);
  void record_reload(Entry& entry, bool alive);
  void record_death_before_reload(std::uint32_t slot);
  sim::Instant dies(const Entry& entry) const;  // when it will be dead, on this clock
  bool is_there(const Entry& entry) const {
    return entry.alive(frozen_ms_) || (obeying_ && entry.present);
  }
  void watch_death(Entry& entry);
  void keep_deadline(Entry& entry, std::int64_t deadline_ms);
  // Takes back the entry's death by expiry; returns whether the history had it.
  bool recall(Entry& entry);
  void forget(Entry& entry);  // removes an expired entry
  void on_death(std::uint32_t slot);
  void on_cycle();
  void cycle();
  void await_cycle();
  std::uint32_t next_to_look_at();
  Entry* any_dead(std::uint32_t database);

  history::RecordedSimulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  models::Keys* keys_ = nullptr;

  std::deque<Entry> entries_;  // keeps its elements in place: indexes hold views of their keys
  std::size_t used_ = 0;
  std::vector<boost::unordered_flat_map<std::string_view, std::uint32_t>> index_;  // by database
  Entry* last_found_ = nullptr;          // the commands of a lock use the same key again and again
  std::deque<sim::Timer> death_timers_;  // by slot
  std::vector<std::uint32_t> expiring_;  // slots of the keys with a deadline, of all databases
  std::size_t mourned_ = 0;              // dead ones that are still in memory
  std::uint64_t changes_ = 0;
  Mourner mourner_;
  sim::Random chance_;
  std::int64_t frozen_ms_ = 0;
  history::TenureId actor_ = 0;
  Role role_{};

  sim::Timer cycle_timer_;
  bool replica_ = false;
  bool renounced_ = false;
  bool obeying_ = false;
  bool reloading_ = false;
  // While reloading, by slot: an entry as the history has it.
  struct Before {
    bool there = false;
    history::TenureId owner = 0;
    std::int64_t deadline_ms = kNoDeadline;
  };
  std::vector<Before> before_;
  bool active_expiry_ = true;
  bool expiry_held_ = false;
  bool cycle_held_ = false;
  bool cycle_missed_ = false;  // a cycle came due while cycles were held
  std::int64_t cycle_phase_ = 0;
  std::uint64_t salt_ = 0;  // of the order in which cycles look at keys
  std::uint32_t cursor_ = 0;
};

}  // namespace picklock::redis
