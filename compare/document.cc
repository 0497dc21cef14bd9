#include "compare/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compare/agreement.h"
#include "compare/price.h"
#include "compare/workload.h"
#include "reports/violation.h"
#include "scenarios/fault_classes.h"

namespace picklock::compare {
namespace {

using Json = nlohmann::ordered_json;

double seconds(sim::Duration length) { return static_cast<double>(length.count()) / 1e9; }

Json seconds(std::optional<sim::Duration> length) {
  return length ? Json(seconds(*length)) : Json(nullptr);
}

Json ratio(std::optional<double> number) { return number ? Json(*number) : Json(nullptr); }

Json rate_of(std::uint64_t hits, std::uint64_t runs) {
  const Interval interval = wilson_95(hits, runs);
  return {{"rate", ratio(compare::share(hits, runs))}, {"interval", {interval.low, interval.high}}};
}

Json under(const Promise& promise) {
  Json classes = Json::array();
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    if (promise.under.has(static_cast<FaultClass>(i))) classes.push_back(kFaultClassNames[i]);
  }
  return classes;
}

Json property_meanings() {
  Json meanings = {
      {"unsafe",
       "the resource accepted a stale write, or the operations of two holders were mixed"}};
  for (std::size_t i = 0; i < kPropertyCount; ++i)
    meanings[kPropertyNames[i]] = reports::meaning(static_cast<Property>(i));
  return meanings;
}

class Writer {
 public:
  Writer(const Comparison& comparison, const Made& made)
      : comparison_(comparison), made_(made), expected_(expected(comparison)) {}

  std::string write() const {
    Json columns = Json::array();
    Json meanings = Json::object();
    for (const Column& column : comparison_.columns()) {
      columns.push_back(column.name);
      meanings[column.name] = scenarios::meaning_of(column.classes);
    }
    Json locks = Json::array();
    for (std::size_t i = 0; i < comparison_.locks().size(); ++i) locks.push_back(lock(i));
    const std::optional<std::uint64_t> runs = runs_of_each(comparison_);
    return Json{{"seed", comparison_.options().seed},
                {"runs", runs ? Json(*runs) : Json(nullptr)},
                {"wall_seconds", made_.wall_seconds ? Json(*made_.wall_seconds) : Json()},
                {"interrupted", made_.interrupted},
                {"command", made_.command},
                {"workload", workload()},
                {"columns", std::move(columns)},
                {"column_meanings", std::move(meanings)},
                {"properties", kPropertyNames},
                {"property_meanings", property_meanings()},
                {"safety_table", safety_table()},
                {"locks", std::move(locks)}}
               .dump(1) +
           '\n';
  }

 private:
  Json workload() const {
    const scenarios::ClientsSpec& clients = comparison_.locks().front().workload.clients;
    const std::optional<sim::Duration> lease = comparison_.lease();
    return {{"text", in_words(clients, lease)},
            {"clients", clients.count},
            {"acquires", clients.cycles},
            {"hold_seconds", seconds(scenarios::length_of_section(clients))},
            {"think_seconds", seconds(clients.think)},
            {"arrive_every_seconds", seconds(clients.arrive_every)},
            {"lease_seconds", lease ? Json(seconds(*lease)) : Json()},
            {"most_faults", kMostFaults}};
  }

  Json safety_table() const {
    const Agreement both = agreement(comparison_);
    const auto labels = [&](const std::vector<CellName>& cells) {
      Json all = Json::array();
      for (const CellName& cell : cells) all.push_back(comparison_.label(cell));
      return all;
    };
    return {{"cells", both.all()},
            {"agree", both.agree},
            {"not_found", labels(both.not_found)},
            {"against", labels(both.against)}};
  }

  Json lock(std::size_t index) const {
    const Comparison::Lock& one = comparison_.locks()[index];
    const models::LockOptions options = scenarios::lock_options(one.workload);
    Json promises = Json::array();
    for (const Promise& promise : one.algorithm->promises(options)) {
      promises.push_back({{"property", picklock::name(promise.property)},
                          {"under", under(promise)},
                          {"premise", promise.premise}});
    }
    Json cells = Json::object();
    for (std::size_t column = 0; column < comparison_.columns().size(); ++column)
      cells[comparison_.columns()[column].name] = cell(index, column);
    return {{"name", one.algorithm->name},
            {"summary", one.algorithm->summary},
            {"source", one.algorithm->source},
            {"server", one.algorithm->uses.server.key},
            {"promises", std::move(promises)},
            {"cells", std::move(cells)},
            {"price", price(index)}};
  }

  Json cell(std::size_t lock, std::size_t column) const {
    const std::string& why = comparison_.why_impossible(lock, column);
    Json fencing = Json::object();
    if (why.empty()) {
      for (const bool fenced : {false, true})
        fencing[std::string(fencing_name(fenced))] = half({lock, column, fenced});
    }
    return {{"possible", why.empty()},
            {"why_impossible", why},
            {"complete", complete(lock, column)},
            {"command", command(comparison_, {lock, column, false})},
            {"fencing", std::move(fencing)}};
  }

  // The results of every plan of at most so many faults.
  Json complete(std::size_t lock, std::size_t column) const {
    const std::optional<Complete> complete = comparison_.complete(lock, column);
    if (!complete) return nullptr;
    Measures all;
    for (const Measures& measures : complete->with) all.add(measures);
    Json violated = Json::object();
    Json fewest = Json::object();
    if (all.unsafe > 0) fewest["unsafe"] = complete->fewest_for_harm();
    for (std::size_t i = 0; i < kPropertyCount; ++i) {
      const PropertyCount& count = all.properties[i];
      if (count.violations == 0) continue;
      const std::string name(kPropertyNames[i]);
      violated[name] = count.violations;
      fewest[name] = complete->fewest_for(static_cast<Property>(i));
    }
    return {{"faults", complete->faults()},
            {"plans", all.made},
            {"unsafe", all.unsafe},
            {"violated", std::move(violated)},
            {"fewest", std::move(fewest)}};
  }

  Json by_safety_table(const CellName& name) const {
    const auto found = expected_.find(name);
    if (found == expected_.end()) return nullptr;
    return found->second == safety_table::Reach::unsafe ? "unsafe" : "safe";
  }

  Json half(const CellName& name) const {
    const Measures& measures = comparison_.known(name).measures;
    Json unsafe = {{"runs", measures.unsafe}};
    unsafe.update(rate_of(measures.unsafe, measures.counted()));
    Json properties = Json::object();
    for (const std::string_view property : kPropertyNames)
      properties[std::string(property)] = this->property(name, *property_named(property));
    Json crashes = Json::array();
    for (const auto& [run, how] : comparison_.known(name).crashes)
      crashes.push_back({{"run", run + 1}, {"how", how}});
    return {{"made", comparison_.known(name).runs},
            {"runs", measures.counted()},
            {"idle", measures.idle},
            {"cut_short", measures.cut_short},
            {"crashed", measures.crashed},
            {"crashes", std::move(crashes)},
            {"faults", measures.faults},
            {"left_out", measures.left_out},
            {"availability",
             {{"asked", measures.asked},
              {"granted", measures.granted},
              {"rate", ratio(compare::share(measures.granted, measures.asked))}}},
            {"unsafe", std::move(unsafe)},
            {"safety_table", by_safety_table(name)},
            {"properties", std::move(properties)}};
  }

  Json property(const CellName& name, Property property) const {
    const Known& known = comparison_.known(name);
    const PropertyCount& count = known.measures.properties[static_cast<std::size_t>(property)];
    Json json = {{"verdict", verdict(known.measures, count)},
                 {"promised", is_promised(comparison_, name, property)},
                 {"violations", count.violations},
                 {"broken", count.broken}};
    json.update(rate_of(count.violations, known.measures.counted()));
    const auto [teller, story] = comparison_.told(name, property);
    if (story == nullptr) return json;
    const Story& told = *story;
    json["smallest"] = {
        {"faults", told.faults},
        {"column", comparison_.columns()[teller.column].name},
        {"run", told.sighting.run + 1},
        {"title", told.title},
        {"minimal", told.minimal},
        {"file", told.file},
        {"command", told.file.empty() ? std::string() : made_.run_command(told.file)}};
    return json;
  }

  static std::string_view verdict(const Measures& measures, const PropertyCount& count) {
    if (count.violations > 0) return "violated";
    return measures.counted() > 0 ? "holds" : "unknown";
  }

  Json price(std::size_t lock) const {
    const PriceList list = price_list(comparison_, lock);
    Json availability = Json::object();
    for (const auto& [column, rate] : list.availability) availability[column] = ratio(rate);
    return {{"acquires", list.acquires},
            {"latency_p50_seconds", seconds(list.latency_p50)},
            {"latency_p99_seconds", seconds(list.latency_p99)},
            {"free_p50_seconds", seconds(list.free_p50)},
            {"free_p99_seconds", seconds(list.free_p99)},
            {"handover_p50_seconds", seconds(list.handover_p50)},
            {"handover_p99_seconds", seconds(list.handover_p99)},
            {"messages_per_acquire", ratio(list.messages_per_acquire)},
            {"commands_per_acquire", ratio(list.commands_per_acquire)},
            {"wakeups_per_release", ratio(list.wakeups_per_release)},
            {"longest_overtaking", list.acquires > 0 ? Json(list.longest_overtaking) : Json()},
            {"availability", std::move(availability)},
            {"recovery",
             {{"crashes", list.crashes},
              {"never", list.never_recovered},
              {"p50_seconds", seconds(list.recovery_p50)},
              {"longest_seconds", seconds(list.recovery_longest)},
              {"bound_seconds", seconds(list.recovery_bound)}}}};
  }

  const Comparison& comparison_;
  const Made& made_;
  const std::map<CellName, safety_table::Reach> expected_;
};

}  // namespace

std::string json(const Comparison& comparison, const Made& made) {
  return Writer(comparison, made).write();
}

}  // namespace picklock::compare
