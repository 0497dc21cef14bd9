#include "models/zookeeper/ensemble.h"

namespace picklock::zookeeper {

void Ensemble::reset(history::RecordedSimulation& simulation,
                     std::span<sim::Process* const> processes, models::Tenures& tenures,
                     std::span<const std::string> lock_keys, const Settings& settings,
                     bool outlives_session) {
  settings_ = settings;
  grants_.resize(lock_keys.size());
  for (std::size_t i = 0; i < lock_keys.size(); ++i)
    grants_[i].reset(simulation, processes.front()->id(), tenures,
                     {static_cast<history::KeyId>(i), lock_keys[i]}, outlives_session);
  while (servers_.size() < processes.size()) servers_.emplace_back();
  peers_.clear();
  ends_.clear();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    peers_.push_back(&servers_[i].peer());
    ends_.push_back({processes[i], &servers_[i]});
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    servers_[i].reset(simulation, *processes[i], grants_, static_cast<ServerId>(i + 1), peers_,
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
