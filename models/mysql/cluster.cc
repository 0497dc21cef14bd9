#include "models/mysql/cluster.h"

#include "models/mysql/kind.h"
#include "models/mysql/spec.h"

namespace picklock::mysql {

void Cluster::build(const servers::Site& site) {
  begin();
  const auto& spec = setting().specs->of<Spec>();
  using OverBy = Grants::OverBy;
  group_.reset(site.simulation, serving(site, kServerKind, spec.service), site.tenures,
               setting().lock_keys, spec.settings,
               setting().timed_by_clients ? OverBy::clients : OverBy::server);
}

SimClient& Cluster::connect(const servers::Site& site, const servers::Seat& seat) {
  SimClient& end = next_end();
  end.reset(site.simulation, seat.process, group_.ends(), seat.options);
  return end;
}

}  // namespace picklock::mysql
