// A client of the simulation: the services of its machine that an algorithm may use
// (models/client.h), carried out on virtual time, simulated servers and named random streams. One
// object per thread of the process.
#pragma once

#include <deque>
#include <typeinfo>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/sim_semaphore.h"
#include "models/client/tenures.h"
#include "models/locks/lock_options.h"
#include "models/resource/resource.h"
#include "models/servers/client_end.h"
#include "picklock/client.h"
#include "sim/simulation.h"

namespace picklock::models {

// The state that the threads of one client process share.
class ClientMachine {
 public:
  // A machine that is connected to the resource alone.
  void reset(history::RecordedSimulation& simulation, sim::Process& process, Resource& resource,
             const LockOptions& options, Duration write_timeout, const Tenures& tenures);
  // Adds the servers of one kind. The end must outlive the run.
  void connect(servers::ClientEnd& end) { ends_.push_back(&end); }
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
  // Searches the ends for this type. Throws std::logic_error if none has it.
  void* find(const std::type_info& type) const;
  bool can_scan() const;
  ResourceClient& resource() { return resource_; }
  sim::Random& chance() { return chance_; }
  // The lock that the running thread acts for.
  history::KeyId lock_key() const;

 private:
  // Its timer belongs to the engine, because the clock of a paused process keeps running.
  struct Deadline {
    sim::Timer timer;
    history::TenureId tenure = 0;  // 0: free for another
    sim::ThreadId thread = 0;
    std::int64_t local = 0;
  };
  void arm(Deadline& deadline);
  void on_deadline(std::uint32_t index);

  history::RecordedSimulation* simulation_ = nullptr;
  sim::Process* process_ = nullptr;
  sim::ClockKind clock_{};  // the clock of deadlines
  std::vector<servers::ClientEnd*> ends_;
  ResourceClient resource_;
  sim::Random chance_;
  const Tenures* tenures_ = nullptr;
  std::vector<history::TenureId> lost_;
  std::deque<Deadline> deadlines_;
  std::size_t deadlines_used_ = 0;
};

class SimClient final : public Client, private Witness {
 public:
  explicit SimClient(ClientMachine& machine, std::uint32_t thread = 1)
      : machine_(machine), thread_(thread) {}

  std::string_view name() const override { return machine_.process().name(); }
  std::uint32_t thread() const override { return thread_; }
  void* find_connection(const std::type_info& type) override { return machine_.find(type); }
  Duration monotonic_now() override;
  Duration wall_now() override;
  void sleep(Duration length) override;
  bool sleep_interruptibly(Duration length) override;
  void spawn(std::function<void(Client&)> body) override;
  std::unique_ptr<Semaphore> semaphore(Awaits what) override;
  Duration random_between(Duration low, Duration high) override;
  std::string fresh_token() override;
  std::string machine_token() override;
  void mark(std::string_view name) override;
  Witness& witness() override { return *this; }

  // One operation of the history by this thread.
  void note(history::What what, history::Cause cause = history::Cause::command);

 private:
  Tenancy tenancy() const override;
  void act_for(Tenancy tenancy) override;
  void record_loss(const Lease& lease) override;
  void believe_until(const Lease& lease, Duration deadline) override;
  void record_local_mutex(std::string_view key, bool locked) override;

  ClientMachine& machine_;
  std::uint32_t thread_;
};

}  // namespace picklock::models
