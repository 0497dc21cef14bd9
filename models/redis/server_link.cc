#include "models/redis/server_link.h"

#include "models/redis/wire.h"

namespace picklock::redis {

void ServerLink::reset(sim::Simulation& simulation, sim::Process& self, const Node& server,
                       Discovery* discovery, std::uint32_t number) {
  discovery_ = discovery;
  aimed_at_ = server.process;
  caller_.reset(simulation, self, *server.process, *server.endpoint, protocol(), number);
}

bool ServerLink::find_server(sim::Duration patience, const sim::TimeLeft& left) {
  if (discovery_ == nullptr || caller_.connected()) return true;
  const Node* node = discovery_->find(patience, left);
  if (node == nullptr) return false;
  aimed_at_ = node->process;
  caller_.aim(*node->process, *node->endpoint);
  return true;
}

void ServerLink::follow(const Node& leader) {
  if (leader.process == aimed_at_) return;
  caller_.hang_up();
  aimed_at_ = leader.process;
  caller_.aim(*leader.process, *leader.endpoint);
}

}  // namespace picklock::redis
