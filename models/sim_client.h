// A client process of the simulation: what an algorithm may use of its machine (models/client.h),
// carried out on virtual time, simulated servers and named streams of chance. One object per thread
// of the process.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "models/client.h"
#include "models/lease_store/sim_client.h"
#include "models/redis/sim_client.h"
#include "models/resource.h"
#include "sim/simulation.h"

namespace picklock::models {

// What the threads of one client process share.
class ClientMachine {
 public:
  // `groups`: each is one Redis server to the client, whichever of them leads.
  void reset(sim::Simulation& simulation, sim::Process& process, std::span<redis::Group> groups,
             redis::FindBy find_by, Resource& resource, const LockOptions& options,
             Duration write_timeout, sim::KeyId lock_key);
  // A lease store there is besides.
  void connect(lease_store::LeaseStore& store, const LockOptions& options);
  void forget();  // the process has crashed: its connections are gone

  // A thread of this process has learned that the tenure has lost its lock.
  void lose(sim::TenureId tenure) { lost_ = tenure; }
  bool has_lost(sim::TenureId tenure) const { return lost_ == tenure; }

  sim::Simulation& simulation() const { return *simulation_; }
  sim::Process& process() const { return *process_; }
  redis::SimClient& redis(std::size_t server) { return redis_[server]; }
  redis::SimClient& redis_replica(std::size_t server) {
    return server < replicas_used_ ? replicas_[server] : redis_[server];
  }
  std::size_t redis_servers() const { return servers_; }
  lease_store::SimClient& lease_store();
  ResourceClient& resource() { return resource_; }
  sim::Random& chance() { return chance_; }
  sim::KeyId lock_key() const { return lock_key_; }

 private:
  sim::Simulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  std::deque<redis::SimClient> redis_;
  std::deque<redis::SimClient> replicas_;  // of each group the first
  std::deque<redis::Discovery> discoveries_;
  std::size_t replicas_used_ = 0;
  std::size_t discoveries_used_ = 0;
  std::size_t servers_ = 0;
  lease_store::SimClient lease_store_;
  bool has_lease_store_ = false;
  ResourceClient resource_;
  sim::Random chance_;
  sim::KeyId lock_key_ = 0;
  sim::TenureId lost_ = 0;  // the one that learned of it last
};

class SimClient final : public Client {
 public:
  explicit SimClient(ClientMachine& machine) : machine_(machine) {}

  std::string_view name() const override { return machine_.process().name(); }
  redis::Client& redis(std::size_t server) override { return machine_.redis(server); }
  std::size_t redis_servers() const override { return machine_.redis_servers(); }
  redis::Client& redis_replica(std::size_t server) override {
    return machine_.redis_replica(server);
  }
  lease_store::Client& lease_store() override { return machine_.lease_store(); }
  Duration monotonic_now() override;
  Duration wall_now() override;
  void sleep(Duration length) override;
  void spawn(std::function<void(Client&)> body) override;
  Duration random_between(Duration low, Duration high) override;
  std::string fresh_token() override;
  std::string machine_token() override;
  void mark(std::string_view name) override;
  void lost(const Lease& lease) override;

  // One operation of the history by this thread.
  void note(sim::What what);

 private:
  ClientMachine& machine_;
};

}  // namespace picklock::models
