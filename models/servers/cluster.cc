#include "models/servers/cluster.h"

namespace picklock::servers {

std::vector<sim::Process*> Cluster::serving(const Site& site, const ProcessKind& kind,
                                            sim::Duration service) const {
  std::vector<sim::Process*> found;
  for (std::uint32_t i = 0; i < setting_.processes.size(); ++i) {
    if (setting_.processes[i].kind != &kind) continue;
    found.push_back(&site.simulation.scheduler.processes().at(i));
    found.back()->set_service(service);
  }
  return found;
}

}  // namespace picklock::servers
