#include "scenarios/fault_classes.h"

#include "models/verbs.h"

namespace picklock::scenarios {

using sim::Verb;

std::span<const FaultClassRow> fault_classes() {
  static const std::vector<FaultClassRow> kRows = {
      {FaultClass::pause,
       "a client or server pauses, or handles every message more slowly",
       {Verb::pause, Verb::slow},
       {"client", "redis", "resource", "replica", "sentinel", "store", "zookeeper", "coordinator",
        "mysql"}},
      {FaultClass::late_write,
       "a write to the resource arrives late",
       {Verb::delay, Verb::hold},
       {"resource message"}},
      {FaultClass::late_command,
       "a request to the lock server or its reply arrives late",
       {Verb::delay, Verb::hold},
       {"redis message", "store message", "zookeeper message", "mysql message"}},
      {FaultClass::client_clock,
       "a client's clock steps or runs at another rate",
       {Verb::step_clock, Verb::set_clock_rate},
       {"client"}},
      {FaultClass::server_clock,
       "a lock server's clock steps or runs at another rate",
       {Verb::step_clock, Verb::set_clock_rate},
       {"redis", "replica", "sentinel", "store", "zookeeper", "mysql"}},
      {FaultClass::failover,
       "a primary is lost and a replica is promoted, or a leader is lost and another is elected",
       {models::kFailOver, Verb::crash, Verb::restart},
       {"redis group", "zookeeper", "mysql"}},
      {FaultClass::amnesia,
       "a lock server restarts without its data, or forgets a key",
       {Verb::restart, Verb::crash, models::kEvict},
       {"redis", "replica", "zookeeper", "mysql"}},
      {FaultClass::partition,
       "some processes cannot communicate for a while",
       {Verb::partition, Verb::heal},
       {"client", "redis", "resource", "replica", "sentinel", "store", "zookeeper", "coordinator",
        "mysql"}},
      {FaultClass::lost_reply,
       "a message is lost with its connection, or sent twice",
       {Verb::drop, Verb::duplicate},
       {"redis message", "store message", "zookeeper message", "mysql message",
        "resource message"}},
      {FaultClass::crash,
       "a process or host dies, a thread ends or is interrupted, a session is killed",
       {Verb::crash, Verb::restart, Verb::end_thread, models::kKillSession, Verb::interrupt},
       {"client", "redis", "resource", "replica", "sentinel", "store", "coordinator"}},
  };
  return kRows;
}

}  // namespace picklock::scenarios
