// The databases of one Redis server. A deadline that is not in the future deletes at once (R14). A
// dead key looks absent (R16) and is forgotten when something touches it (R23) or when the server's
// own cycle finds it (R20-R22).
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
#include "models/redis/data_source.h"
#include "models/redis/deaths.h"
#include "models/redis/entry.h"
#include "models/redis/entry_recorder.h"
#include "models/redis/expiry_cycle.h"
#include "models/redis/server_clock.h"
#include "models/redis/value.h"
#include "sim/random.h"
#include "sim/text_hash.h"

namespace picklock::redis {

class Keyspace {
 public:
  // Empty, for a new run.
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             models::Tenures& tenures, models::Keys& keys);

  // --- its parts
  ServerClock& clock() { return clock_; }
  DataSource& source() { return source_; }
  EntryRecorder& recorder() { return recorder_; }
  Deaths& deaths() { return deaths_; }
  ExpiryCycle& cycle() { return cycle_; }

  // Counts changes of the data except expiry: a command that does not advance it has changed
  // nothing (R31).
  std::uint64_t changes() const { return changes_; }
  // Is notified of every dead key that is forgotten; `forgotten` nullptr: there is none.
  struct Mourner {
    void* self = nullptr;
    void (*forgotten)(void* self, std::uint32_t database, std::string_view key) = nullptr;
  };
  void set_mourner(const Mourner& mourner) { mourner_ = mourner; }

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
  void forget(Entry& entry);  // removes an expired entry
  // Moves the entry to another key, which it replaces (RENAME), also of another database.
  void rename(Entry& entry, std::string_view to) { move(entry, entry.database, to); }
  void move(Entry& entry, std::uint32_t database, std::string_view to);
  void clear(std::uint32_t database);
  void swap(std::uint32_t one, std::uint32_t other);  // exchanges the keys of two databases

  // Every slot in order of creation; some are not present, or are dead.
  std::uint32_t slots() const { return static_cast<std::uint32_t>(used_); }
  Entry& at(std::uint32_t slot) { return entries_[slot]; }
  const Entry& at(std::uint32_t slot) const { return entries_[slot]; }
  // A random live entry; nullptr: there is none.
  Entry* any(std::uint32_t database);
  // The random stream of the server's own choices.
  sim::Random& chance() { return chance_; }

 private:
  Entry* find(std::uint32_t database, std::string_view key);  // its slot, if it has one
  bool is_there(const Entry& entry) const {
    return entry.alive(clock_.frozen_ms()) || (source_.obeying() && entry.present);
  }
  Entry* any_dead(std::uint32_t database);
  void drop(Entry& entry);  // removes an expired entry and notifies nobody

  ServerClock clock_;
  DataSource source_{*this};
  EntryRecorder recorder_{clock_, source_};
  Deaths deaths_{*this};
  ExpiryCycle cycle_{*this};

  std::deque<Entry> entries_;  // keeps its elements in place: others point to them
  std::size_t used_ = 0;
  // By database.
  std::vector<boost::unordered_flat_map<std::string_view, std::uint32_t, sim::TextHash>> index_;
  Entry* last_found_ = nullptr;  // the commands of a lock use the same key again and again
  std::uint64_t changes_ = 0;
  Mourner mourner_;
  sim::Random chance_;
};

}  // namespace picklock::redis
