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
  const std::vector<sim::Process*> processes = serving(site, kServerKind, spec.service);
  const Settings settings{.tick = spec.tick,
                          .init_limit = spec.init_limit,
                          .sync_limit = spec.sync_limit,
                          .max_connections = spec.max_connections,
                          .fsync = spec.fsync,
                          .force_sync = spec.force_sync,
                          .wall_clock_expiry = spec.wall_clock_expiry,
                          .log_before_ack = spec.log_before_ack,
                          .numbering = std::move(numbering)};
  if (setting().ports.empty()) {
    ensemble_.reset(site.simulation, processes, site.tenures, setting().lock_keys, settings,
                    setting().coordinated);
    return;
  }
  any_lock_.reset(site.simulation, processes.front()->id(), site.tenures, site.keys);
  ensemble_.reset(site.simulation, processes, any_lock_, settings);
}

std::vector<servers::Door> Cluster::doors() {
  std::vector<servers::Door> doors;
  for (const models::ServerEnd& end : ensemble_.ends())
    doors.push_back({end.process, end.endpoint, &protocol()});
  return doors;
}

SimClient& Cluster::connect(const servers::Site& site, const servers::Seat& seat) {
  SimClient& end = next_end();
  end.reset(site.simulation, seat.process, ensemble_.ends(), seat.options, seat.number);
  return end;
}

}  // namespace picklock::zookeeper
