#include "conform/zookeeper/model_line.h"

#include <deque>
#include <exception>
#include <optional>
#include <string_view>

#include "conform/zookeeper/sim_socket.h"
#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/zookeeper/ensemble.h"

namespace picklock::conform::zookeeper {
namespace {

using namespace std::chrono_literals;

class ModelLine final : public Line {
 public:
  ModelLine(sim::Simulation& simulation, sim::Process& self, Server& server)
      : simulation_(simulation), self_(self), server_(server) {}

  void dial(std::uint32_t connection) override { at(connection).dial(server_, ++dials_); }
  void hang_up(std::uint32_t connection) override { at(connection).hang_up(); }
  void send(std::uint32_t connection, std::string_view bytes) override {
    at(connection).send(bytes);
  }
  std::optional<std::string> receive(std::uint32_t connection) override {
    return at(connection).receive();
  }
  void sleep(std::int32_t milliseconds) override {
    simulation_.scheduler.sleep(std::chrono::milliseconds(milliseconds));
  }
  Znode look(std::string_view path, SessionId session) override {
    const Node* const node = server_.tree().find(path);
    if (node == nullptr) return Znode::missing;
    if (!node->children.empty()) return Znode::parent;
    if (node->container) return Znode::container;
    if (node->stat.ephemeral_owner == 0) return Znode::persistent;
    return node->stat.ephemeral_owner == session ? Znode::own_ephemeral : Znode::others_ephemeral;
  }

 private:
  SimSocket& at(std::uint32_t connection) {
    while (sockets_.size() <= connection) sockets_.emplace_back(simulation_, self_);
    return sockets_[connection];
  }

  sim::Simulation& simulation_;
  sim::Process& self_;
  Server& server_;
  std::deque<SimSocket> sockets_;
  std::uint32_t dials_ = 0;
};

}  // namespace

std::vector<Outcome> play_to_model(const Sequence& sequence) {
  history::RecordedSimulation simulation;
  simulation.reset(1);
  models::Tenures tenures;
  models::Keys keys;
  tenures.reset(keys.id("lock"));
  sim::Process& client = simulation.scheduler.processes().add("client-1");
  sim::Process& process = simulation.scheduler.processes().add("zookeeper-1");
  sim::Process* const members[] = {&process};
  Ensemble ensemble;
  const std::string lock = "lock";
  ensemble.reset(simulation, members, tenures, {&lock, 1},
                 {.tick = 200ms, .max_connections = 0, .fsync = Duration::zero()});
  simulation.nemesis.reset({}, 0, 1);
  ModelLine line(simulation, client, ensemble.server(0));
  std::vector<Outcome> outcomes;
  std::exception_ptr problem;
  simulation.scheduler.threads().spawn(
      client,
      [&] {
        try {
          outcomes = play(line, sequence);
        } catch (const std::runtime_error&) {
          problem = std::current_exception();
        }
        simulation.scheduler.stop();
      },
      true);
  simulation.scheduler.processes().start(client);
  simulation.scheduler.processes().start(process);
  simulation.scheduler.run();
  if (problem) std::rethrow_exception(problem);
  return outcomes;
}

}  // namespace picklock::conform::zookeeper
