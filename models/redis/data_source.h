// Where the data of a server come from: from its own clients, from its disk at a start, or from its
// master. The history has a server's entries only while its own clients decide them: a replica's
// data are its master's, and no lock depends on them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/redis/entry.h"

namespace picklock::redis {

class Keyspace;

class DataSource {
 public:
  explicit DataSource(Keyspace& keys) : keys_(keys) {}

  void reset();  // for a new run

  // The process has ended, and neither a disk nor another server has its entries.
  void lose();

  // --- a new incarnation of the process: empty, to be filled from its disk. The history records
  // nothing in between; at the end it records what has become of the earlier entries.
  void begin_reload(bool as_replica);
  // `forgets_dead`: entries that died meanwhile are forgotten at once; otherwise like any dead
  // ones.
  void end_reload(bool forgets_dead);
  bool reloading() const { return reloading_; }
  // The history records the death of an earlier entry at its instant, even while the server is not
  // up.
  void record_death_before_reload(std::uint32_t slot);

  // --- on a replica, dead keys look absent and are left to the master (R33)
  bool is_replica() const { return replica_; }
  void become_replica();
  void become_master();  // the present entries count from now on (R34)
  // Commands that come from the master or from a log still see dead keys as alive.
  void obey(bool on) { obeying_ = on; }
  bool obeying() const { return obeying_; }
  // The server will serve no client again, because `successor` serves in its place. An entry that
  // the successor has, but finds dead by its own clock, has expired; otherwise the failover ends
  // it.
  void renounce(DataSource* successor = nullptr);

  // Whether the history has the server's entries.
  bool recorded() const { return !replica_ && !reloading_; }

  // --- data that are copied from another place
  // Removes all keys, which the master's data will replace.
  void wipe();
  // Adds a key: empty, of this type.
  Value& load(std::uint32_t database, std::string_view key, Type type, std::int64_t deadline_ms,
              history::TenureId owner);

 private:
  void record_reload(Entry& entry, bool alive);

  // Whether it has a copy of the entry, which is dead by its clock.
  bool has_dead(const Entry& entry) const;

  Keyspace& keys_;
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
};

}  // namespace picklock::redis
