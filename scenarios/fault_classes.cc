#include "scenarios/fault_classes.h"

#include "models/servers/verbs.h"
#include "scenarios/process_kinds.h"

namespace picklock::scenarios {

using sim::Verb;

std::span<const FaultClassRow> fault_classes() {
  static const std::vector<FaultClassRow> kRows = {
      {FaultClass::pause,
       "a client or server pauses, or handles every message more slowly",
       {Verb::pause, Verb::slow}},
      {FaultClass::late_write, "a write to the resource arrives late", {Verb::delay, Verb::hold}},
      {FaultClass::late_command,
       "a request to the lock server or its reply arrives late",
       {Verb::delay, Verb::hold}},
      {FaultClass::client_clock,
       "a client's clock steps or runs at another rate",
       {Verb::step_clock, Verb::set_clock_rate}},
      {FaultClass::server_clock,
       "a lock server's clock steps or runs at another rate",
       {Verb::step_clock, Verb::set_clock_rate}},
      {FaultClass::failover,
       "a primary is lost and a replica is promoted, or a leader is lost and another is elected",
       {models::kFailOver, Verb::crash, Verb::restart}},
      {FaultClass::amnesia,
       "a lock server restarts without its data, or forgets a key",
       {Verb::restart, Verb::crash, models::kEvict}},
      {FaultClass::partition,
       "some processes cannot communicate for a while",
       {Verb::partition, Verb::heal}},
      {FaultClass::lost_reply,
       "a message is lost with its connection, or sent twice",
       {Verb::drop, Verb::duplicate}},
      {FaultClass::crash,
       "a process or host dies, a thread ends or is interrupted, a session is killed",
       {Verb::crash, Verb::restart, Verb::end_thread, models::kKillSession, Verb::interrupt}},
  };
  return kRows;
}

std::vector<FaultTarget> targets_of(FaultClass fault_class) {
  std::vector<FaultTarget> all;
  for (const servers::ProcessKind* kind : process_kinds()) {
    if (kind->drawn.has(fault_class)) all.push_back({kind, false});
  }
  // The messages of the lock first, then the writes.
  for (const servers::ProcessKind* kind : process_kinds()) {
    if (*kind != kResourceKind && kind->drawn_at_messages.has(fault_class))
      all.push_back({kind, true});
  }
  if (kResourceKind.drawn_at_messages.has(fault_class)) all.push_back({&kResourceKind, true});
  return all;
}

std::string name_of(const FaultTarget& target, FaultClass fault_class) {
  const servers::ProcessKind& kind = *target.kind;
  if (fault_class == FaultClass::failover && !kind.failover_word.empty())
    return std::string(kind.failover_word);
  return std::string(kind.name) + (target.message ? " message" : "");
}

}  // namespace picklock::scenarios
