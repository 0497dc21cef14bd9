// A world is reset, not rebuilt: thousands of runs take no more memory than the first few.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "scenarios/shipped.h"
#include "sim/sanitizer.h"
#include "testing/whole.h"

namespace picklock::scenarios {
namespace {

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return 0;
}

TEST(Memory, IsFlatOverThousandsOfRuns) {
  // AddressSanitizer keeps what was freed: resident memory then says nothing.
  if (sim::kSanitized) GTEST_SKIP() << "resident memory is measured in the optimised build";
  constexpr long kToleranceKib = 256;
  std::vector<Scenario> scenarios;
  // Each of them has some two hundred runs: with few, one that needs room with a rare seed counts.
  const std::size_t stride = tests_are_whole() ? 1 : 3;
  const std::uint64_t runs = 100'000 / stride;
  std::size_t number = 0;
  for (const std::string& name : shipped::names()) {
    for (shipped::Part& part : shipped::parts(shipped::document(name)))
      if (number++ % stride == 0) scenarios.push_back(std::move(part.scenario));
  }
  World world;
  const auto run = [&](std::uint64_t i) {
    world.set(scenarios[i % scenarios.size()]);
    world.run(i);
  };
  std::uint64_t i = 0;
  while (i < runs * 3 / 10) run(i++);
  const long warm = resident_kib();
  while (i < runs) run(i++);
  const long grown = resident_kib() - warm;
  RecordProperty("grown_kib", std::to_string(grown));
  ASSERT_GT(warm, 0) << "/proc/self/status tells nothing";
  EXPECT_LE(grown, kToleranceKib) << "from " << warm << " KiB by " << grown << " KiB";
}

}  // namespace
}  // namespace picklock::scenarios
