#include "serve/deployment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "keys/bad_input.h"
#include "outside/resource_wire.h"
#include "scenarios/links.h"
#include "scenarios/loader.h"
#include "scenarios/process_kinds.h"
#include "scenarios/runner.h"
#include "scenarios/topology.h"
#include "scenarios/verbs/kind.h"
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

// As `by` of a fault names it: by its name, or by the number of its connection.
bool is_called(const Caller& caller, std::string_view by) {
  return caller.name.empty() ? by == std::to_string(caller.connection) : by == caller.name;
}

void call_clients(std::string& name) {
  if (name == kClientsInFile) name = kClients;
}

// Messages name the fault and its keys: the sender has seen no file around it.
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
    for (std::size_t at; (at = problem.find(kClientsInFile)) != std::string::npos;)
      problem.replace(at, kClientsInFile.size(), kClients);
    throw BadInput(problem);
  }
}

// Clients outside can have tokens of their own, but no order of grants and no log of theirs.
models::FencedBy fenced_by(scenarios::Fencing fencing) {
  switch (fencing) {
    case scenarios::Fencing::after:
    case scenarios::Fencing::in_script:
      return models::FencedBy::tokens;
    case scenarios::Fencing::owner_token:
      return models::FencedBy::owner_tokens;
    default:
      return models::FencedBy::nothing;
  }
}

// For one connection: whoever can foresee it may repeat the answer to another one.
std::string drawn_challenge() {
  std::array<unsigned char, 20> drawn{};
  if (getentropy(drawn.data(), drawn.size()) != 0)
    throw std::system_error(errno, std::generic_category(), "serve: no randomness");
  std::string text;
  for (const unsigned char byte : drawn) text += static_cast<char>(byte % 127 + 1);
  return text;
}

}  // namespace

Deployment::Deployment(Scenario scenario, Access access)
    : scenario_(servers_of(std::move(scenario))),
      access_(std::move(access)),
      kind_(&scenarios::lock_server(scenario_)) {
  if (kind_->open_wire == nullptr) {
    throw BadInput(fmt::format("serve: {} runs {}, which clients outside cannot talk to yet",
                               scenario_.lock.algorithm, kind_->title));
  }
  processes_.push_back({.name = std::string(kClients), .kind = &scenarios::kClientKind});
  for (const servers::ProcessSpec& process : scenarios::processes_of(scenario_)) {
    if (process.kind->port != 0) processes_.push_back(process);
  }
  processes_.push_back(
      {.name = std::string(scenarios::kResourceKind.name), .kind = &scenarios::kResourceKind});
  // Links of what is not there.
  std::erase_if(scenario_.network.links, [this](const scenarios::Link& link) {
    return !is_process(link.from) || !is_process(link.to);
  });
  lock_keys_.assign(1, scenario_.lock.key);
  cluster_ = kind_->make_cluster();
  if (!access_.password.empty() && !cluster_->asks_for_password()) {
    throw BadInput(fmt::format(
        "serve: {} asks its clients for no password: it can be served on the loopback only, and "
        "without one",
        kind_->title));
  }
}

std::unique_ptr<servers::Wire> Deployment::open_wire(std::size_t index) const {
  std::unique_ptr<servers::Wire> wire =
      is_resource(index) ? std::make_unique<outside::ResourceWire>() : kind_->open_wire();
  if (!access_.password.empty()) wire->require(access_.password, drawn_challenge());
  return wire;
}

void Deployment::set_ports(const std::vector<std::uint16_t>& of_served) {
  ports_.assign(1, 0);
  ports_.insert(ports_.end(), of_served.begin(), of_served.end());
  cluster_->set({.specs = &scenario_.servers,
                 .processes = processes_,
                 .lock_keys = lock_keys_,
                 .lock = &scenario_.lock.options,
                 .ports = ports_,
                 .machine = access_.machine,
                 .password = access_.password});
}

void Deployment::build(sim::Duration wall_offset, bool tracing) {
  sim::Scheduler& scheduler = simulation_.scheduler;
  simulation_.reset(scenario_.seed, tracing);
  keys_.reset();
  for (const std::string& key : lock_keys_) keys_.id(key);
  tenures_.reset(0);
  callers_.assign(1, {});
  receivers_.clear();
  connections_ = 0;
  connected_ = 0;
  knows_the_beginning_ = true;
  faults_.clear();
  by_.clear();
  for (const servers::ProcessSpec& process : processes_) {
    servers::Clock clock;
    const bool of_lock =
        std::find(kind_->kinds.begin(), kind_->kinds.end(), process.kind) != kind_->kinds.end();
    if (of_lock && kind_->clock != nullptr) clock = kind_->clock(scenario_.servers, process);
    scheduler.processes().add(process.name, clock.offset + wall_offset, clock.rate_ppb);
  }
  scenarios::set_links(simulation_, scenario_.network);
  sim::Network& network = simulation_.network;
  for (std::uint32_t i = 1; i < processes_.size(); ++i) {
    sim::Process& server = scheduler.processes().at(i);
    network.set_latency(clients(), server, {.low = {}, .high = {}});
    network.set_latency(server, clients(), {.low = {}, .high = {}});
  }
  cluster_->build({simulation_, tenures_, keys_});
  doors_ = cluster_->doors();
  build_resource();
  simulation_.nemesis.reset({}, 0, 1);
  for (std::uint32_t i = 0; i < processes_.size(); ++i)
    scheduler.processes().start(scheduler.processes().at(i));
  // A run lasts as long as what is under way: here, until somebody ends it.
  scheduler.hold_open();
}

void Deployment::build_resource() {
  const scenarios::ResourceSpec& spec = scenario_.servers.resource;
  sim::Process& process =
      simulation_.scheduler.processes().at(static_cast<sim::ProcessId>(processes_.size() - 1));
  resource_.reset(simulation_, process,
                  {.fenced_by = fenced_by(spec.fencing),
                   .checks = spec.checks,
                   .equal_token = spec.equal_token});
  doors_.push_back(
      {.process = &process, .endpoint = &resource_, .protocol = &outside::Resource::protocol()});
}

sim::Tag Deployment::admit() {
  ++connected_;
  callers_.push_back({.connection = ++connections_, .name = {}});
  return tenures_.begin();
}

sim::Tag Deployment::renamed(sim::Tag caller, const std::string& name) {
  if (callers_[caller].name == name) return caller;
  callers_[caller].there = false;
  callers_.push_back({.connection = callers_[caller].connection, .name = name});
  return tenures_.begin();
}

void Deployment::gone(sim::Tag caller) {
  // A reset has forgotten the callers of the run before.
  if (caller >= callers_.size() || !callers_[caller].there) return;
  callers_[caller].there = false;
  --connected_;
}

void Deployment::keep_history_short() {
  constexpr std::size_t kMostEvents = 200'000;
  sim::Tracer& tracer = simulation_.scheduler.record().tracer();
  const sim::Trace& trace = tracer.trace();
  const bool long_enough = trace.records.size() < 10 * kMostEvents &&
                           trace.bytes.size() < sim::Tracer::kMostBytes / 2 &&
                           simulation_.recorder.history().size() < kMostEvents;
  if (long_enough) return;
  simulation_.recorder.begin();
  tracer.reset(tracer.on());
  receivers_.clear();
  knows_the_beginning_ = false;
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
  check(fault.trigger.on);
  for (const std::string& name : fault.from) check(name);
  const bool at_message = verbs::kind_of(fault.verb).on_message;
  if (fault.target == kClients && !at_message && fault.verb != sim::Verb::partition &&
      fault.verb != sim::Verb::heal) {
    throw BadInput(
        fmt::format("the fault: {} are all clients, which can only be cut off", kClients));
  }
}

sim::Plan Deployment::faults_told() const {
  sim::Plan plan(faults_.begin(), faults_.end());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    // Nanoseconds only order the events of one instant (Loop).
    if (plan[i].trigger.at)
      plan[i].trigger.at = std::chrono::floor<std::chrono::microseconds>(*plan[i].trigger.at);
    const bool numbered = by_[i].find_first_not_of("0123456789") == std::string::npos;
    plan[i].trigger.by = by_[i].empty() || !numbered ? by_[i] : "connection-" + by_[i];
  }
  return plan;
}

std::size_t Deployment::connections_of(std::string_view by) const {
  const auto count = std::count_if(callers_.begin() + 1, callers_.end(), [by](const Caller& one) {
    return one.there && is_called(one, by);
  });
  return static_cast<std::size_t>(count);
}

std::size_t Deployment::strike(Strike strike) {
  if (strike.at_once) strike.table += "at = \"0s\"\n";
  // Nobody knows the locks of clients outside, only their commands.
  Scenario plain = scenario_;
  plain.faults.clear();
  plain.lock = scenarios::fresh_like({});
  plain.lock.algorithm = fmt::format("{}-program", kind_->server.key);
  plain.clients.program = {std::string(kClients)};
  std::string text = file_text(plain) + "\n[[fault]]\n" + strike.table;
  const Scenario read = with_fault(std::move(text), scenarios::shipped_vocabulary());
  sim::Fault fault = read.faults.at(0);
  for (std::string* name : {&fault.target, &fault.to, &fault.trigger.on}) call_clients(*name);
  for (std::string& name : fault.from) call_clients(name);
  refuse_strangers(fault);
  if (fault.trigger.is_message() && !strike.by.empty())
    throw BadInput("the fault: `by` narrows a step, but \"message.sent\" is of none");
  if (fault.trigger.at) *fault.trigger.at += simulation_.now() - sim::kStart;
  faults_.push_back(std::move(fault));
  by_.push_back(strike.by);
  std::function<bool(sim::Tag)> by;
  if (!strike.by.empty()) {
    by = [this, name = std::move(strike.by)](sim::Tag caller) {
      return is_called(callers_[caller], name);
    };
  }
  simulation_.nemesis.add(faults_.back(), std::move(by));
  return faults_.size();
}

}  // namespace picklock::serve
