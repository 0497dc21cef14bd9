// page_sample [--full | --run SCENARIO] OUT.html: a page for the browser's tests. The stories of a
// comparison are runs of the shipped scenarios; its counts, rates and prices are made up, the same
// ones every time. With --run, the page of one shipped scenario.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "models/locks/catalogue.h"
#include "reports/page.h"
#include "reports/run_page.h"
#include "reports/violation.h"
#include "scenarios/fault_classes.h"
#include "scenarios/shipped.h"

namespace {

using namespace picklock;
using Json = nlohmann::ordered_json;

constexpr std::size_t kStoriesOfAFullPage = 1000;

// 64-bit FNV-1a: numbers that look drawn and are the same on every machine.
std::uint64_t number(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash ^ (hash >> 29);
}

double part(const std::string& text) { return static_cast<double>(number(text) % 1000) / 1000; }

struct Find {
  std::string algorithm;
  std::string column;
  std::string fencing;
  std::string property;
  std::string file;
  std::string title;
  std::size_t faults = 0;
  bool promised = false;
};

std::string column_of(const scenarios::Run& run) {
  std::string column;
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    if (!run.met.has(static_cast<FaultClass>(i))) continue;
    if (!column.empty()) return "all";
    column = kFaultClassNames[i];
  }
  return column.empty() ? "none" : column;
}

std::vector<std::string> properties() {
  std::vector<std::string> all;
  for (const std::string_view property : kPropertyNames) {
    if (property != "balanced-holds") all.emplace_back(property);
  }
  return all;
}

class Sample {
 public:
  explicit Sample(bool full) : full_(full) {
    columns_.emplace_back("none");
    for (const std::string_view name : kFaultClassNames) columns_.emplace_back(name);
    columns_.emplace_back("all");
  }

  std::string html() {
    collect();
    if (full_) multiply();
    const Json document = comparison();
    return page_.html(document.dump());
  }

 private:
  bool wanted(const std::string& algorithm) const {
    static const std::set<std::string> kFew = {
        "set-px-blind-delete", "lua-check-delete", "watchdog",       "redlock",
        "lease-store-lock",    "zk-sequential",    "mysql-get-lock", "redisson-lock"};
    return full_ || kFew.contains(algorithm);
  }

  // Every shipped story that breaks something, and those of its twins.
  void collect() {
    scenarios::Runner runner;
    for (const auto& [name, path] : scenarios::documented(scenarios::shipped::kDirectory)) {
      const scenarios::Outcome outcome =
          runner.run_file(scenarios::shipped::document(name), std::nullopt, false, true);
      keep(outcome.run, path);
      for (std::size_t i = 0; i < outcome.twins.size(); ++i)
        keep(outcome.twins[i], fmt::format("scenarios/{}.twin-{}.toml", name, i + 1));
    }
  }

  void keep(const scenarios::Run& run, const std::string& file) {
    if (!wanted(run.scenario.lock.algorithm)) return;
    bool told = false;
    for (const properties::Verdict& verdict : run.verdicts) {
      const std::string property(picklock::name(verdict.property));
      if (verdict.outcome != properties::Outcome::violated || property == "balanced-holds")
        continue;
      const bool fenced = run.scenario.servers.resource.fencing != scenarios::Fencing::none;
      finds_.push_back(
          {.algorithm = run.scenario.lock.algorithm,
           .column = column_of(run),
           .fencing = fenced ? "ideal" : "none",
           .property = property,
           .file = file,
           .title = run.scenario.title,
           .faults = run.fired.size(),
           .promised = run.promised[static_cast<std::size_t>(verdict.property)].promised});
      told = true;
    }
    if (!told) return;
    page_.add(file, {.run = run, .twins = {}});
    runs_.emplace_back(file, run);
  }

  // The stories again, under other seeds' names, spread over locks and columns.
  void multiply() {
    const std::vector<std::string> all = properties();
    for (std::size_t i = 0; finds_.size() < kStoriesOfAFullPage; ++i) {
      scenarios::Run run = runs_[i % runs_.size()].second;
      run.seed = 2 + i;
      for (scenarios::FiredFault& fired : run.fired) fired.at += std::chrono::microseconds(i);
      for (sim::TraceRecord& record : run.trace.records) record.at += std::chrono::microseconds(i);
      for (history::HistoryEvent& event : run.history) event.at += std::chrono::microseconds(i);
      const std::string file = fmt::format("picklock-out/compare/found/{}.toml", i);
      const auto& algorithms = models::locks::all();
      finds_.push_back(
          {.algorithm = std::string(algorithms[number(file) % algorithms.size()]->name),
           .column = columns_[1 + number(file + "c") % (columns_.size() - 1)],
           .fencing = number(file + "f") % 3 == 0 ? "ideal" : "none",
           .property = all[number(file + "p") % all.size()],
           .file = file,
           .title = run.scenario.title,
           .faults = 1 + number(file + "n") % 3,
           .promised = false});
      page_.add(file, {.run = run, .twins = {}});
    }
  }

  Json comparison() {
    for (const Find& find : finds_)
      by_cell_[find.algorithm + '/' + find.column + '/' + find.fencing].try_emplace(find.property,
                                                                                    find);
    Json locks = Json::array();
    for (const models::Algorithm* algorithm : models::locks::all()) {
      if (wanted(std::string(algorithm->name))) locks.push_back(lock(*algorithm));
    }
    const std::string command = "picklock compare --seed 1 --runs 1000";
    return {
        {"seed", 1},
        {"runs", 1000},
        {"wall_seconds", 182.4},
        {"interrupted", false},
        {"command", command},
        {"workload",
         {{"text",
           "3 clients, each takes the lock twice and holds it for 4 s, under a lease of 9 s; up "
           "to 3 faults a run"},
          {"clients", 3},
          {"acquires", 2},
          {"hold_seconds", 4},
          {"think_seconds", 1},
          {"arrive_every_seconds", 1},
          {"lease_seconds", 9},
          {"most_faults", 3}}},
        {"columns", columns_},
        {"column_meanings", meanings()},
        {"properties", properties()},
        {"property_meanings", property_meanings()},
        {"locks", std::move(locks)}};
  }

  Json meanings() const {
    Json all = Json::object();
    for (const std::string& column : columns_) {
      FaultClasses classes = column == "all" ? FaultClasses::all() : FaultClasses();
      for (std::size_t i = 0; i < kFaultClassCount; ++i) {
        if (column == kFaultClassNames[i]) classes.add(static_cast<FaultClass>(i));
      }
      all[column] = scenarios::meaning_of(classes);
    }
    return all;
  }

  static Json property_meanings() {
    Json all = {{"unsafe", "the resource accepted a stale write"}};
    for (std::size_t i = 0; i < kPropertyCount; ++i)
      all[kPropertyNames[i]] = reports::meaning(static_cast<Property>(i));
    return all;
  }

  Json lock(const models::Algorithm& algorithm) const {
    const std::string name(algorithm.name);
    Json promises = Json::array();
    std::map<std::string, FaultClasses> promised;
    for (const Promise& promise : algorithm.promises(models::as_it_comes(algorithm))) {
      const std::string property(picklock::name(promise.property));
      Json under = Json::array({"none"});
      for (std::size_t i = 0; i < kFaultClassCount; ++i) {
        if (promise.under.has(static_cast<FaultClass>(i))) under.push_back(kFaultClassNames[i]);
      }
      promised[property] = promise.under;
      promises.push_back({{"property", property}, {"under", under}, {"premise", promise.premise}});
    }
    Json cells = Json::object();
    Json availability = Json::object();
    for (const std::string& column : columns_) {
      cells[column] = cell(name, column, promised);
      if (cells[column]["possible"]) availability[column] = 1 - part(name + column) / 4;
    }
    const double scale = 1 + 4 * part(name);
    return {{"name", name},
            {"summary", algorithm.summary},
            {"source", algorithm.source},
            {"server", algorithm.uses.server.key},
            {"promises", promises},
            {"cells", cells},
            {"price",
             {{"acquires", 5990},
              {"latency_p50_seconds", 2 * scale},
              {"latency_p99_seconds", 5 * scale},
              {"free_p50_seconds", 0.0004 * scale},
              {"free_p99_seconds", 0.001 * scale},
              {"handover_p50_seconds", 0.01 * scale},
              {"handover_p99_seconds", 0.05 * scale * scale},
              {"messages_per_acquire", 2.4 * scale},
              {"commands_per_acquire", 1.2 * scale},
              {"wakeups_per_release", nullptr},
              {"longest_overtaking", 2},
              {"availability", availability},
              {"recovery",
               {{"crashes", 412},
                {"p50_seconds", 1.3 * scale},
                {"longest_seconds", 2.3 * scale},
                {"bound_seconds", 12.1}}}}}};
  }

  Json cell(const std::string& name, const std::string& column,
            const std::map<std::string, FaultClasses>& promised) const {
    const bool found = by_cell_.contains(name + '/' + column + "/none") ||
                       by_cell_.contains(name + '/' + column + "/ideal");
    const bool possible =
        found || column == "none" || column == "all" || number(name + column) % 9 != 0;
    Json fencing = Json::object();
    if (possible) {
      for (const char* kind : {"none", "ideal"})
        fencing[kind] = result(name, column, kind, promised);
    }
    return {
        {"possible", possible},
        {"why_impossible", possible ? "" : "nothing that such a fault strikes takes part"},
        {"complete", possible && column != "none" ? complete(fencing["none"]) : Json()},
        {"command", fmt::format("picklock compare --algorithms {} --faults {} --seed 1 --runs 1000",
                                name, column)},
        {"fencing", fencing}};
  }

  // As if every second violation were possible with one fault or, where two were tried, with two.
  static Json complete(const Json& result) {
    Json violated = Json::object();
    for (const auto& [property, counted] : result.at("properties").items()) {
      const std::uint64_t violations = counted.at("violations");
      if (violations % 2 == 1) violated[property] = violations;
    }
    const int faults = violated.size() % 2 == 0 ? 2 : 1;
    Json fewest = Json::object();
    for (const auto& [property, plans] : violated.items()) fewest[property] = faults;
    if (violated.contains("no-stale-write")) fewest["unsafe"] = faults;
    return {{"faults", faults},
            {"plans", 4812},
            {"unsafe", violated.value("no-stale-write", 0)},
            {"violated", violated},
            {"fewest", fewest}};
  }

  static bool promised_under(const std::map<std::string, FaultClasses>& promised,
                             const std::string& property, const std::string& column) {
    const auto found = promised.find(property);
    if (found == promised.end()) return false;
    if (column == "all") return found->second.covers(FaultClasses::all());
    for (std::size_t i = 0; i < kFaultClassCount; ++i) {
      if (kFaultClassNames[i] == column) return found->second.has(static_cast<FaultClass>(i));
    }
    return true;
  }

  static Json interval(double rate) {
    return Json::array({rate * 0.82, rate == 0 ? 0.004 : std::min(1.0, rate * 1.16 + 0.002)});
  }

  Json result(const std::string& name, const std::string& column, const std::string& fencing,
              const std::map<std::string, FaultClasses>& promised) const {
    const std::string where = name + '/' + column + '/' + fencing;
    const auto finds = by_cell_.find(where);
    const std::uint64_t runs = 900 + number(where) % 100;
    std::uint64_t unsafe = 0;
    Json out = Json::object();
    for (const std::string& property : properties()) {
      const Find* find = nullptr;
      if (finds != by_cell_.end()) {
        const auto one = finds->second.find(property);
        if (one != finds->second.end()) find = &one->second;
      }
      const std::uint64_t drawn = number(where + property);
      const std::uint64_t violations = find == nullptr ? 0
                                                       : 1 + drawn % (drawn % 3 == 0   ? runs
                                                                      : drawn % 3 == 1 ? 90
                                                                                       : 9);
      const double rate = static_cast<double>(violations) / static_cast<double>(runs);
      out[property] = {{"verdict", find != nullptr ? "violated" : "holds"},
                       {"promised", promised_under(promised, property, column)},
                       {"violations", violations},
                       {"broken", find != nullptr && find->promised ? violations : 0},
                       {"rate", rate},
                       {"interval", interval(rate)}};
      if (find == nullptr) continue;
      if (property == "no-stale-write" || property == "resource-exclusion")
        unsafe = std::max(unsafe, violations);
      out[property]["smallest"] = {
          {"faults", find->faults}, {"run", drawn % runs},
          {"title", find->title},   {"minimal", true},
          {"file", find->file},     {"command", "picklock run " + find->file}};
    }
    const double rate = static_cast<double>(unsafe) / static_cast<double>(runs);
    const std::uint64_t asked = runs * 6;
    const auto granted = asked - static_cast<std::uint64_t>(part(where) * 500);
    return {{"runs", runs},
            {"idle", 1000 - runs},
            {"cut_short", 0},
            {"crashed", 0},
            {"faults", column == "none" ? 0 : runs * 3 / 2},
            {"left_out", number(where) % 12},
            {"availability",
             {{"asked", asked},
              {"granted", granted},
              {"rate", static_cast<double>(granted) / static_cast<double>(asked)}}},
            {"unsafe", {{"runs", unsafe}, {"rate", rate}, {"interval", interval(rate)}}},
            {"safety_table", unsafe > 0 || number(where) % 4 == 0 ? "unsafe" : "safe"},
            {"properties", out}};
  }

  const bool full_;
  std::vector<std::string> columns_;
  reports::Page page_;
  std::vector<Find> finds_;
  std::vector<std::pair<std::string, scenarios::Run>> runs_;
  std::map<std::string, std::map<std::string, Find>> by_cell_;  // then by property
};

std::string run_sample(const std::string& scenario) {
  scenarios::Runner runner;
  return reports::run_page(
      runner.run_file(scenarios::shipped::document(scenario), std::nullopt, false, true),
      "picklock run " + scenario);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool full = !arguments.empty() && arguments.front() == "--full";
  const bool run = arguments.size() == 3 && arguments.front() == "--run";
  if (arguments.size() != (full ? 2U : run ? 3U : 1U)) {
    fmt::print(stderr, "usage: page_sample [--full | --run SCENARIO] OUT.html\n");
    return 2;
  }
  std::ofstream file(arguments.back(), std::ios::binary);
  file << (run ? run_sample(arguments[1]) : Sample(full).html());
  return file.flush() ? 0 : 1;
}
