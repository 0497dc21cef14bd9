#include "scenarios/writer.h"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <map>
#include <stdexcept>

#include "keys/duration_text.h"
#include "scenarios/keys.h"
#include "scenarios/shipped.h"
#include "testing/sample_scenario.h"

namespace picklock::scenarios {

using keys::describe;
using keys::duration_from;
using keys::Key;
using keys::KeyDoc;
using keys::TableDoc;
using keys::to_text;
namespace {

using Flat = std::map<std::string, std::string>;  // value by path

void flatten(const toml::node& node, const std::string& path, Flat& flat) {
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, value] : *table)
      flatten(value, path + "." + std::string(key.str()), flat);
  } else if (const toml::array* array = node.as_array()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      flatten(*array->get(i), path + "." + std::to_string(i + 1), flat);
    if (array->empty()) flat[path] = "[]";
  } else if (const auto* text = node.as_string()) {
    const auto length = duration_from(text->get());
    flat[path] = length ? to_text(*length) : text->get();
  } else {
    std::ostringstream out;
    node.visit([&](const auto& leaf) {
      if constexpr (toml::is_value<decltype(leaf)>) out << leaf;
    });
    flat[path] = out.str();
  }
}

// A line for each value, in the order of their paths; durations in their shortest form.
std::string lines(const std::string& text) {
  Flat flat;
  flatten(toml::parse(text), "", flat);
  std::string all;
  for (const auto& [path, value] : flat) all += path + " = " + value + "\n";
  return all;
}

TEST(Writer, WritesEveryKeyOfACompleteFile) {
  std::string complete = testing::kComplete;
  const std::string silent = "network.latency = [\"1ms\", \"2ms\"]\n";
  complete.insert(complete.find(silent) + silent.size(), "violated = []\n");  // said or not
  EXPECT_EQ(lines(file_text(testing::parsed(complete))), lines(complete));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kFailOver))), lines(testing::kFailOver));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kCluster))), lines(testing::kCluster));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kReplicated))), lines(testing::kReplicated));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kSteps))), lines(testing::kSteps));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kUnlike))), lines(testing::kUnlike));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kLeaseStore))), lines(testing::kLeaseStore));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kZooKeeper))), lines(testing::kZooKeeper));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kMySql))), lines(testing::kMySql));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kNumbers))), lines(testing::kNumbers));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kPrimaries))), lines(testing::kPrimaries));
  EXPECT_EQ(lines(file_text(testing::parsed(testing::kPrograms))), lines(testing::kPrograms));
}

// A key that the sample does not have is one that nobody has seen come back. The options of locks
// are tried one by one (scenarios/option_keys_test.cc).
TEST(Writer, IsTriedOnEveryKeyThereIs) {
  std::vector<TableDoc> tables;
  describe("", "", scenario_keys(), tables);
  for (const Key<Scenario>& key : scenario_keys()) {
    if (key.nested) key.nested("", tables);
  }
  const std::string text = std::string("\n") + testing::kComplete + testing::kSteps +
                           testing::kFailOver + testing::kCluster + testing::kReplicated +
                           testing::kUnlike + testing::kLeaseStore + testing::kZooKeeper +
                           testing::kMySql + testing::kNumbers + testing::kPrimaries +
                           testing::kPrograms;
  std::size_t tried = 0;
  for (const TableDoc& table : tables) {
    for (const KeyDoc& key : table.keys) {
      if (key.name.find("any ") != std::string::npos) continue;
      if (table.header == "[lock]" && keys::find(option_keys(), key.name) != nullptr) continue;
      EXPECT_NE(text.find("\n" + key.name + " = "), std::string::npos)
          << table.header << " " << key.name << " is not in sample_scenario.h";
      ++tried;
    }
  }
  EXPECT_GT(tried, 50u);
}

TEST(Writer, LeavesDefaultsOut) {
  EXPECT_EQ(file_text(testing::parsed("format = 1\nlock.algorithm = 'lua-check-delete'\n"
                                      "lock.ttl = '10s'\nclients.count = 3\n")),
            "format = 1\n\n[lock]\nalgorithm = \"lua-check-delete\"\n\n[expect]\nviolated = []\n");
}

TEST(Writer, QuotesWhatTomlWouldMisread) {
  Scenario scenario = testing::parsed(testing::head());
  scenario.title = "a \"b\" \\ c\nd\x7f\t\xc3\xa9";
  EXPECT_EQ(testing::parsed(file_text(scenario)).title, scenario.title);
}

TEST(Writer, WritesRatesInFullAndShort) {
  const auto written = [](const std::string& rate) {
    const std::string text = file_text(testing::parsed(
        testing::with_fault("set-clock-rate = 'redis-1'\nat = '1s'\nrate = " + rate + "\n")));
    const std::size_t at = text.find("\nrate = ") + 8;
    return text.substr(at, text.find('\n', at) - at);
  };
  for (const char* rate : {"1.0", "0.5", "1.01", "0.999999999", "1000.0", "0.001", "1.1"}) {
    EXPECT_EQ(written(rate), rate);
  }
}

TEST(Writer, SaysWhatALossOfPowerLeaves) {
  Scenario scenario = testing::parsed(testing::with_fault("restart = 'redis-1'\nat = '1s'\n"));
  scenario.faults[0].keeps = sim::Keeps::fsynced;
  EXPECT_NE(file_text(scenario).find("\nkeeps = \"fsynced\"\n"), std::string::npos);
}

// Every scenario that is shipped, and every twin and neighbour, is the same run when it comes back.
TEST(Writer, WritesEveryShippedScenarioSoThatItRunsTheSame) {
  World world;
  for (const std::string& name : shipped::names()) {
    for (const shipped::Part& part : shipped::parts(shipped::document(name))) {
      const std::string text = file_text(part.scenario);
      const Scenario again = parse(text, name, shipped_vocabulary());
      EXPECT_EQ(file_text(again), text);
      EXPECT_EQ(again.expect.violated, part.scenario.expect.violated);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        world.set(part.scenario);
        world.run(seed);
        const std::uint64_t digest = world.digest();
        world.set(again);
        world.run(seed);
        EXPECT_EQ(world.digest(), digest) << name << ", " << part.what << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace picklock::scenarios
