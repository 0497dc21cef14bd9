#include "models/redis/propagation.h"

#include "models/redis/executor.h"
#include "models/redis/persistence.h"
#include "models/redis/replication.h"

namespace picklock::redis {

bool Call::replicates() const { return server.effects.wanted(); }

void Call::replicate(Argv command) {
  replicated = true;
  server.effects.add(session.database, command);
}

void Call::replicate_deadline(Argv absolute) {
  if (!server.effects.relative_expiry()) return replicate(absolute);
  replicated = true;
  server.effects.add_for_file(session.database, absolute);
  server.effects.add_for_replicas(session.database, argv);
}

// A write is on the master's disk before it is on its way, as it is before it is answered (R95).
void Propagation::hand_on() {
  const Actor& actor = keys_.recorder().actor();
  if (persistence_.logs()) persistence_.log(effects_, actor.tenure, actor.role);
  replication_.replicas().propagate(effects_, actor.tenure, actor.role);
  effects_.clear();
}

void Propagation::receivers_changed() {
  effects_.want(replication_.replicas().wants_effects() || persistence_.logs());
}

// Such a key goes as a command of its own; if a command has come upon it, with that command (R119).
void Propagation::forget(std::uint32_t database, std::string_view key) {
  if (!effects_.wanted()) return;
  effects_.add(database, {"DEL", key});
  if (executor_.answering() == nullptr) hand_on();
}

}  // namespace picklock::redis
