#include "reports/run_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/page_data.h"
#include "reports/page_template.h"
#include "reports/promise.h"
#include "reports/story_json.h"
#include "reports/violation.h"
#include "reports/wording.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::ordered_json;
using scenarios::Run;

Json verdicts(const Run& run) {
  Json out = Json::array();
  for (const properties::Verdict& verdict : run.verdicts) {
    const scenarios::Promised& promised = run.promised[static_cast<std::size_t>(verdict.property)];
    const bool violated = verdict.outcome == properties::Outcome::violated;
    out.push_back({{"property", name(verdict.property)},
                   {"meaning", meaning(verdict.property)},
                   {"outcome", properties::name(verdict.outcome)},
                   {"count", verdict.count},
                   {"promise", promise(promised)},
                   {"premise", promised.premise},
                   {"broken", violated && promised_here(promised)}});
  }
  return out;
}

Json page_document(const Run& run) {
  return {{"scenario", run.scenario.name},
          {"source", run.scenario.source},
          {"twin", run.twin ? Json(*run.twin) : Json()},
          {"digest", digest(run.digest)},
          {"events", run.events},
          {"ended", measured(run.ended - sim::kStart)},
          {"as_expected", run.as_expected()},
          {"surprises", run.surprises},
          {"verdicts", verdicts(run)},
          {"story", story_json(run)}};
}

}  // namespace

std::string run_page(const scenarios::Outcome& outcome, const std::string& repeat_command) {
  Json runs = Json::array({page_document(outcome.run)});
  for (const Run& twin : outcome.twins) runs.push_back(page_document(twin));
  const Json page = {{"command", repeat_command},
                     {"as_expected", outcome.as_expected()},
                     {"runs", std::move(runs)}};
  return filled(run_template(),
                fmt::format(R"(<script type="application/json" id="run">{}</script>)",
                            without_tags(text_of(page))));
}

}  // namespace picklock::reports
