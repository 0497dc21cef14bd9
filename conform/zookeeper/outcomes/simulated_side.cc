#include "conform/zookeeper/outcomes/simulated_side.h"

#include <deque>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/keys.h"
#include "models/zookeeper/server.h"
#include "models/zookeeper/wire.h"
#include "sim/simulation.h"

namespace picklock::conform::zookeeper::outcomes {
namespace {

// A client's end of one connection after the other; its thread waits for messages.
class Socket final : public sim::Endpoint {
 public:
  void dial(sim::Simulation& simulation, sim::Process& self, Server& server,
            std::uint32_t ordinal) {
    if (connection_ != nullptr) simulation.network.close(*connection_);
    scheduler_ = &simulation.scheduler;
    received_.clear();
    connection_ =
        &simulation.network.dial(self, *this, server.process(), server, protocol(), ordinal);
  }
  sim::Connection* connection() const { return connection_; }

  Came receive(std::string& bytes, sim::Duration patience) {
    const std::int64_t until = now() + patience.count();
    while (received_.empty() && connection_ != nullptr) {
      if (now() >= until) return Came::nothing;
      waiting_ = scheduler_->running();
      scheduler_->park_until(sim::ClockKind::monotonic, until);
      waiting_ = nullptr;
    }
    if (received_.empty()) return Came::end;
    bytes = std::move(received_.front());
    received_.pop_front();
    return Came::message;
  }

  void on_message(sim::Connection& from, sim::Message& message) override {
    if (&from != connection_) return;
    received_.emplace_back(message.payload.view());
    wake();
  }
  void on_reset(sim::Connection& from) override {
    if (&from != connection_) return;
    connection_ = nullptr;
    wake();
  }

 private:
  std::int64_t now() const {
    return scheduler_->local_time(scheduler_->running()->process(), sim::ClockKind::monotonic);
  }
  void wake() {
    if (waiting_ != nullptr) scheduler_->wake(*std::exchange(waiting_, nullptr));
  }

  sim::Scheduler* scheduler_ = nullptr;
  sim::Connection* connection_ = nullptr;
  sim::Thread* waiting_ = nullptr;
  std::deque<std::string> received_;
};

class SimulatedSide final : public Side {
 public:
  SimulatedSide(const Situation& situation, std::uint64_t seed)
      : situation_(situation), chance_(seed, 1) {
    simulation_.reset(seed);
    keys_.reset();
    tenures_.reset(keys_.id("lock"));
    sim::Scheduler& scheduler = simulation_.scheduler;
    self_ = &scheduler.add_process("client-1");
    for (ServerId server = 1; server <= kServers; ++server)
      processes_.push_back(&scheduler.add_process("zookeeper-" + std::to_string(server)));
    // Under some seeds the machine is busy, like a real one.
    constexpr std::uint64_t kBusyOneIn = 4;
    const bool busy = seed % kBusyOneIn == 0;
    simulation_.network.set_latency({.low = std::chrono::microseconds(20),
                                     .high = std::chrono::microseconds(busy ? 40'000 : 60)});
    ensemble_.reset(simulation_, processes_, tenures_, "lock",
                    {.tick = kTick, .init_limit = kInitLimit, .sync_limit = situation.sync_limit});
    simulation_.nemesis.reset({}, 0, 1);
  }

  Outcome tell() {
    Outcome outcome;
    std::exception_ptr problem;
    sim::Scheduler& scheduler = simulation_.scheduler;
    scheduler.spawn(
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
    scheduler.start(*self_);
    for (sim::Process* process : processes_) scheduler.start(*process);
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
        simulation_.scheduler.halt(process, false);
        // Others may see the end of a process before its killer does.
        return pass(Duration(chance_.below(20)));
      case Deed::start:
        return simulation_.scheduler.restart(process, sim::Keeps::all);
      case Deed::stop:
        return simulation_.scheduler.pause(process);
      case Deed::go_on:
        return simulation_.scheduler.resume(process);
    }
  }
  Role role(ServerId server) override {
    const QuorumPeer& peer = ensemble_.server(server - 1).peer();
    if (!peer.serves()) return Role::none;
    return peer.leads() ? Role::leader : Role::follower;
  }

  void dial(std::uint32_t connection, ServerId server) override {
    at(connection).dial(simulation_, *self_, ensemble_.server(server - 1), ++dials_);
  }
  void send(std::uint32_t connection, std::string_view bytes) override {
    sim::Connection* const to = at(connection).connection();
    if (to == nullptr) return;
    sim::Message& message = simulation_.network.make(*to, 0);
    message.payload.append(bytes);
    simulation_.network.send(message);
  }
  Came receive(std::uint32_t connection, std::string& bytes, Duration patience) override {
    return at(connection).receive(bytes, patience);
  }

 private:
  Socket& at(std::uint32_t connection) {
    while (sockets_.size() <= connection) sockets_.emplace_back();
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
  std::deque<Socket> sockets_;
  std::uint32_t dials_ = 0;
};

}  // namespace

Outcome simulated(const Situation& situation, std::uint64_t seed) {
  return SimulatedSide(situation, seed).tell();
}

}  // namespace picklock::conform::zookeeper::outcomes
