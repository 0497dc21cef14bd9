#include "reports/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "reports/columns.h"
#include "reports/timeline.h"
#include "reports/wording.h"

namespace picklock::reports {

Junit::Case Junit::case_of(const scenarios::Run& run) {
  return {.name = run.twin ? "twin, " + *run.twin : "as the file has it",
          .algorithm = run.scenario.lock.algorithm,
          .digest = digest(run.digest),
          .surprises = run.surprises};
}

void Junit::add(const scenarios::Outcome& outcome, const std::string& repeat_command) {
  const scenarios::Scenario& scenario = outcome.run.scenario;
  Suite suite{.name = scenario.name,
              .title = scenario.title,
              .source = scenario.source,
              .seed = outcome.run.seed,
              .repeat_command = repeat_command,
              .story = {},
              .cases = {case_of(outcome.run)}};
  for (const scenarios::Run& twin : outcome.twins) suite.cases.push_back(case_of(twin));
  suite.failures = static_cast<std::size_t>(
      std::count_if(suite.cases.begin(), suite.cases.end(),
                    [](const Case& one) { return !one.surprises.empty(); }));
  if (suite.failures > 0) suite.story = timeline(outcome, {.repeat_command = repeat_command});
  suites_.push_back(std::move(suite));
}

std::string Junit::document() const {
  pugi::xml_document document;
  const auto give = [](pugi::xml_node node, const char* key, const std::string& value) {
    node.append_attribute(key).set_value(printable(value).c_str());
  };
  pugi::xml_node all = document.append_child("testsuites");
  std::size_t cases = 0;
  std::size_t failures = 0;
  for (const Suite& suite : suites_) {
    cases += suite.cases.size();
    failures += suite.failures;
  }
  give(all, "name", "picklock");
  give(all, "tests", std::to_string(cases));
  give(all, "failures", std::to_string(failures));
  for (const Suite& suite : suites_) {
    pugi::xml_node node = all.append_child("testsuite");
    give(node, "name", suite.name);
    give(node, "tests", std::to_string(suite.cases.size()));
    give(node, "failures", std::to_string(suite.failures));
    pugi::xml_node properties = node.append_child("properties");
    const auto property = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      pugi::xml_node one = properties.append_child("property");
      give(one, "name", key);
      give(one, "value", value);
    };
    property("title", suite.title);
    property("source", suite.source);
    property("seed", std::to_string(suite.seed));
    for (const Case& one : suite.cases) {
      pugi::xml_node test = node.append_child("testcase");
      give(test, "classname", suite.name);
      give(test, "name", one.name);
      if (one.surprises.empty()) continue;
      pugi::xml_node failure = test.append_child("failure");
      give(failure, "type", "not as expected");
      give(failure, "message", one.surprises.front());
      std::string body;
      for (const std::string& surprise : one.surprises) body += printable(surprise) + "\n";
      body += fmt::format("algorithm  {}\ndigest     {}\nrepeat     {}\n", one.algorithm,
                          one.digest, printable(suite.repeat_command));
      failure.text().set(body.c_str());
    }
    if (!suite.story.empty()) node.append_child("system-out").text().set(suite.story.c_str());
  }
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace picklock::reports
