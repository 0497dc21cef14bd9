#include "reports/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "reports/columns.h"
#include "reports/timeline.h"
#include "reports/wording.h"

namespace picklock::reports {
namespace {

constexpr const char* kOwnRun = "as the file has it";

}  // namespace

Junit::Case Junit::case_of(const scenarios::Run& run) {
  return {.name = run.twin ? "twin, " + *run.twin : kOwnRun,
          .algorithm = run.scenario.lock.algorithm,
          .digest = digest(run.digest),
          .surprises = run.surprises,
          .error_kind = {},
          .error = {}};
}

void Junit::Counts::add(const Case& one) {
  ++tests;
  if (!one.error_kind.empty()) ++errors;
  if (!one.surprises.empty()) ++failures;
  seconds += one.seconds;
}

void Junit::add(const scenarios::Outcome& outcome, const std::string& repeat_command,
                const std::vector<double>& seconds) {
  const scenarios::Scenario& scenario = outcome.run.scenario;
  Suite suite{.name = scenario.name,
              .title = scenario.title,
              .source = scenario.source,
              .seed = outcome.run.seed,
              .repeat_command = repeat_command,
              .story = {},
              .cases = {case_of(outcome.run)}};
  for (const scenarios::Run& twin : outcome.twins) suite.cases.push_back(case_of(twin));
  for (std::size_t i = 0; i < std::min(seconds.size(), suite.cases.size()); ++i)
    suite.cases[i].seconds = seconds[i];
  if (!outcome.as_expected()) suite.story = timeline(outcome, {.repeat_command = repeat_command});
  suites_.push_back(std::move(suite));
}

void Junit::add_error(const std::string& scenario, const std::string& kind,
                      const std::string& problem) {
  Suite suite;
  suite.name = scenario;
  Case one;
  one.name = kOwnRun;
  one.error_kind = kind;
  one.error = problem;
  suite.cases.push_back(std::move(one));
  suites_.push_back(std::move(suite));
}

void Junit::add_run(const FreeRun& run) {
  Suite& added = suites_.emplace_back();
  added.name = run.suite;
  added.virtual_time = run.virtual_time;
  added.story = run.story;
  Case& one = added.cases.emplace_back();
  one.name = run.name;
  one.surprises = run.violations;
  one.seconds = run.seconds;
}

std::string Junit::document() const {
  pugi::xml_document document;
  const auto give = [](pugi::xml_node node, const char* key, const std::string& value) {
    node.append_attribute(key).set_value(printable(value).c_str());
  };
  pugi::xml_node all = document.append_child("testsuites");
  const auto give_counts = [&give](pugi::xml_node node, const Counts& counts) {
    give(node, "tests", std::to_string(counts.tests));
    give(node, "failures", std::to_string(counts.failures));
    give(node, "errors", std::to_string(counts.errors));
    give(node, "time", fmt::format("{:.3f}", counts.seconds));
  };
  Counts whole;
  for (const Suite& suite : suites_) {
    for (const Case& one : suite.cases) whole.add(one);
  }
  give(all, "name", "picklock");
  give_counts(all, whole);
  for (const Suite& suite : suites_) {
    pugi::xml_node node = all.append_child("testsuite");
    Counts counts;
    for (const Case& one : suite.cases) counts.add(one);
    give(node, "name", suite.name);
    give_counts(node, counts);
    pugi::xml_node properties = node.append_child("properties");
    const auto property = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      pugi::xml_node one = properties.append_child("property");
      give(one, "name", key);
      give(one, "value", value);
    };
    property("title", suite.title);
    property("source", suite.source);
    if (suite.seed) property("seed", std::to_string(*suite.seed));
    property("virtual time", suite.virtual_time);
    for (const Case& one : suite.cases) {
      pugi::xml_node test = node.append_child("testcase");
      give(test, "classname", suite.name);
      give(test, "name", one.name);
      give(test, "time", fmt::format("{:.3f}", one.seconds));
      if (!one.error_kind.empty()) {
        pugi::xml_node error = test.append_child("error");
        give(error, "type", one.error_kind);
        give(error, "message", one.error);
      }
      if (one.surprises.empty()) continue;
      pugi::xml_node failure = test.append_child("failure");
      give(failure, "type", "not as expected");
      give(failure, "message", one.surprises.front());
      std::string body;
      for (const std::string& surprise : one.surprises) body += printable(surprise) + "\n";
      if (!one.digest.empty()) {
        body += fmt::format("algorithm  {}\ndigest     {}\nrepeat     {}\n", one.algorithm,
                            one.digest, printable(suite.repeat_command));
      }
      failure.text().set(body.c_str());
    }
    if (!suite.story.empty()) node.append_child("system-out").text().set(suite.story.c_str());
  }
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace picklock::reports
