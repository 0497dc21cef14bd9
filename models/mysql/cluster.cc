#include "models/mysql/cluster.h"

#include "models/locks/mysql/options.h"
#include "models/mysql/kind.h"
#include "models/mysql/spec.h"
#include "models/mysql/wire.h"

namespace picklock::mysql {

void Cluster::build(const servers::Site& site) {
  begin();
  const auto& spec = setting().specs->of<Spec>();
  Settings settings = spec.settings;
  if (const models::LockOptions* const lock = setting().lock)
    settings.rows = lock->of<models::locks::mysql::RowOptions>().rows;
  using OverBy = Grants::OverBy;
  group_.reset(site.simulation, serving(site, kServerKind, spec.service), site.tenures,
               setting().lock_keys, settings,
               setting().timed_by_clients ? OverBy::clients : OverBy::server,
               setting().ports.empty() ? nullptr : &site.keys);
}

bool Cluster::may_grant(const sim::Process& process) const {
  return !process.down() && group_.takes_writes(process);
}

std::vector<servers::Door> Cluster::doors() {
  std::vector<servers::Door> doors;
  for (const models::ServerEnd& end : group_.ends())
    doors.push_back({end.process, end.endpoint, &protocol()});
  return doors;
}

SimClient& Cluster::connect(const servers::Site& site, const servers::Seat& seat) {
  SimClient& end = next_end();
  const auto& spec = setting().specs->of<Spec>();
  const std::size_t first = spec.spread ? seat.number % spec.settings.primaries : 0;
  end.reset(site.simulation, seat.process, group_.ends(), seat.options, first);
  return end;
}

}  // namespace picklock::mysql
