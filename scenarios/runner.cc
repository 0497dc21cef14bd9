#include "scenarios/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "models/locks/catalogue.h"
#include "scenarios/duration_text.h"

namespace picklock::scenarios {
namespace {

LongestWait longest_wait(const sim::History& history, sim::Instant ended) {
  std::vector<std::pair<sim::Instant, sim::ProcessId>> waiting;  // by tenure
  LongestWait longest;
  const auto finish = [&](sim::TenureId tenure, sim::Instant at) {
    if (tenure >= waiting.size() || waiting[tenure].first == sim::kNever) return;
    const Duration length = at - waiting[tenure].first;
    if (length > longest.length) longest = {length, waiting[tenure].second};
    waiting[tenure].first = sim::kNever;
  };
  for (const sim::HistoryEvent& event : history) {
    switch (event.what) {
      case sim::What::acquire_invoked:
        if (waiting.size() <= event.tenure) waiting.resize(event.tenure + 1, {sim::kNever, 0});
        waiting[event.tenure] = {event.at, event.process};
        break;
      case sim::What::acquire_ok:
      case sim::What::acquire_failed:
      case sim::What::acquire_unknown:
        finish(event.tenure, event.at);
        break;
      case sim::What::process_crashed:
        for (auto& [since, process] : waiting) {
          if (process == event.process) since = sim::kNever;
        }
        break;
      default:
        break;
    }
  }
  for (sim::TenureId tenure = 0; tenure < waiting.size(); ++tenure) finish(tenure, ended);
  return longest;
}

}  // namespace

const Vocabulary& shipped_vocabulary() {
  static const Vocabulary vocabulary = [] {
    Vocabulary words;
    for (const models::Algorithm* algorithm : models::locks::all()) {
      words.algorithms.push_back({std::string(algorithm->name),
                                  algorithm->roles,
                                  {algorithm->marks.begin(), algorithm->marks.end()}});
    }
    return words;
  }();
  return vocabulary;
}

Run Runner::run(const Scenario& scenario, std::uint64_t seed, bool tracing) {
  Run run;
  run.scenario = scenario;
  run.seed = seed;
  world_.set(run.scenario);
  world_.run(seed, !tracing);
  const std::uint64_t before = world_.digest();
  world_.run(seed, tracing);
  run.digest = world_.digest();
  if (run.digest != before) {
    throw std::logic_error(
        fmt::format("{} with seed {} is not deterministic: {:016x}, then {:016x}", scenario.name,
                    seed, before, run.digest));
  }
  run.events = world_.events();
  run.ended = world_.ended();
  run.history = world_.history();
  run.trace = world_.trace();
  run.verdicts = world_.verdicts();
  run.processes = world_.processes();
  run.keys = world_.keys();
  run.grants = world_.grants();
  for (const auto& firing : world_.fired()) run.fired.push_back({firing.fault, firing.at});
  run.longest_wait = longest_wait(run.history, run.ended);
  if (run.fired.size() < scenario.faults.size()) {
    if (!tracing) world_.run(seed, true);
    Run traced;
    traced.trace = world_.trace();
    traced.processes = run.processes;
    run.steps_reached = steps_reached(traced);
  }
  world_.set(scenario);
  return run;
}

void Runner::compare(Run& run, const Expectation& expect, bool digest_counts) {
  for (const properties::Verdict& verdict : run.verdicts) {
    const bool listed = std::find(expect.violated.begin(), expect.violated.end(),
                                  verdict.property) != expect.violated.end();
    const auto wanted = listed ? properties::Outcome::violated : properties::Outcome::holds;
    if (verdict.outcome == wanted) continue;
    run.surprises.push_back(fmt::format(
        "{} was expected {} and {}", name(verdict.property), listed ? "to be violated" : "to hold",
        verdict.outcome == properties::Outcome::holds      ? "holds"
        : verdict.outcome == properties::Outcome::violated ? "is violated"
                                                           : "is unknown"));
  }
  std::vector<bool> fired(run.scenario.faults.size());
  for (const FiredFault& one : run.fired) fired[one.fault] = true;
  for (std::size_t i = 0; i < fired.size(); ++i) {
    if (!fired[i]) run.surprises.push_back(fmt::format("fault {} did not fire", i + 1));
  }
  if (expect.longest_wait) {
    const auto [low, high] = *expect.longest_wait;
    if (run.longest_wait.length < low || run.longest_wait.length > high) {
      run.surprises.push_back(fmt::format("the longest wait was {}, expected {} to {}",
                                          to_text(run.longest_wait.length), to_text(low),
                                          to_text(high)));
    }
  }
  if (digest_counts && expect.digest && *expect.digest != run.digest) {
    run.surprises.push_back(
        fmt::format("the digest is {:016x}, committed is {:016x}", run.digest, *expect.digest));
  }
}

Outcome Runner::run_file(const Document& document, std::optional<std::uint64_t> seed, bool changed,
                         bool tracing) {
  const Vocabulary& words = shipped_vocabulary();
  const Scenario scenario = document.scenario(words);
  const std::uint64_t used = seed.value_or(scenario.seed);
  const bool digest_counts = !changed && used == scenario.seed;
  Outcome outcome{.run = run(scenario, used, tracing), .twins = {}};
  compare(outcome.run, scenario.expect, digest_counts);
  for (std::size_t i = 0; i < scenario.twins.size(); ++i) {
    const Twin& twin = scenario.twins[i];
    Run twin_run = run(document.twin(i, words), used, tracing);
    twin_run.twin = twin.change.path + " = " + twin.change.value;
    compare(twin_run, twin.expect, digest_counts);
    if (twin_run.grants < 2)
      twin_run.surprises.push_back("fewer than two grants: nothing was contended");
    outcome.twins.push_back(std::move(twin_run));
  }
  return outcome;
}

std::vector<std::string> steps_reached(const Run& run) {
  std::map<std::tuple<sim::ProcessId, std::uint8_t, sim::Phase>, std::uint32_t> counts;
  for (const sim::TraceRecord& record : run.trace.records) {
    if (record.role == 0) continue;
    if (record.kind == sim::TraceKind::sent) {
      if (!record.reply) ++counts[{record.process, record.role, sim::Phase::sent}];
      if (record.reply) ++counts[{record.peer, record.role, sim::Phase::applied}];
    } else if (record.kind == sim::TraceKind::delivered && record.reply) {
      ++counts[{record.peer, record.role, sim::Phase::replied}];
    }
  }
  std::vector<std::string> steps;
  for (const auto& [step, times] : counts) {
    const auto& [process, role, phase] = step;
    steps.push_back(fmt::format("{} {}.{} x{}", run.processes[process],
                                models::name(static_cast<models::Role>(role)), sim::name(phase),
                                times));
  }
  return steps;
}

}  // namespace picklock::scenarios
