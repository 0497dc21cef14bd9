// A counterexample that a process has kept, as text for another process.
#include <nlohmann/json.hpp>

#include "explore/keeper.h"

namespace picklock::explore {
namespace {

using Json = nlohmann::ordered_json;
using scenarios::Scenario;

Json json(const Violation& one) {
  return {{"property", static_cast<int>(one.property)}, {"role", one.role}, {"other", one.other}};
}

Violation violation_from(const Json& json) {
  return {.property = static_cast<Property>(json.at("property").get<int>()),
          .role = json.at("role"),
          .other = json.at("other")};
}

}  // namespace

std::string to_text(const Keeper::Kept& kept) {
  const Find& find = kept.find;
  Json slipped = Json::array();
  for (const Lead& lead : kept.slipped) {
    slipped.push_back(
        {{"run", lead.run}, {"violation", json(lead.violation)}, {"file", lead.file}});
  }
  return Json{{"violation", json(find.violation)},
              {"run", find.run},
              {"slipped", find.slipped},
              {"faults", find.faults},
              {"minimal", find.minimal},
              {"shrunk_in", find.shrunk_in},
              {"promised", find.promised},
              {"text", find.text},
              {"leads", slipped}}
      .dump();
}

Keeper::Kept kept_from(const std::string& text, const Scenario& base) {
  const Json json = Json::parse(text);
  Keeper::Kept kept{.find = {.violation = violation_from(json.at("violation")),
                             .run = json.at("run"),
                             .slipped = json.at("slipped"),
                             .faults = json.at("faults"),
                             .minimal = json.at("minimal"),
                             .shrunk_in = json.at("shrunk_in"),
                             .text = json.at("text"),
                             .story = {},
                             .promised = json.at("promised")},
                    .slipped = {}};
  kept.find.story = story_from(kept.find.text, kept.find.violation.property, base);
  for (const Json& lead : json.at("leads")) {
    kept.slipped.push_back({.run = lead.at("run"),
                            .violation = violation_from(lead.at("violation")),
                            .file = lead.at("file")});
  }
  return kept;
}

}  // namespace picklock::explore
