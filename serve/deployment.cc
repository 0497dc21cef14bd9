#include "serve/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "keys/bad_input.h"
#include "scenarios/loader.h"
#include "scenarios/process_kinds.h"
#include "scenarios/runner.h"
#include "scenarios/topology.h"
#include "scenarios/writer.h"

namespace picklock::serve {
namespace {

using keys::BadInput;
using scenarios::Scenario;

// The clients of the scenario are not there, and what it expects is of their doing.
Scenario servers_of(Scenario scenario) {
  scenario.clients = {};
  scenario.clients.count = 1;
  scenario.unlike.clear();
  scenario.expect = {};
  scenario.twins.clear();
  scenario.neighbours.clear();
  scenario.complete = {};
  return scenario;
}

// Messages name the fault and its keys: whoever sent it has seen no file around it.
Scenario with_fault(std::string text, const scenarios::Vocabulary& words) {
  const std::string label = "the fault";
  try {
    return scenarios::parse(std::move(text), label, words);
  } catch (const BadInput& error) {
    std::string problem = error.what();
    const std::size_t line = problem.starts_with(label + ":")
                                 ? problem.find_first_not_of("0123456789", label.size() + 1)
                                 : std::string::npos;
    if (line != std::string::npos) problem.erase(label.size(), line - label.size());
    constexpr std::string_view kTable = "fault.1.";
    for (std::size_t at; (at = problem.find(kTable)) != std::string::npos;)
      problem.erase(at, kTable.size());
    throw BadInput(problem);
  }
}

sim::Latency as_sim(const scenarios::Latency& latency) {
  return {.low = latency.low,
          .high = latency.high,
          .tail_one_in = latency.tail_one_in,
          .tail_high = latency.tail_high};
}

}  // namespace

Deployment::Deployment(Scenario scenario)
    : scenario_(servers_of(std::move(scenario))), kind_(&scenarios::lock_server(scenario_)) {
  if (kind_->wire == nullptr) {
    throw BadInput(fmt::format("serve: {} runs {}, which clients outside cannot talk to yet",
                               scenario_.lock.algorithm, kind_->title));
  }
  processes_.push_back({.name = std::string(kClients), .kind = &scenarios::kClientKind});
  for (const servers::ProcessSpec& process : scenarios::processes_of(scenario_)) {
    if (process.kind->port != 0) processes_.push_back(process);
  }
  lock_keys_.assign(1, scenario_.lock.key);
  cluster_ = kind_->make_cluster();
}

void Deployment::set_ports(const std::vector<std::uint16_t>& of_servers) {
  ports_.assign(1, 0);
  ports_.insert(ports_.end(), of_servers.begin(), of_servers.end());
  cluster_->set({.specs = &scenario_.servers,
                 .processes = processes_,
                 .lock_keys = lock_keys_,
                 .lock = &scenario_.lock.options,
                 .ports = ports_});
}

void Deployment::build(sim::Duration wall_offset) {
  sim::Scheduler& scheduler = simulation_.scheduler;
  simulation_.reset(scenario_.seed);
  keys_.reset();
  for (const std::string& key : lock_keys_) keys_.id(key);
  tenures_.reset(0);
  faults_.clear();
  for (const servers::ProcessSpec& process : processes_) {
    servers::Clock clock;
    if (process.kind != &scenarios::kClientKind && kind_->clock != nullptr)
      clock = kind_->clock(scenario_.servers, process);
    scheduler.processes().add(process.name, clock.offset + wall_offset, clock.rate_ppb);
  }
  sim::Network& network = simulation_.network;
  network.set_latency(as_sim(scenario_.network.latency));
  network.set_patience(scenario_.network.break_after);
  for (std::uint32_t i = 1; i < processes_.size(); ++i) {
    sim::Process& server = scheduler.processes().at(i);
    network.set_latency(clients(), server, {.low = {}, .high = {}});
    network.set_latency(server, clients(), {.low = {}, .high = {}});
  }
  cluster_->build({simulation_, tenures_, keys_});
  doors_ = cluster_->doors();
  simulation_.nemesis.reset({}, 0, 1);
  for (std::uint32_t i = 0; i < processes_.size(); ++i)
    scheduler.processes().start(scheduler.processes().at(i));
  // A run lasts as long as what is under way: here, until somebody ends it.
  scheduler.hold_open();
}

void Deployment::keep_history_short() {
  constexpr std::size_t kKept = 100'000;
  if (simulation_.recorder.history().size() > 2 * kKept) simulation_.recorder.keep_last(kKept);
}

bool Deployment::is_process(std::string_view name) const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [name](const servers::ProcessSpec& one) { return one.name == name; });
}

void Deployment::refuse_strangers(const sim::Fault& fault) const {
  const auto check = [this](const std::string& name) {
    if (!name.empty() && !is_process(name))
      throw BadInput(fmt::format("the fault: {} is not served", keys::printable(name)));
  };
  check(fault.target);
  check(fault.to);
  for (const std::string& name : fault.from) check(name);
  if (fault.target == kClients && fault.verb != sim::Verb::partition &&
      fault.verb != sim::Verb::heal) {
    throw BadInput(
        fmt::format("the fault: {} stands for all clients, which can only be cut off", kClients));
  }
}

std::size_t Deployment::strike(std::string table, bool at_once) {
  if (at_once) table += "at = \"0s\"\n";
  Scenario plain = scenario_;
  plain.faults.clear();
  std::string text = file_text(plain) + "\n[[fault]]\n" + table;
  const Scenario read = with_fault(std::move(text), scenarios::vocabulary_of(scenario_));
  sim::Fault fault = read.faults.at(0);
  if (!fault.trigger.at)
    throw BadInput(
        "the fault: before and after are steps of simulated clients; give at, or nothing");
  refuse_strangers(fault);
  *fault.trigger.at += simulation_.now() - sim::kStart;
  faults_.push_back(std::move(fault));
  simulation_.nemesis.add(faults_.back());
  return faults_.size();
}

}  // namespace picklock::serve
