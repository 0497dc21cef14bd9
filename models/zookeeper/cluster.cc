#include "models/zookeeper/cluster.h"

#include <utility>

#include "models/zookeeper/kind.h"
#include "models/zookeeper/names.h"
#include "models/zookeeper/spec.h"

namespace picklock::zookeeper {

void Cluster::build(const servers::Site& site) {
  begin();
  const auto& spec = setting().specs->of<Spec>();
  Numbering numbering{.wraps = spec.sequence_wraps, .first = spec.first_sequence};
  for (const std::string& key : setting().lock_keys) numbering.paths.push_back(lock_path(key));
  ensemble_.reset(site.simulation, serving(site, kServerKind, spec.service), site.tenures,
                  setting().lock_keys,
                  {.tick = spec.tick,
                   .init_limit = spec.init_limit,
                   .sync_limit = spec.sync_limit,
                   .max_connections = spec.max_connections,
                   .fsync = spec.fsync,
                   .force_sync = spec.force_sync,
                   .wall_clock_expiry = spec.wall_clock_expiry,
                   .log_before_ack = spec.log_before_ack,
                   .numbering = std::move(numbering)},
                  setting().coordinated);
}

SimClient& Cluster::connect(const servers::Site& site, const servers::Seat& seat) {
  SimClient& end = next_end();
  end.reset(site.simulation, seat.process, ensemble_.ends(), seat.options, seat.number);
  return end;
}

}  // namespace picklock::zookeeper
