#include "reports/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/narrator.h"
#include "reports/violation.h"
#include "scenarios/verbs/kind.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;

// Nanoseconds divided once are the double nearest to the exact value, which prints with its own
// digits.
double in_seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }
double in_seconds(sim::Instant at) { return in_seconds(sim::nanoseconds(at)); }

Json witnesses(const Run& run, const Narrator& narrator) {
  Json out = Json::array();
  for (const properties::Verdict& verdict : run.verdicts) {
    for (const Witness& witness : verdict.witnesses) {
      const Violation violation(narrator, verdict.property, witness);
      Json processes = Json::array();
      for (const sim::ProcessId process : violation.concerned()) {
        processes.push_back(narrator.process(process));
      }
      const history::HistoryEvent* event = violation.broke_at();
      out.push_back({{"property", name(verdict.property)},
                     {"sentence", violation.sentence()},
                     {"at", event != nullptr ? Json(in_seconds(event->at)) : Json()},
                     {"processes", std::move(processes)}});
    }
  }
  return out;
}

Json fault_fields(const Run& run, std::uint32_t index) {
  Json out = {{"fault", index + std::uint64_t{1}}};
  if (index >= run.scenario.faults.size()) return out;
  const sim::Fault& fault = run.scenario.faults[index];
  out["verb"] = verbs::name(fault.verb);
  out["target"] = fault.target;
  return out;
}

Json document(const Run& run) {
  const Narrator narrator(run);
  Json verdicts = Json::object();
  Json promised = Json::object();
  for (const properties::Verdict& verdict : run.verdicts) {
    const std::string property(name(verdict.property));
    verdicts[property] = properties::name(verdict.outcome);
    promised[property] = run.promised[static_cast<std::size_t>(verdict.property)].promised;
  }
  Json fired = Json::array();
  Json in_vain = Json::array();
  for (const scenarios::FiredFault& fault : run.fired) {
    Json& list = fault.in_vain.empty() ? fired : in_vain;
    list.push_back(fault_fields(run, fault.fault));
    list.back()["at"] = in_seconds(fault.at);
    if (!fault.in_vain.empty()) list.back()["because"] = fault.in_vain;
  }
  Json not_fired = Json::array();
  for (std::uint32_t i = 0; i < run.scenario.faults.size(); ++i) {
    if (fired_fault(run, i) == nullptr) not_fired.push_back(fault_fields(run, i));
  }
  return {{"scenario", run.scenario.name},
          {"title", run.scenario.title},
          {"source", run.scenario.source},
          {"algorithm", run.scenario.lock.algorithm},
          {"seed", run.seed},
          {"digest", digest(run.digest)},
          {"events", run.events},
          {"virtual_seconds", in_seconds(run.ended)},
          {"verdicts", std::move(verdicts)},
          {"promised", std::move(promised)},
          {"witnesses", witnesses(run, narrator)},
          {"faults_fired", std::move(fired)},
          {"faults_in_vain", std::move(in_vain)},
          {"faults_not_fired", std::move(not_fired)},
          {"steps_reached", run.steps_reached},
          {"longest_wait_seconds", in_seconds(run.longest_wait.length.count())},
          {"longest_idle_seconds", in_seconds(run.longest_idle.length.count())},
          {"wakeups",
           {{"all", run.wakeups.all},
            {"releases", run.wakeups.by},
            {"most_by_one_release", run.wakeups.most}}},
          {"grants", run.grants},
          {"surprises", run.surprises},
          {"as_expected", run.as_expected()}};
}

// Texts of a user may not be UTF-8; the document must be.
std::string written(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string json(const scenarios::Outcome& outcome) {
  Json out = document(outcome.run);
  Json twins = Json::array();
  for (const Run& run : outcome.twins) {
    Json twin = document(run);
    twin["change"] = run.twin.value_or("");
    twins.push_back(std::move(twin));
  }
  out["as_expected"] = outcome.as_expected();
  out["twins"] = std::move(twins);
  return written(out);
}

std::string json_error(const std::string& scenario, const std::string& problem) {
  return written({{"scenario", scenario}, {"error", problem}});
}

std::string json_array(const std::vector<std::string>& objects) {
  std::string all = "[";
  for (const std::string& object : objects) {
    all += all.size() == 1 ? "\n  " : ",\n  ";
    // A line break is never part of a string of JSON, so all of them can be indented.
    for (const char letter :
         std::string_view(object).substr(0, object.find_last_not_of('\n') + 1)) {
      all += letter;
      if (letter == '\n') all += "  ";
    }
  }
  return all + "\n]\n";
}

}  // namespace picklock::reports
