// Clients on simulated machines, and real servers, in real time: what the worlds of all servers
// have in common. Test-only.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conform/real/real_time.h"
#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/sim_client.h"
#include "models/client/tenures.h"
#include "outside/true_time.h"
#include "picklock/client.h"

namespace picklock::conform::real {

// `World` derives from this and adds its servers.
template <typename World>
class RealClients {
 public:
  using Body = std::function<void(World& world, picklock::Client& self)>;

  // A thread of client 1, 2, ...
  sim::Thread& client(std::uint32_t number, Body body) {
    return simulation.scheduler.threads().spawn(
        process(number),
        [this, number, run = std::move(body)] {
          simulation.scheduler.running()->tag = tenures.begin();
          models::SimClient self(machines[number - 1]);
          run(static_cast<World&>(*this), self);
        },
        true);
  }

  // The process of the client ends here, with all its threads; from a thread of another.
  void crash(std::uint32_t number) {
    simulation.network.crash(process(number), false, false);
    simulation.scheduler.processes().halt(process(number), false);
    machines[number - 1].forget();
  }
  void pause(std::uint32_t number) { simulation.scheduler.processes().pause(process(number)); }
  void resume(std::uint32_t number) { simulation.scheduler.processes().resume(process(number)); }

  // The calling thread, one of this client's, has been told that its lock is lost.
  bool has_lost(std::uint32_t number) {
    return machines[number - 1].has_lost(simulation.scheduler.running()->tag);
  }

  void run() { simulation.scheduler.run(); }
  // However the run fails, it ends then: what a test should have found is missing.
  void run_for(sim::Duration longest) {
    sim::Scheduler& scheduler = simulation.scheduler;
    sim::Timer end;
    end.bind<&sim::Scheduler::stop>(scheduler, nullptr, scheduler);
    end.arm(sim::kStart + longest);
    run();
  }

  sim::Process& process(std::uint32_t number) {
    return simulation.scheduler.processes().at(number - 1);
  }

  // Room for what looks at servers from within a thread.
  history::RecordedSimulation simulation{std::size_t{512} << 10};
  std::unique_ptr<RealTime> time;
  models::Tenures tenures;
  models::Keys keys;
  models::Resource resource;
  std::deque<models::ClientMachine> machines;

 protected:
  RealClients(std::size_t clients, std::string lock) : lock_(std::move(lock)) {
    simulation.reset(static_cast<std::uint64_t>(getpid()));
    time = std::make_unique<RealTime>(simulation);
    keys.reset();
    tenures.reset(keys.id(lock_));
    for (std::size_t i = 1; i <= clients; ++i)
      simulation.scheduler.processes().add("client-" + std::to_string(i),
                                           outside::true_time_offset());
  }

  // Once all servers have been added. Each client has the options of its lock.
  void add_machines(const std::vector<models::LockOptions>& options) {
    sim::Scheduler& scheduler = simulation.scheduler;
    resource.reset(simulation, scheduler.processes().add("resource"), tenures, {});
    const auto clients = static_cast<std::uint32_t>(options.size());
    for (std::uint32_t i = 0; i < clients; ++i) {
      machines.emplace_back().reset(simulation, scheduler.processes().at(i), resource, options[i],
                                    options[i].command_timeout, tenures);
    }
    simulation.nemesis.reset({}, 0, clients);
  }

 private:
  std::string lock_;
};

}  // namespace picklock::conform::real
