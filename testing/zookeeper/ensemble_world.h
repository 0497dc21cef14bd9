// An ensemble and a few client processes on one simulation, for tests: each thread of a client runs
// a body, and the test reads the outcome from the history and the servers. Test-only.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/zookeeper/ensemble.h"
#include "models/zookeeper/sim_client.h"
#include "sim/simulation.h"
#include "testing/agenda.h"

namespace picklock::zookeeper {

class EnsembleWorld {
 public:
  struct Setup {
    std::uint64_t seed = 1;
    std::uint32_t servers = 1;
    std::uint32_t clients = 1;
    Settings settings{};
    models::LockOptions options{};  // of the clients' sessions
    bool tracing = false;
  };

  EnsembleWorld() : EnsembleWorld(Setup{}) {}
  explicit EnsembleWorld(const Setup& setup) {
    sim::Scheduler& scheduler = simulation.scheduler;
    simulation.reset(setup.seed, setup.tracing);
    keys.reset();
    tenures.reset(keys.id("lock"));
    for (std::uint32_t i = 1; i <= setup.clients; ++i)
      processes_.push_back(&scheduler.processes().add("client-" + std::to_string(i)));
    std::vector<sim::Process*> servers;
    for (std::uint32_t i = 1; i <= setup.servers; ++i)
      servers.push_back(&scheduler.processes().add("zookeeper-" + std::to_string(i)));
    processes_.insert(processes_.end(), servers.begin(), servers.end());
    const std::string lock = "lock";
    ensemble.reset(simulation, servers, tenures, {&lock, 1}, setup.settings);
    for (std::uint32_t i = 0; i < setup.clients; ++i) {
      clients.emplace_back().reset(simulation, *processes_[i], ensemble.ends(), setup.options, i);
      programs_.emplace_back(clients.back());
      processes_[i]->set_program(&programs_.back());
    }
    simulation.nemesis.reset({}, 0, setup.clients);
    clients_ = setup.clients;
  }
  EnsembleWorld(const EnsembleWorld&) = delete;
  EnsembleWorld& operator=(const EnsembleWorld&) = delete;

  Server& server(std::size_t number) { return ensemble.server(number - 1); }
  SimClient& client(std::size_t number) { return clients[number - 1]; }
  sim::Process& process(std::string_view name) {
    for (sim::Process* process : processes_) {
      if (process->name() == name) return *process;
    }
    throw std::invalid_argument("no such process");
  }

  // Adds a thread of client 1, 2, ..., in the name of a tenure of its own.
  void thread(std::size_t number, std::function<void(SimClient& zookeeper)> body) {
    ++threads_;
    simulation.scheduler.threads().spawn(
        *processes_[number - 1],
        [this, number, run = std::move(body)] {
          simulation.scheduler.running()->tag = tenures.begin();
          run(clients[number - 1]);
          if (--threads_ == 0) simulation.scheduler.stop();
        },
        true);
  }
  // Does this at that time, from outside all processes.
  void at(sim::Duration when, std::function<void()> what) { agenda_.add(when, std::move(what)); }
  void run(const sim::Plan& plan = {}) {
    simulation.nemesis.reset(plan, 0, clients_);
    sim::Scheduler& scheduler = simulation.scheduler;
    for (sim::Process* process : processes_) scheduler.processes().start(*process);
    agenda_.arm(scheduler);
    scheduler.run();
  }

  void sleep(sim::Duration length) { simulation.scheduler.sleep(length); }
  void kill(std::string_view name, bool silent = false) {
    simulation.network.crash(process(name), silent, silent);
    simulation.scheduler.processes().halt(process(name), silent);
  }
  void restart(std::string_view name, sim::Keeps keeps = sim::Keeps::all) {
    simulation.scheduler.processes().restart(process(name), keeps);
  }
  void pause(std::string_view name) { simulation.scheduler.processes().pause(process(name)); }
  void resume(std::string_view name) { simulation.scheduler.processes().resume(process(name)); }
  std::int64_t milliseconds() const { return sim::nanoseconds(simulation.now()) / 1'000'000; }

  // The history of the lock's entry: "10.001 entry created command by 1 of 0".
  std::vector<std::string> entries() const {
    std::vector<std::string> lines;
    for (const history::HistoryEvent& event : simulation.recorder.history()) {
      if (event.what < history::What::entry_created || event.what > history::What::entry_removed)
        continue;
      lines.push_back(std::string(history::name(event.what)) + " " +
                      std::string(history::name(event.cause)) + " by " +
                      std::to_string(event.tenure) + " of " + std::to_string(event.owner));
    }
    return lines;
  }

  history::RecordedSimulation simulation;
  models::Tenures tenures;
  models::Keys keys;
  Ensemble ensemble;
  std::deque<SimClient> clients;

 private:
  struct Program final : sim::Program {
    explicit Program(SimClient& of) : client(of) {}
    void start(sim::Keeps) override { client.start(); }
    void halted() override { client.forget(); }
    SimClient& client;
  };

  std::vector<sim::Process*> processes_;
  std::deque<Program> programs_;
  std::uint32_t clients_ = 0;
  std::size_t threads_ = 0;
  sim::Agenda agenda_;
};

}  // namespace picklock::zookeeper
