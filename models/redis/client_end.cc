#include "models/redis/client_end.h"

namespace picklock::redis {

void ClientEnd::begin(std::size_t servers) {
  servers_ = servers;
  replicas_used_ = discoveries_used_ = 0;
  while (clients_.size() < servers_) clients_.emplace_back();
}

void ClientEnd::reset(sim::Simulation& simulation, sim::Process& self, std::span<Group> groups,
                      servers::FindBy find_by, const models::LockOptions& options,
                      std::span<const std::uint32_t> numbers) {
  begin(numbers.empty() ? groups.size() : numbers.size());
  for (std::size_t i = 0; i < servers_; ++i) {
    Group& group = groups[numbers.empty() ? i : numbers[i]];
    Discovery* discovery = nullptr;
    if (group.replicas() > 0) {
      if (discoveries_used_ == discoveries_.size()) discoveries_.emplace_back();
      discovery = &discoveries_[discoveries_used_++];
      discovery->reset(simulation, self, group, find_by);
      if (replicas_used_ == replicas_.size()) replicas_.emplace_back();
      replicas_[replicas_used_++].reset(simulation, self, group.replica(0), options);
    }
    clients_[i].reset(simulation, self, group.primary(), options, discovery);
  }
}

void ClientEnd::reset(sim::Simulation& simulation, sim::Process& self,
                      std::span<const Node> servers, const models::LockOptions& options) {
  begin(servers.size());
  for (std::size_t i = 0; i < servers_; ++i)
    clients_[i].reset(simulation, self, servers[i], options);
}

void ClientEnd::forget() {
  for (SimClient& client : clients_) client.forget();
  for (SimClient& client : replicas_) client.forget();
  for (Discovery& discovery : discoveries_) discovery.forget();
}

history::TenureId ClientEnd::speaker() const {
  for (std::size_t i = 0; i < servers_; ++i) {
    if (clients_[i].speaker() != 0) return clients_[i].speaker();
  }
  return 0;
}

void ClientEnd::refresh() {
  for (std::size_t i = 0; i < servers_; ++i) clients_[i].refresh();
}

}  // namespace picklock::redis
