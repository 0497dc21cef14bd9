// A world is reset, not rebuilt: thirty thousand runs take no more memory than the first few.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "scenarios/shipped.h"
#include "sim/sanitizer.h"

namespace picklock::scenarios {
namespace {

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return 0;
}

TEST(Memory, IsFlatOverThirtyThousandRuns) {
  // AddressSanitizer keeps what was freed: resident memory then says nothing.
  if (sim::kSanitized) GTEST_SKIP() << "resident memory is measured in the optimised build";
  constexpr long kToleranceKib = 256;
  constexpr std::uint64_t kRuns = 30'000;
  std::vector<Scenario> scenarios;
  // Every third, which leaves a hundred runs for each.
  constexpr std::size_t kStride = 3;
  std::size_t number = 0;
  for (const std::string& name : shipped::names()) {
    for (shipped::Part& part : shipped::parts(shipped::document(name)))
      if (number++ % kStride == 0) scenarios.push_back(std::move(part.scenario));
  }
  World world;
  const auto run = [&](std::uint64_t i) {
    world.set(scenarios[i % scenarios.size()]);
    world.run(i);
  };
  std::uint64_t i = 0;
  // Many times each: some need room only with a rare seed.
  while (i < kRuns * 3 / 10) run(i++);
  const long warm = resident_kib();
  while (i < kRuns) run(i++);
  const long grown = resident_kib() - warm;
  RecordProperty("grown_kib", std::to_string(grown));
  ASSERT_GT(warm, 0) << "/proc/self/status tells nothing";
  EXPECT_LE(grown, kToleranceKib) << "from " << warm << " KiB by " << grown << " KiB";
}

}  // namespace
}  // namespace picklock::scenarios
