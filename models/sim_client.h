// A client of the simulation: the services of its machine that an algorithm may use
// (models/client.h), carried out on virtual time, simulated servers and named random streams. One
// object per thread of the process.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/lease_store/sim_client.h"
#include "models/mysql/sim_client.h"
#include "models/redis/sim_client.h"
#include "models/resource.h"
#include "models/sim_semaphore.h"
#include "models/zookeeper/sim_client.h"
#include "picklock/client.h"
#include "picklock/mysql.h"
#include "picklock/redis.h"
#include "picklock/zookeeper.h"
#include "sim/simulation.h"

namespace picklock::models {

// The state that the threads of one client process share.
class ClientMachine {
 public:
  // Each of the `groups` is one Redis server to the client, whichever member leads. `backwards`:
  // the client uses the groups in reverse order.
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             std::span<redis::Group> groups, redis::FindBy find_by, Resource& resource,
             const LockOptions& options, Duration write_timeout, history::KeyId lock_key,
             bool backwards = false);
  // The same for servers without replicas, simulated or not.
  void reset(history::RecordedSimulation& simulation, sim::Process& process,
             std::span<const redis::Node> servers, Resource& resource, const LockOptions& options,
             Duration write_timeout, history::KeyId lock_key);
  // Adds a connection to a lease store.
  void connect(lease_store::LeaseStore& store, const LockOptions& options);
  // Adds a ZooKeeper ensemble. The client tries the servers in turn, beginning with `first`; they
  // must outlive it.
  void connect(std::span<const ServerEnd> ensemble, const LockOptions& options, std::size_t first);
  // Adds MySQL servers, which must outlive it: the primary, and those that may take its place.
  void connect(std::span<const ServerEnd> servers, const LockOptions& options);
  void started();  // the process runs
  void forget();   // the process has crashed: its connections and beliefs are gone
  void clock_changed();

  // A thread of this process has learned that the tenure has lost its lock.
  void lose(history::TenureId tenure) { lost_.push_back(tenure); }
  bool has_lost(history::TenureId tenure) const;

  // The tenure believes that it holds until the process's `options.clock` shows `deadline`, even if
  // the process is paused; or until it has released.
  void believe_until(history::TenureId tenure, Duration deadline);
  void end_belief(history::TenureId tenure);

  // Looks up the leaders again after each `every` and follows them, on a thread of its own.
  void scan(Duration every);

  // The tenure whose message a listener is handling, if any.
  history::TenureId speaker() const;

  history::RecordedSimulation& simulation() const { return *simulation_; }
  sim::Process& process() const { return *process_; }
  redis::SimClient& redis(std::size_t server) { return redis_[server]; }
  redis::SimClient& redis_replica(std::size_t server) {
    return server < replicas_used_ ? replicas_[server] : redis_[server];
  }
  std::size_t redis_servers() const { return servers_; }
  bool can_scan() const { return discoveries_used_ > 0; }
  lease_store::SimClient& lease_store();
  zookeeper::SimClient& zookeeper();
  mysql::SimClient& mysql();
  ResourceClient& resource() { return resource_; }
  sim::Random& chance() { return chance_; }
  history::KeyId lock_key() const { return lock_key_; }

 private:
  // Its timer belongs to the engine, because the clock of a paused process keeps running.
  struct Deadline {
    ClientMachine* machine = nullptr;
    sim::TimerId timer = 0;
    history::TenureId tenure = 0;  // 0: free for another
    sim::ThreadId thread = 0;
    std::int64_t local = 0;
  };
  void begin(history::RecordedSimulation& simulation, sim::Process& process, std::size_t servers,
             const LockOptions& options);
  void reset_rest(Resource& resource, Duration write_timeout, history::KeyId lock_key);
  void arm(const Deadline& deadline);
  static void on_deadline(void* deadline, std::uint32_t);

  history::RecordedSimulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  sim::ClockKind clock_{};  // the clock of deadlines
  std::deque<redis::SimClient> redis_;
  std::deque<redis::SimClient> replicas_;  // the first replica of each group
  std::deque<redis::Discovery> discoveries_;
  std::size_t replicas_used_ = 0;
  std::size_t discoveries_used_ = 0;
  std::size_t servers_ = 0;
  lease_store::SimClient lease_store_;
  bool has_lease_store_ = false;
  zookeeper::SimClient zookeeper_;
  bool has_zookeeper_ = false;
  mysql::SimClient mysql_;
  bool has_mysql_ = false;
  ResourceClient resource_;
  sim::Random chance_;
  history::KeyId lock_key_ = 0;
  std::vector<history::TenureId> lost_;
  std::deque<Deadline> deadlines_;
  std::size_t deadlines_used_ = 0;
};

class SimClient final : public Client {
 public:
  explicit SimClient(ClientMachine& machine, std::uint32_t thread = 1)
      : machine_(machine), thread_(thread) {}

  std::string_view name() const override { return machine_.process().name(); }
  std::uint32_t thread() const override { return thread_; }
  redis::Client& redis(std::size_t server) override { return machine_.redis(server); }
  std::size_t redis_servers() const override { return machine_.redis_servers(); }
  redis::Client& redis_replica(std::size_t server) override {
    return machine_.redis_replica(server);
  }
  lease_store::Client& lease_store() override { return machine_.lease_store(); }
  zookeeper::Client& zookeeper() override { return machine_.zookeeper(); }
  mysql::Client& mysql() override { return machine_.mysql(); }
  Duration monotonic_now() override;
  Duration wall_now() override;
  void sleep(Duration length) override;
  bool sleep_interruptibly(Duration length) override;
  void spawn(std::function<void(Client&)> body) override;
  std::unique_ptr<Semaphore> semaphore(Awaits what) override;
  Tenancy tenancy() const override;
  void act_for(Tenancy tenancy) override;
  Duration random_between(Duration low, Duration high) override;
  std::string fresh_token() override;
  std::string machine_token() override;
  void mark(std::string_view name) override;
  void lost(const Lease& lease) override;
  void local_mutex(std::string_view key, bool locked) override;
  void believe_until(const Lease& lease, Duration deadline) override;

  // One operation of the history by this thread.
  void note(history::What what, history::Cause cause = history::Cause::command);

 private:
  ClientMachine& machine_;
  std::uint32_t thread_;
};

}  // namespace picklock::models
