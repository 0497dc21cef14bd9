#include "scenarios/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "keys/bad_input.h"
#include "models/locks/catalogue.h"
#include "scenarios/premise.h"
#include "scenarios/program_locks.h"

namespace picklock::scenarios {

using keys::printable;
namespace {

AlgorithmWords words_of(const models::Algorithm& algorithm) {
  std::vector<VersionWords> versions;
  for (const models::Version& version : algorithm.versions)
    versions.push_back({std::string(version.name), models::as_of(algorithm, version)});
  return {.name = std::string(algorithm.name),
          .roles = algorithm.roles,
          .marks = {algorithm.marks.begin(), algorithm.marks.end()},
          .uses = algorithm.uses,
          .keys = algorithm.keys,
          .preset = models::as_it_comes(algorithm),
          .versions = std::move(versions)};
}

// Such a run cannot be judged, and its story would be too long to read.
// So many events in so short a time do not come from many clients or cycles.
constexpr Duration kSoon = std::chrono::seconds(1);

[[noreturn]] void refuse_length(const World& world) {
  const Scenario& scenario = world.scenario();
  const Duration length = world.ended() - sim::kStart;
  const std::string advice =
      length < kSoon
          ? fmt::format(
                "make the shortest period longer, such as `lock.retry_every` or a time of "
                "`servers.{}`",
                lock_server(scenario).server.key)
          : "make `clients.hold`, `clients.cycles` or `clients.count` smaller, or the shortest "
            "period longer, such as `lock.retry_every`, unless the run never ends";
  throw BadInput(fmt::format(
      "{}: the run has more than {} events, the limit, and was cut short at {}.{:03}s; {}",
      printable(scenario.name, 200), world.most_events(), length / std::chrono::seconds(1),
      length % std::chrono::seconds(1) / std::chrono::milliseconds(1), advice));
}

[[noreturn]] void refuse_size(const Scenario& scenario) {
  throw BadInput(
      fmt::format("{}: the messages of the run take more than {} MiB, the limit; make "
                  "`clients.count`, `clients.threads` or `clients.cycles` smaller",
                  printable(scenario.name, 200), sim::Tracer::kMostBytes >> 20));
}

}  // namespace

const Vocabulary& shipped_vocabulary() {
  static const Vocabulary vocabulary = [] {
    Vocabulary words;
    for (const models::Algorithm* algorithm : models::locks::all())
      words.algorithms.push_back(words_of(*algorithm));
    for (const models::Algorithm& algorithm : program_locks())
      words.algorithms.push_back(words_of(algorithm));
    return words;
  }();
  return vocabulary;
}

Vocabulary vocabulary_with(const models::Algorithm* own) {
  Vocabulary words = shipped_vocabulary();
  if (own != nullptr) {
    words.algorithms.push_back(words_of(*own));
    words.algorithms.back().own = own;
  }
  return words;
}

Run Runner::run(const Scenario& scenario, std::uint64_t seed, bool tracing) {
  return run(scenario, seed, tracing, {});
}

Run Runner::run_once(const Scenario& scenario, std::uint64_t seed) {
  make(scenario, seed);
  Run run = made(scenario, seed, {});
  run.trace = world_.told();
  return run;
}

Run Runner::run(const Scenario& scenario, std::uint64_t seed, bool tracing, Demands demands) {
  make(scenario, seed);
  const std::uint64_t before = world_.digest();
  sim::Trace trace;
  if (tracing) trace = world_.told();
  std::vector<std::string> reached;
  if (world_.fired().size() < scenario.faults.size())
    reached = steps_reached(world_.trace(), world_.processes());
  world_.run(seed);
  if (world_.digest() != before && has_programs(scenario)) {
    throw BadInput(fmt::format(
        "{}: a program does not repeat what it does: with seed {} the digest is {:016x}, then "
        "{:016x}; docs/programs.md says what a program may do",
        printable(scenario.name, 200), seed, before, world_.digest()));
  }
  if (world_.digest() != before) {
    throw std::logic_error(
        fmt::format("{} with seed {} is not deterministic: {:016x}, then {:016x}", scenario.name,
                    seed, before, world_.digest()));
  }
  Run run = made(scenario, seed, demands);
  run.trace = std::move(trace);
  run.steps_reached = std::move(reached);
  return run;
}

// The first run of a scenario, with its trace.
void Runner::make(const Scenario& scenario, std::uint64_t seed) {
  world_.set(scenario);
  world_.run(seed, true);
  if (!world_.is_traced_whole()) refuse_size(scenario);
  if (world_.cut_short()) refuse_length(world_);
}

Run Runner::made(const Scenario& scenario, std::uint64_t seed, Demands demands) const {
  Run run;
  run.scenario = scenario;
  run.seed = seed;
  run.digest = world_.digest();
  run.events = world_.events();
  run.ended = world_.ended();
  run.history = world_.history();
  run.verdicts = world_.verdicts();
  run.met = classes_met(scenario);
  run.promised = promises(scenario, scenario.faults);
  for (Promised& promised : run.promised) judge_premise(promised, scenario, run.history);
  run.patience = world_.patience();
  run.processes = world_.told_processes();
  run.keys = world_.keys();
  run.grants = world_.grants();
  run.ends = world_.program_ends();
  run.data = world_.data_keys();
  for (const properties::Verdict& verdict : run.verdicts) {
    if (!world_.judges(verdict.property)) run.unseen.push_back(verdict.property);
  }
  for (const auto& firing : world_.fired())
    run.fired.push_back({firing.fault, firing.at, firing.in_vain, firing.healed});
  run.longest_wait = longest_wait(run.history, run.ended);
  run.longest_idle = longest_idle(run.history, world_.context());
  run.wakeups = wakeups(run.history);
  run.surprises = surprises(world_, demands);
  return run;
}

Outcome Runner::run_file(const Document& document, std::optional<std::uint64_t> seed, bool changed,
                         bool tracing, const std::function<void()>& ran, const Vocabulary& words) {
  const Scenario scenario = document.scenario(words);
  const std::uint64_t used = seed.value_or(scenario.seed);
  const bool as_committed = !changed && used == scenario.seed;
  Outcome outcome{.run = run(scenario, used, tracing, {.digest = as_committed}), .twins = {}};
  ran();
  for (std::size_t i = 0; i < scenario.twins.size(); ++i) {
    Run twin =
        run(document.twin(i, words), used, tracing, {.contention = true, .digest = as_committed});
    twin.twin = in_words(scenario.twins[i].changes);
    outcome.twins.push_back(std::move(twin));
    ran();
  }
  return outcome;
}

std::optional<PassedStep> PassedSteps::read(const sim::TraceRecord& record) {
  using sim::TraceKind;
  if (record.kind == TraceKind::timed_out) given_up_.insert(record.message);
  if (record.role == Role::none) return std::nullopt;
  if (record.kind == TraceKind::sent && !record.reply)
    return PassedStep{record.process, record.peer, record.role, sim::Phase::sent};
  if (record.kind == TraceKind::sent)
    return PassedStep{record.peer, record.process, record.role, sim::Phase::applied};
  if (record.kind == TraceKind::delivered && record.reply && !given_up_.contains(record.answers))
    return PassedStep{record.peer, record.process, record.role, sim::Phase::replied};
  return std::nullopt;
}

std::vector<std::string> steps_reached(const sim::Trace& trace,
                                       const std::vector<std::string>& processes) {
  // In the order in which a client takes the steps: by role and phase, with marks last.
  constexpr unsigned kMark = 1000;
  std::map<std::tuple<sim::ProcessId, unsigned, std::string>, std::uint32_t> counts;
  PassedSteps passed;
  for (const sim::TraceRecord& record : trace.records) {
    if (record.kind == sim::TraceKind::mark) {
      ++counts[{record.process, kMark, fmt::format("mark:{}", trace.payload(record))}];
    } else if (const auto step = passed.read(record)) {
      ++counts[{step->client,
                static_cast<unsigned>(step->role) * 3u + static_cast<unsigned>(step->phase),
                fmt::format("{}.{}", picklock::name(step->role), sim::name(step->phase))}];
    }
  }
  std::vector<std::string> steps;
  for (const auto& [step, times] : counts) {
    const auto& [process, rank, name] = step;
    steps.push_back(fmt::format("{} {} x{}", processes[process], name, times));
  }
  return steps;
}

}  // namespace picklock::scenarios
