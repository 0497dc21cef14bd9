#include "models/lease_store/cluster.h"

#include "models/lease_store/kind.h"
#include "models/lease_store/spec.h"

namespace picklock::lease_store {

void Cluster::build(const servers::Site& site) {
  begin();
  const auto& spec = setting().specs->of<Spec>();
  store_.reset(site.simulation, *serving(site, kServerKind, spec.service).front(), site.tenures,
               site.keys, {.expire_after = spec.expire_after, .tick = spec.tick});
}

SimClient& Cluster::connect(const servers::Site& site, const servers::Seat& seat) {
  SimClient& end = next_end();
  end.reset(site.simulation, seat.process, store_, seat.options.command_timeout,
            seat.options.resend);
  return end;
}

}  // namespace picklock::lease_store
