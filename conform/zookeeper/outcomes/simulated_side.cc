#include "conform/zookeeper/outcomes/simulated_side.h"

#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conform/zookeeper/sim_socket.h"
#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/zookeeper/ensemble.h"
#include "sim/simulation.h"

namespace picklock::conform::zookeeper::outcomes {
namespace {

class SimulatedSide final : public Side {
 public:
  SimulatedSide(const Situation& situation, std::uint64_t seed)
      : situation_(situation), chance_(seed, 1) {
    simulation_.reset(seed);
    keys_.reset();
    tenures_.reset(keys_.id("lock"));
    sim::Scheduler& scheduler = simulation_.scheduler;
    self_ = &scheduler.processes().add("client-1");
    for (ServerId server = 1; server <= kServers; ++server)
      processes_.push_back(&scheduler.processes().add("zookeeper-" + std::to_string(server)));
    // Under some seeds the machine is busy, like a real one.
    constexpr std::uint64_t kBusyOneIn = 4;
    const bool busy = seed % kBusyOneIn == 0;
    simulation_.network.set_latency({.low = std::chrono::microseconds(20),
                                     .high = std::chrono::microseconds(busy ? 40'000 : 60)});
    const std::string lock = "lock";
    ensemble_.reset(simulation_, processes_, tenures_, {&lock, 1},
                    {.tick = kTick, .init_limit = kInitLimit, .sync_limit = situation.sync_limit});
    simulation_.nemesis.reset({}, 0, 1);
  }

  Outcome tell() {
    Outcome outcome;
    std::exception_ptr problem;
    sim::Scheduler& scheduler = simulation_.scheduler;
    scheduler.threads().spawn(
        *self_,
        [&] {
          scheduler.sleep(chance_.between(sim::Duration::zero(), 2 * kTick));
          try {
            outcome = situation_.tell(*this);
          } catch (const std::runtime_error&) {
            problem = std::current_exception();
          }
          scheduler.stop();
        },
        true);
    scheduler.processes().start(*self_);
    for (sim::Process* process : processes_) scheduler.processes().start(*process);
    scheduler.run();
    if (problem) std::rethrow_exception(problem);
    return outcome;
  }

  Duration now() override {
    return std::chrono::duration_cast<Duration>(simulation_.now() - sim::kStart);
  }
  void pass(Duration time) override { simulation_.scheduler.sleep(time); }

  void act(Deed deed, ServerId server) override {
    sim::Process& process = *processes_[server - 1];
    switch (deed) {
      case Deed::kill:
        simulation_.network.crash(process, false, false);
        simulation_.scheduler.processes().halt(process, false);
        // Others may see the end of a process before its killer does.
        return pass(Duration(chance_.below(20)));
      case Deed::start:
        return simulation_.scheduler.processes().restart(process, sim::Keeps::all);
      case Deed::stop:
        return simulation_.scheduler.processes().pause(process);
      case Deed::go_on:
        return simulation_.scheduler.processes().resume(process);
    }
  }
  Role role(ServerId server) override {
    const QuorumPeer& peer = ensemble_.server(server - 1).peer();
    if (!peer.serves()) return Role::none;
    return peer.leads() ? Role::leader : Role::follower;
  }

  void dial(std::uint32_t connection, ServerId server) override {
    at(connection).dial(ensemble_.server(server - 1), ++dials_);
  }
  void send(std::uint32_t connection, std::string_view bytes) override {
    at(connection).send(bytes);
  }
  Came receive(std::uint32_t connection, std::string& bytes, Duration patience) override {
    SimSocket& socket = at(connection);
    if (std::optional<std::string> message = socket.receive(patience)) {
      bytes = *std::move(message);
      return Came::message;
    }
    return socket.open() ? Came::nothing : Came::end;
  }

 private:
  SimSocket& at(std::uint32_t connection) {
    while (sockets_.size() <= connection) sockets_.emplace_back(simulation_, *self_);
    return sockets_[connection];
  }

  const Situation& situation_;
  history::RecordedSimulation simulation_;
  sim::Random chance_;
  models::Tenures tenures_;
  models::Keys keys_;
  Ensemble ensemble_;
  sim::Process* self_ = nullptr;
  std::vector<sim::Process*> processes_;
  std::deque<SimSocket> sockets_;
  std::uint32_t dials_ = 0;
};

}  // namespace

Outcome simulated(const Situation& situation, std::uint64_t seed) {
  return SimulatedSide(situation, seed).tell();
}

}  // namespace picklock::conform::zookeeper::outcomes
