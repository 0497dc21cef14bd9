// Records the changes of a server's keys in the history, with the tenure that acted and the tenure
// that owned the entry. The tenure that sets a key anew owns it; one that alters it in place does
// not.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/tenures.h"
#include "models/redis/data_source.h"
#include "models/redis/entry.h"
#include "models/redis/server_clock.h"
#include "picklock/client.h"

namespace picklock::redis {

// On whose behalf commands run.
struct Actor {
  history::TenureId tenure = 0;  // 0: nobody's
  Role role = Role::none;
};

class EntryRecorder {
 public:
  EntryRecorder(const ServerClock& clock, const DataSource& source)
      : clock_(clock), source_(source) {}

  // For a new run.
  void reset(history::RecordedSimulation& simulation, const sim::Process& process,
             models::Tenures& tenures, models::Keys& keys);

  // --- the actor of later commands
  // Returns the one before.
  Actor act_for(const Actor& actor) { return std::exchange(actor_, actor); }
  const Actor& actor() const { return actor_; }
  // The actor requests the lock: the first request of a tenure takes its place in the order of
  // arrival.
  void arrived();
  // A request that is answered with an error, such as NOSCRIPT, takes no place: the next one does.
  void answered(const Actor& actor, bool error);

  std::string_view lock_key() const { return keys_->name(tenures_->lock_key()); }
  // Gives the entry the id by which the history knows its key, unless it has one.
  void name(Entry& entry);

  // A key was set that did not exist.
  void granted(const Entry& entry) {
    if (source_.recorded()) tenures_->granted(actor_.tenure, entry.id);
  }
  void note(history::What what, history::Cause cause, const Entry& entry, history::TenureId owner) {
    if (source_.recorded()) record(what, cause, entry, owner);
  }
  // Records the change even if the history does not have the server's entries now.
  void record(history::What what, history::Cause cause, const Entry& entry,
              history::TenureId owner);

 private:
  history::HistoryEvent queued(const Actor& actor) const;

  const ServerClock& clock_;
  const DataSource& source_;
  history::RecordedSimulation* simulation_ = nullptr;
  const sim::Process* process_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  models::Keys* keys_ = nullptr;
  Actor actor_;
};

}  // namespace picklock::redis
