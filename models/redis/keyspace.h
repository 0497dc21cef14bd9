// The databases of one Redis server. A key with deadline D lives while the server's wall clock, in
// whole milliseconds, shows D or less, and is dead from D + 1 on (R13); setting a deadline that is
// not in the future deletes at once (R14). A dead key looks absent (R16) and is forgotten when
// something touches it (R23) or when the server's own cycle comes upon it (R20-R22).
//
// What happens to a key goes into the history with the tenure that did it and the tenure that owned
// the entry: who set it anew owns it, who alters it in place does not.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/keys.h"
#include "models/redis/value.h"
#include "models/tenures.h"
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
  std::uint32_t place = 0;  // among the keys with a deadline, if it has one
  history::TenureId owner = 0;
  history::KeyId id = 0;
  bool named = false;    // `id` is its key's
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

  // --- a new incarnation of the process: empty, to be filled as its disk has it. In between
  // nothing goes into the history; in the end, what has become of the entries that were there.
  void begin_reload(bool as_replica);
  // Entries that died meanwhile are forgotten at once, or as any dead ones.
  void end_reload(bool forgets_dead);

  // --- a replica's data are its master's: dead keys look absent and are left to the master (R33),
  // and nothing that happens to entries goes into the history, for nobody's lock depends on them
  bool replica() const { return replica_; }
  void become_replica();
  void become_master();  // what is there counts from now on (R34)
  // Commands that come from the master or from a log see dead keys as what they were then.
  void obey(bool on) { obeying_ = on; }
  bool obeying() const { return obeying_; }
  // Of a server that can serve nobody any more, while another serves in its place.
  void renounce();
  // Everything is gone, to be replaced by the master's data.
  void wipe();
  // A key as it was elsewhere; empty, of this type.
  Value& load(std::uint32_t database, std::string_view key, Type type, std::int64_t deadline_ms,
              history::TenureId owner);

  void halted();
  void clock_changed();

  // --- time
  // The running clock: TTLs and deadlines are counted by it, even inside a script (R25).
  std::int64_t clock_ms() const;
  std::int64_t clock_us() const;
  // Expiry is judged by the time at which the command, script or transaction began (R25, R26).
  std::int64_t now_ms() const { return frozen_ms_; }
  void freeze() { frozen_ms_ = clock_ms(); }
  void freeze_at(std::int64_t now_ms) { frozen_ms_ = now_ms; }

  // Counts what was done to the data, expiry apart: a command that leaves it as it was has changed
  // nothing (R31).
  std::uint64_t changes() const { return changes_; }
  // Who hears of every dead key that is forgotten; nullptr: nobody.
  struct Mourner {
    void* self = nullptr;
    void (*forgotten)(void* self, std::uint32_t database, std::string_view key) = nullptr;
  };
  void set_mourner(const Mourner& mourner) { mourner_ = mourner; }

  // --- who acts, from here on
  void act_for(history::TenureId tenure, std::uint8_t role) {
    actor_ = tenure;
    role_ = role;
  }
  history::TenureId actor() const { return actor_; }
  std::string_view lock_key() const { return keys_->name(tenures_->lock_key()); }
  void arrived(history::TenureId tenure);
  std::uint8_t role() const { return role_; }

  // --- keys
  // nullptr: there is none, or it is dead and forgotten now.
  Entry* live(std::uint32_t database, std::string_view key);
  // The slot of a key, present or not, for WATCH; slots are kept for the run.
  Entry& slot(std::uint32_t database, std::string_view key);
  // Set anew, whatever it held before (R8): empty, of this type, owned by who acts.
  Value& put(std::uint32_t database, std::string_view key, Type type,
             std::int64_t deadline_ms = kNoDeadline);
  // Its value was altered in place.
  void altered(Entry& entry);
  // `deadline_ms` must lie in the future; kNoDeadline: none.
  void set_deadline(Entry& entry, std::int64_t deadline_ms);
  void remove(Entry& entry, history::Cause cause = history::Cause::command);
  // The entry under another key, whose own is removed (RENAME).
  void rename(Entry& entry, std::string_view to);
  void clear(std::uint32_t database);
  void swap(std::uint32_t one, std::uint32_t other);  // their keys change places

  // Every slot in order of creation; some are not present, or are dead.
  std::uint32_t slots() const { return static_cast<std::uint32_t>(used_); }
  Entry& at(std::uint32_t slot) { return entries_[slot]; }
  // One of those that live, by chance; nullptr: there is none.
  Entry* any(std::uint32_t database);
  // Of what the server leaves to chance.
  sim::Random& chance() { return chance_; }
  // In memory: dead ones that nobody has touched count (R16).
  std::size_t size(std::uint32_t database) const;
  std::size_t with_deadline(std::uint32_t database) const;

  // About what the real server would take.
  std::size_t used_memory() const;

  // --- the server's own cycle, ten times a second
  void set_active_expiry(bool on);
  bool active_expiry() const { return active_expiry_; }
  // Keys that are dead look absent and stay in memory meanwhile (R107).
  void hold_expiry(bool on);
  // Nothing but the command under way runs on the event loop.
  void hold_cycle(bool on);
  // When it comes next, by the process's monotonic clock, at or after `local`.
  std::int64_t next_cycle(std::int64_t local) const;

 private:
  Entry* find(std::uint32_t database, std::string_view key);  // its slot, if it has one
  history::KeyId id_of(std::uint32_t database, std::string_view key);
  bool recorded() const { return !replica_ && !reloading_; }  // what happens to entries
  void note(history::What what, history::Cause cause, const Entry& entry, history::TenureId owner) {
    if (recorded()) record(what, cause, entry, owner);
  }
  void record(history::What what, history::Cause cause, const Entry& entry,
              history::TenureId owner);
  // What a re-entrant lock counts: the one field of a hash, if it is a small number; else 0.
  static std::uint8_t holds(const Entry& entry);
  void record_reload(Entry& entry, bool alive);
  void record_death_before_reload(std::uint32_t slot);
  sim::Instant dies(const Entry& entry) const;  // when it will be dead, on this clock
  bool is_there(const Entry& entry) const {
    return entry.alive(frozen_ms_) || (obeying_ && entry.present);
  }
  void watch_death(Entry& entry);
  void keep_deadline(Entry& entry, std::int64_t deadline_ms);
  // Whether its death was in the history; it is taken back.
  bool recall(Entry& entry);
  void forget(Entry& entry);  // dead by expiry
  static void on_death(void* self, std::uint32_t slot);
  static void on_cycle(void* self, std::uint32_t);
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
  Entry* last_found_ = nullptr;  // the commands of a lock come to the same key again and again
  std::vector<sim::TimerId> death_timers_;  // by slot
  std::vector<std::uint32_t> expiring_;     // slots of the keys with a deadline, of all databases
  std::size_t mourned_ = 0;                 // dead ones that are still in memory
  std::uint64_t changes_ = 0;
  Mourner mourner_;
  sim::Random chance_;
  std::int64_t frozen_ms_ = 0;
  history::TenureId actor_ = 0;
  std::uint8_t role_ = 0;

  sim::TimerId cycle_timer_ = 0;
  bool has_cycle_timer_ = false;
  bool cycle_awaited_ = false;
  bool replica_ = false;
  bool renounced_ = false;
  bool obeying_ = false;
  bool reloading_ = false;
  // Meanwhile, by slot: an entry as the history has it.
  struct Before {
    bool there = false;
    history::TenureId owner = 0;
    std::int64_t deadline_ms = kNoDeadline;
  };
  std::vector<Before> before_;
  bool active_expiry_ = true;
  bool expiry_held_ = false;
  bool cycle_held_ = false;
  bool cycle_missed_ = false;  // it came while it was held
  std::int64_t cycle_phase_ = 0;
  std::uint64_t salt_ = 0;  // of the order in which cycles look at keys
  std::uint32_t cursor_ = 0;
};

}  // namespace picklock::redis
