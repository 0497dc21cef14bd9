// The clients of one process for all its Redis servers.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "models/redis/discovery.h"
#include "models/redis/group.h"
#include "models/redis/sharded_client.h"
#include "models/redis/sim_client.h"
#include "models/servers/client_end.h"
#include "models/servers/find_by.h"
#include "picklock/redis.h"

namespace picklock::redis {

class ClientEnd final : public servers::EndOf<Servers> {
 public:
  // Each of the `groups` is one Redis server to the process, whichever member leads. It uses those
  // of these numbers, in this order; all of them if it names none.
  void reset(sim::Simulation& simulation, sim::Process& self, std::span<Group> groups,
             servers::FindBy find_by, const models::LockOptions& options,
             std::span<const std::uint32_t> numbers = {});
  // The same for servers without replicas, simulated or not.
  void reset(sim::Simulation& simulation, sim::Process& self, std::span<const Node> servers,
             const models::LockOptions& options);

  // The same for the groups of a Redis Cluster, which are one server to the process.
  void reset(sim::Simulation& simulation, sim::Process& self, const Slots& slots, FirstMap map,
             std::size_t seed, const models::LockOptions& options);

  std::size_t size() const override { return cluster_ ? 1 : servers_; }
  Client& server(std::size_t index) override {
    return cluster_ ? static_cast<Client&>(sharded_) : clients_[index];
  }
  Client& replica(std::size_t index) override {
    return index < replicas_used_ ? replicas_[index] : server(index);
  }

  void forget() override;
  history::TenureId speaker() const override;
  bool discovers() const override { return discoveries_used_ > 0; }
  void refresh() override;

 private:
  void begin(std::size_t servers);
  Discovery& next_discovery();

  std::deque<SimClient> clients_;
  std::deque<SimClient> replicas_;  // the first replica of each group
  std::deque<Discovery> discoveries_;
  ShardedClient sharded_;
  bool cluster_ = false;
  std::size_t servers_ = 0;
  std::size_t replicas_used_ = 0;
  std::size_t discoveries_used_ = 0;
};

}  // namespace picklock::redis
