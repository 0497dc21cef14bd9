// The clients of a scenario that are programs from outside: the programs themselves, the resource
// that they use, and the history of what they did.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/tenures.h"
#include "models/resource/resource.h"
#include "models/servers/cluster.h"
#include "outside/account.h"
#include "outside/program.h"
#include "outside/resource.h"
#include "properties/verdict.h"
#include "scenarios/run.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {

// The resource listens there, at localhost.
inline constexpr std::uint16_t kResourcePort = 7000;

// The port of each process, which no other has: that of its kind, or one of the next; 0: none.
std::vector<std::uint16_t> ports_of(std::span<const servers::ProcessSpec> processes);

class Programs final : private outside::Register {
 public:
  Programs() = default;
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  // Throws keys::BadInput if this machine cannot run programs in virtual time. The pointers must
  // outlive the runs.
  void set(const Scenario& scenario, std::span<const servers::ProcessSpec> processes);
  std::span<const std::uint16_t> ports() const { return ports_; }

  // Once the processes and the servers of a run are there: the resource, then each client.
  void build_resource(const servers::Site& site, servers::Cluster& cluster,
                      const models::ResourceRules& rules);
  void build_client(std::uint32_t number, const ClientsSpec& clients, Duration arrives);
  // How a client of picklock reaches the resource of the programs, to read and write `name` there.
  models::Resource::Way way_to(std::string name);

  // The run is over; its keys have these names. Throws keys::BadInput if it cannot be repeated.
  void end(std::span<const std::string> keys);
  // The history and the trace for readers, with the processes of names().
  const outside::Account& account() const { return account_; }
  std::vector<std::string> names() const;
  // The programs that have ended by themselves.
  const std::vector<ProgramEnd>& ends() const { return ends_; }
  // Whether it can be judged what the clients did under this property.
  bool judges(Property property) const;

 private:
  sim::Tag admit(sim::Process& client) override;

  const Scenario* scenario_ = nullptr;
  std::span<const servers::ProcessSpec> processes_;
  std::vector<std::uint16_t> ports_;
  std::vector<outside::Address> addresses_;
  const servers::Cluster* cluster_ = nullptr;
  std::map<std::uint32_t, outside::Program> programs_;  // by the number of the client
  outside::Resource resource_;
  history::RecordedSimulation* simulation_ = nullptr;
  models::Tenures* tenures_ = nullptr;
  std::vector<sim::ProcessId> client_of_;  // by tag
  outside::Account account_;
  std::vector<ProgramEnd> ends_;
};

}  // namespace picklock::scenarios
