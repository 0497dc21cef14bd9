#include "scenarios/promises.h"

#include <algorithm>

#include "models/verbs.h"
#include "picklock/client.h"

namespace picklock::scenarios {

using sim::Verb;

FaultClass class_of(const sim::Fault& fault, const Scenario& scenario) {
  const bool of_sentinel = fault.target.find("-sentinel-") != std::string::npos;
  const bool of_redis = fault.target.starts_with("redis-");
  const bool of_zookeeper = fault.target.starts_with("zookeeper-");
  const bool of_mysql = fault.target.starts_with("mysql-");
  const bool of_client = fault.target.starts_with("client-");
  const bool starts_again = fault.verb == Verb::restart || fault.lasts.has_value();
  switch (fault.verb) {
    case Verb::pause:
    case Verb::slow:
      return FaultClass::pause;
    case Verb::hold:
    case Verb::delay:
      return fault.trigger.role == Role::write ? FaultClass::late_write : FaultClass::late_command;
    case Verb::step_clock:
    case Verb::set_clock_rate:
      return of_client ? FaultClass::client_clock : FaultClass::server_clock;
    case Verb::crash:
    case Verb::restart:
      // Another server of the ensemble takes its place; only data that the machine forgets can be
      // missed.
      if (of_zookeeper)
        return fault.keeps == sim::Keeps::all || !starts_again ? FaultClass::failover
                                                               : FaultClass::amnesia;
      // A restarted server has forgotten its locks, whatever is on its disk.
      if (of_mysql) return starts_again ? FaultClass::amnesia : FaultClass::failover;
      if (!of_redis || of_sentinel || !starts_again) return FaultClass::crash;
      return fault.keeps == sim::Keeps::all && persists(scenario, fault.target)
                 ? FaultClass::crash
                 : FaultClass::amnesia;
    case Verb::partition:
    case Verb::heal:
      return FaultClass::partition;
    case Verb::drop:
    case Verb::duplicate:
      return FaultClass::lost_reply;
    case Verb::end_thread:
    case Verb::interrupt:
      return FaultClass::crash;
  }
  if (fault.verb == models::kFailOver) return FaultClass::failover;
  if (fault.verb == models::kEvict) return FaultClass::amnesia;
  return FaultClass::crash;
}

FaultClasses classes_met(const Scenario& scenario, const sim::Plan& faults) {
  FaultClasses met;
  for (const sim::Fault& fault : faults) met.add(class_of(fault, scenario));
  const RedisSpec& redis = scenario.servers.redis;
  const ZooKeeperSpec& zookeeper = scenario.servers.zookeeper;
  const bool servers_collect =
      redis.gc.every > Duration::zero() || zookeeper.gc.every > Duration::zero();
  if (servers_collect || scenario.clients.gc.every > Duration::zero()) met.add(FaultClass::pause);
  if (redis.clock_rate_ppb != 0 || scenario.servers.lease_store.clock_rate_ppb != 0 ||
      zookeeper.clock_rate_ppb != 0 || scenario.servers.mysql.clock_rate_ppb != 0)
    met.add(FaultClass::server_clock);
  for (const NodeSpec& node : redis.nodes) {
    if (node.clock_offset || node.clock_rate_ppb) met.add(FaultClass::server_clock);
  }
  // Sentinels replace a primary that is silent, whatever the cause.
  const bool a_server_suffers =
      std::any_of(faults.begin(), faults.end(),
                  [](const sim::Fault& fault) { return fault.target.starts_with("redis-"); });
  // A silent MySQL primary is replaced too, and it is not stopped.
  const bool mysql_suffers = std::any_of(faults.begin(), faults.end(), [](const sim::Fault& fault) {
    return fault.verb != Verb::step_clock &&
           (fault.target.starts_with("mysql-") || fault.verb == Verb::partition);
  });
  if (scenario.servers.mysql.settings.promote_after > Duration::zero() && mysql_suffers)
    met.add(FaultClass::failover);
  if (redis.sentinels > 0 && (a_server_suffers || servers_collect)) met.add(FaultClass::failover);
  return met;
}

FaultClasses classes_met(const Scenario& scenario) {
  return classes_met(scenario, scenario.faults);
}

Promises promises(const models::Algorithm& algorithm, const models::LockOptions& options,
                  FaultClasses met) {
  Promises all;
  for (const Promise& promise : algorithm.promises(options)) {
    Promised& said = all[static_cast<std::size_t>(promise.property)];
    for (std::size_t c = 0; c < kFaultClassCount; ++c) {
      const auto one = static_cast<FaultClass>(c);
      if (met.has(one) && !promise.under.has(one)) said.beyond.add(one);
    }
    said.promised = promise.under.covers(met);
    if (said.promised) said.premise = promise.premise;
  }
  return all;
}

}  // namespace picklock::scenarios
