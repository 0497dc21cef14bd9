#include "models/redis/client_end.h"

namespace picklock::redis {

void ClientEnd::begin(std::size_t servers) {
  servers_ = servers;
  replicas_used_ = discoveries_used_ = 0;
  cluster_ = false;
  while (clients_.size() < servers_) clients_.emplace_back();
}

Discovery& ClientEnd::next_discovery() {
  if (discoveries_used_ == discoveries_.size()) discoveries_.emplace_back();
  return discoveries_[discoveries_used_++];
}

void ClientEnd::reset(sim::Simulation& simulation, sim::Process& self, std::span<Group> groups,
                      servers::FindBy find_by, const models::LockOptions& options,
                      std::span<const std::uint32_t> numbers) {
  begin(numbers.empty() ? groups.size() : numbers.size());
  for (std::size_t i = 0; i < servers_; ++i) {
    Group& group = groups[numbers.empty() ? i : numbers[i]];
    Discovery* discovery = nullptr;
    if (group.replicas() > 0) {
      discovery = &next_discovery();
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

void ClientEnd::reset(sim::Simulation& simulation, sim::Process& self, const Slots& slots,
                      FirstMap map, std::size_t seed, const models::LockOptions& options) {
  begin(slots.groups().size());
  cluster_ = true;
  for (std::size_t i = 0; i < servers_; ++i) {
    Group& group = slots.groups()[i];
    Discovery& discovery = next_discovery();
    discovery.reset_in_cluster(simulation, self, slots, group);
    clients_[i].reset(simulation, self, group.primary(), options, &discovery);
  }
  sharded_.reset(slots, clients_, map, seed % servers_);
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
