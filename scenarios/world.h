// A world made from a scenario: its servers, clients, links and faults on one simulation. Made
// once, then run under any number of seeds; between runs everything is reset, and most memory is
// kept.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "history/recorded_simulation.h"
#include "models/client/keys.h"
#include "models/client/sim_client.h"
#include "models/client/tenures.h"
#include "models/locks/algorithm.h"
#include "models/resource/resource.h"
#include "models/servers/cluster.h"
#include "models/servers/kind.h"
#include "properties/judge.h"
#include "scenarios/client_program.h"
#include "scenarios/coordinator_program.h"
#include "scenarios/cut_off.h"
#include "scenarios/measures.h"
#include "scenarios/programs.h"
#include "scenarios/run.h"
#include "scenarios/scenario.h"
#include "scenarios/setup.h"
#include "scenarios/topology.h"
#include "sim/simulation.h"

namespace picklock::scenarios {

// This limit is far above any useful run and below what fills a machine's memory. A run that would
// continue for years is cut short here, without a verdict about what has not happened by then.
// With a trace, as many take some 800 MiB. A herd of 300 waiting clients has 980,000.
inline constexpr std::uint64_t kMostEvents = 1'000'000;
// Above so many threads of clients a run may have half as many events, because each takes two to
// three times as long.
inline constexpr std::uint64_t kManyThreads = 500;

class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // The scenario must outlive the runs. Throws std::invalid_argument if its algorithm is not
  // shipped.
  void set(const Scenario& scenario);

  // Makes one run. Its results are read from the members below until the next run.
  void run(std::uint64_t seed, bool tracing = false);

  std::uint64_t digest() const { return digest_; }
  std::uint64_t events() const { return simulation_.scheduler.record().events(); }
  sim::Instant ended() const { return simulation_.now(); }
  // Whether a limit ended the run: that of its events or of its trace.
  bool cut_short() const { return simulation_.scheduler.out_of_events() || !is_traced_whole(); }
  std::uint64_t most_events() const { return most_events_; }
  // The history that is judged and told.
  const history::History& history() const {
    return programs_ != nullptr ? programs_->account().history : recorded();
  }
  // The same as it was recorded: the trace names its events. It is another only if the clients are
  // programs.
  const history::History& recorded() const { return simulation_.recorder.history(); }
  // Whether what the clients do under this property can be judged at all.
  bool judges(Property property) const {
    return programs_ == nullptr || programs_->judges(property);
  }
  bool is_traced_whole() const { return simulation_.scheduler.record().tracer().is_whole(); }
  const sim::Trace& trace() const { return simulation_.scheduler.record().tracer().trace(); }
  // The trace for readers: that of history().
  const sim::Trace& told() const {
    return programs_ != nullptr ? programs_->account().trace : trace();
  }
  const properties::Verdicts& verdicts() const { return *verdicts_; }
  const std::vector<sim::Nemesis::Firing>& fired() const { return simulation_.nemesis.fired(); }
  bool has_read_wall_clock(sim::ProcessId process) const {
    return simulation_.scheduler.processes().at(process).clock().wall_was_read();
  }
  const sim::Network& network() const { return simulation_.network; }
  Duration patience() const { return patience_; }
  const properties::Context& context() const { return context_; }
  // Keys that were changed in a run with programs and that are no lock's.
  std::vector<std::string> data_keys() const;
  std::vector<ProgramEnd> program_ends() const {
    return programs_ != nullptr ? programs_->ends() : std::vector<ProgramEnd>();
  }
  // Whether the run would have been the same if the resource were fenced by the order of grants.
  bool is_as_if_fenced() const { return resource_.is_as_if_fenced(); }
  std::uint32_t grants() const { return scenarios::grants(history()); }
  std::vector<std::string> processes() const;
  // The same for readers: those of history().
  std::vector<std::string> told_processes() const {
    return programs_ != nullptr ? programs_->names() : processes();
  }
  std::vector<std::string> keys() const { return keys_.names(); }
  const Scenario& scenario() const { return *scenario_; }

 private:
  void build(std::uint64_t seed, bool tracing);
  void build_resource();
  void add_processes();
  struct Client {
    ClientProgram::Part part;
    std::vector<std::uint32_t> primaries{};  // that it uses; empty: all, in order
  };
  void set_clients();
  void set_lock_keys();
  std::vector<std::uint32_t> primaries_of(const ClientsSpec& clients, std::uint32_t number) const;
  void build_client(std::uint32_t number);
  void build_coordinator();
  models::ClientMachine& build_machine(models::ClientMachine& machine, sim::Process& process,
                                       std::uint32_t number);
  std::uint32_t index_of(const ProcessKind& kind) const;  // the first of its kind
  servers::Site site() { return {simulation_, tenures_, keys_}; }
  void add_gc(sim::Process& process, const servers::GcProfile& profile);
  void at_horizon();
  void judge();

  const Scenario* scenario_ = nullptr;
  std::deque<Setup> unlike_;     // of the clients that differ
  std::vector<Client> clients_;  // and then of the coordinator
  std::uint64_t most_events_ = kMostEvents;
  bool has_work_ = false;               // some client reads and writes by steps
  std::vector<std::string> lock_keys_;  // number i is key i of the history
  const servers::Kind* server_ = nullptr;
  bool coordinated_ = false;
  properties::Context context_;
  Duration patience_{};  // from the last disturbance to the horizon

  history::RecordedSimulation simulation_;
  models::Tenures tenures_;
  models::Keys keys_;
  std::map<const servers::Kind*, std::unique_ptr<servers::Cluster>> clusters_;  // made so far
  servers::Cluster* cluster_ = nullptr;                                         // of the scenario
  models::Resource resource_;
  std::unique_ptr<Programs> programs_;  // nullptr: the clients are none
  std::deque<models::ClientMachine> machines_;
  std::deque<ClientProgram> lives_;
  CutOff cut_off_;
  models::ClientMachine coordinator_;  // used if the scenario has a coordinator
  CoordinatorProgram coordinating_;
  std::vector<ProcessSpec> processes_;
  struct Collector {
    sim::Process* process = nullptr;
    const servers::GcProfile* profile = nullptr;
    std::uint32_t incarnation = 0;  // of the process when the collection began
    sim::Random chance;
    sim::Timer timer;
    bool collecting = false;
  };
  std::deque<Collector> collectors_;
  std::size_t collectors_used_ = 0;
  void collect(std::uint32_t index);

  sim::Instant busy_until_{};  // the last arrival, or the end of the last critical section
  sim::Timer horizon_;
  properties::Judge judge_;
  const properties::Verdicts* verdicts_ = nullptr;
  properties::Verdicts limited_;  // of clients of which not everything is known
  std::uint64_t digest_ = 0;
};

}  // namespace picklock::scenarios
