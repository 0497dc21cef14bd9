#include "explore/shared_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "explore/strategies/list.h"
#include "explore/workers/wire.h"
#include "scenarios/writer.h"

namespace picklock::explore {
namespace {

using Json = nlohmann::ordered_json;
using workers::HasFields;

// Values as one flat array, by the functions `fields` that the wire uses as well. It is text, and
// the same on every machine.
class ArrayWriter {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }

  // Most of the numbers are 0: [n] stands for n zeros.
  std::string text() const {
    Json out = Json::array();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      std::size_t zeros = 0;
      while (i + zeros < all_.size() && all_[i + zeros] == 0) ++zeros;
      if (zeros > 1) {
        out.push_back(Json::array({zeros}));
        i += zeros - 1;
      } else {
        out.push_back(all_[i]);
      }
    }
    return out.dump(-1, ' ', true, Json::error_handler_t::replace);
  }

 private:
  template <typename Value>
  void put(const Value& value) {
    if constexpr (HasFields<ArrayWriter, Value>) {
      fields(*this, const_cast<Value&>(value));  // which a writer only reads
    } else if constexpr (std::is_enum_v<Value>) {
      put(static_cast<std::underlying_type_t<Value>>(value));
    } else {
      static_assert(std::is_integral_v<Value>);
      if constexpr (std::is_signed_v<Value>) {
        all_.emplace_back(static_cast<std::int64_t>(value));
      } else {
        all_.emplace_back(static_cast<std::uint64_t>(value));
      }
    }
  }
  void put(const std::string& text) { all_.emplace_back(text); }
  void put(const Duration& duration) { put(duration.count()); }
  void put(const sim::Instant& instant) { put(sim::nanoseconds(instant)); }
  template <typename Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename Value>
  void put(const std::vector<Value>& all) {
    put(all.size());
    for (const Value& one : all) put(one);
  }

  std::vector<Json> all_;
};

class ArrayReader {
 public:
  explicit ArrayReader(const std::string& text) {
    for (Json& one : Json::parse(text)) {
      if (one.is_array()) {
        all_.resize(all_.size() + one.at(0).get<std::size_t>(), Json(0));
      } else {
        all_.push_back(std::move(one));
      }
    }
  }

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }

 private:
  const Json& next() { return all_.at(next_++); }

  template <typename Value>
  void get(Value& value) {
    if constexpr (HasFields<ArrayReader, Value>) {
      fields(*this, value);
    } else if constexpr (std::is_enum_v<Value>) {
      value = static_cast<Value>(next().get<std::underlying_type_t<Value>>());
    } else if constexpr (std::is_same_v<Value, bool>) {
      value = next().get<int>() != 0;
    } else {
      value = next().get<Value>();
    }
  }
  void get(std::string& text) { text = next().get<std::string>(); }
  void get(Duration& duration) { duration = Duration(next().get<Duration::rep>()); }
  void get(sim::Instant& instant) { instant = sim::Instant(Duration(next().get<Duration::rep>())); }
  template <typename Value>
  void get(std::optional<Value>& value) {
    bool has = false;
    get(has);
    value.reset();
    if (has) get(value.emplace());
  }
  template <typename Value>
  void get(std::vector<Value>& all) {
    std::size_t size = 0;
    get(size);
    all.clear();
    while (all.size() < size) get(all.emplace_back());
  }

  std::vector<Json> all_;
  std::size_t next_ = 0;
};

}  // namespace

void PartResult::add(const Block& next, const std::vector<CrashedRun>& more) {
  block.tally.add(next.tally);
  for (const Sighting& one : next.sightings) {
    // As one block has them: one example of a limit for each property.
    const bool known =
        one.limit ? block.has_limit(one.violation.property) : block.has(one.violation, one.limit);
    if (!known) block.sightings.push_back(one);
  }
  block.known.resize(std::max(block.known.size(), next.known.size()));
  for (std::size_t i = 0; i < next.known.size(); ++i) block.known[i] += next.known[i];
  block.signs.insert(block.signs.end(), next.signs.begin(), next.signs.end());
  block.candidates.insert(block.candidates.end(), next.candidates.begin(), next.candidates.end());
  crashed.insert(crashed.end(), more.begin(), more.end());
}

std::string to_text(const PartResult& result) {
  ArrayWriter writer;
  writer(result);
  return writer.text();
}

PartResult part_result_from(const std::string& text) {
  PartResult result;
  ArrayReader reader(text);
  reader(result);
  return result;
}

std::string to_text(const SharedSearch& search) {
  const SearchOptions& options = search.options;
  Json classes = Json::array();
  for (std::size_t i = 0; i < kFaultClassCount; ++i) {
    const auto one = static_cast<FaultClass>(i);
    if (!options.all_classes && options.faults.classes.has(one))
      classes.push_back(picklock::name(one));
  }
  Json properties = Json::array();
  for (const Property one : options.properties) properties.push_back(picklock::name(one));
  Json except = Json::array();
  for (const Exception& one : options.except) except.push_back(one.text);
  Json against;
  if (options.against) {
    Json changes = Json::array();
    for (const scenarios::Change& one : options.against->changes)
      changes.push_back({one.path, one.value});
    against = {{"algorithm", options.against->algorithm},
               {"changes", changes},
               {"its_promises", options.against->its_promises}};
  }
  // The runs of a scenario that lists faults are made without them.
  const scenarios::Scenario scenario = without_plan(search.scenario);
  return Json{{"explore", 1},
              {"command", options.command},
              {"strategy", options.strategy},
              {"seed", options.seed},
              {"all_classes", options.all_classes},
              {"classes", classes},
              {"no_faults", options.faults.none},
              {"max_faults", options.faults.most},
              {"strikes", static_cast<int>(options.faults.strikes)},
              {"max_plans", options.most_plans},
              {"alike", options.alike},
              {"depth", options.depth},
              {"part", options.part},
              {"properties", properties},
              {"except", except},
              {"against", against},
              {"shrinking", {options.shrinking.runs, options.shrinking.events}},
              {"stop_after_finds", search.stop_after},
              {"name", scenario.name},
              {"scenario", scenarios::file_text(scenario)}}
      .dump();
}

SharedSearch shared_search_from(const std::string& text, const scenarios::Vocabulary& vocabulary) {
  const Json json = Json::parse(text);
  SearchOptions options{.strategy = strategies::named(json.at("strategy").get<std::string>()).name,
                        .seed = json.at("seed"),
                        .faults = {.none = json.at("no_faults"), .most = json.at("max_faults")},
                        .most_plans = json.at("max_plans"),
                        .alike = json.at("alike"),
                        .depth = json.at("depth"),
                        .part = json.at("part"),
                        .all_classes = json.at("all_classes"),
                        .command = json.at("command")};
  options.faults.strikes = static_cast<Strikes>(json.at("strikes").get<int>());
  options.shrinking = {.runs = json.at("shrinking").at(0), .events = json.at("shrinking").at(1)};
  for (const Json& one : json.at("classes")) {
    const auto found =
        std::find(kFaultClassNames.begin(), kFaultClassNames.end(), one.get<std::string>());
    options.faults.classes.add(static_cast<FaultClass>(found - kFaultClassNames.begin()));
  }
  for (const Json& one : json.at("properties"))
    options.properties.push_back(*property_named(one.get<std::string>()));
  const std::string name = json.at("name");
  scenarios::Scenario scenario = scenarios::parse(json.at("scenario"), name + ".toml", vocabulary);
  for (const Json& one : json.at("except"))
    options.except.push_back(exception_from(one.get<std::string>(), scenario));
  if (const Json& against = json.at("against"); !against.is_null()) {
    options.against = {.algorithm = against.at("algorithm"),
                       .its_promises = against.at("its_promises")};
    for (const Json& one : against.at("changes"))
      options.against->changes.push_back({.path = one.at(0), .value = one.at(1)});
  }
  return {.scenario = std::move(scenario),
          .options = std::move(options),
          .stop_after = json.at("stop_after_finds")};
}

std::optional<PartResult> SharedParts::find(const Span& runs) const {
  const StoreReader::Part* part = reader_.find({.runs = runs});
  if (part == nullptr) return std::nullopt;
  return part_result_from(part->result);
}

// A sighting needs what its run is drawn from, and not how the runs were divided.
void SharedParts::keep(const Span& runs, const PartResult& result) {
  PartResult kept = result;
  for (Sighting& one : kept.block.sightings) {
    one.batch.runs = {one.run, one.run + 1};
    one.batch.part = {};
  }
  writer_->write({.runs = runs}, to_text(kept));
}

}  // namespace picklock::explore
