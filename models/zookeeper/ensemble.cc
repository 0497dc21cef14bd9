#include "models/zookeeper/ensemble.h"

namespace picklock::zookeeper {

void Ensemble::reset(history::RecordedSimulation& simulation,
                     std::span<sim::Process* const> processes, models::Tenures& tenures,
                     std::span<const std::string> lock_keys, const Settings& settings,
                     bool outlives_session) {
  locks_.reset(simulation, processes.front()->id(), tenures, lock_keys, outlives_session);
  reset(simulation, processes, locks_, settings);
}

void Ensemble::reset(sim::Simulation& simulation, std::span<sim::Process* const> processes,
                     GrantRecorder& grants, const Settings& settings) {
  settings_ = settings;
  while (servers_.size() < processes.size()) servers_.emplace_back();
  peers_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    peers_.push_back(&servers_[i].peer());
    ends_.push_back({processes[i], &servers_[i]});
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    servers_[i].reset(simulation, *processes[i], grants, static_cast<ServerId>(i + 1), peers_,
                      settings_);
  }
}

Server* Ensemble::leader() {
  for (std::size_t i = 0; i < size(); ++i) {
    const QuorumPeer& peer = servers_[i].peer();
    if (peer.leads() && peer.serves()) return &servers_[i];
  }
  return nullptr;
}

}  // namespace picklock::zookeeper
