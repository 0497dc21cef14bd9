// A world is reset, not rebuilt: a hundred thousand runs take no more memory than the first few.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "scenarios/shipped.h"

namespace picklock::scenarios {
namespace {

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return 0;
}

TEST(Memory, IsFlatOverAHundredThousandRuns) {
  constexpr long kToleranceKib = 256;
  // As many as the seeds ask for: the sanitized builds ask for few.
  const std::uint64_t runs = 100 * shipped::seeds();
  std::vector<Scenario> scenarios;
  for (const std::string& name : shipped::names()) {
    for (shipped::Part& part : shipped::parts(shipped::document(name)))
      scenarios.push_back(std::move(part.scenario));
  }
  World world;
  const auto run = [&](std::uint64_t i) {
    world.set(scenarios[i % scenarios.size()]);
    world.run(i);
  };
  std::uint64_t i = 0;
  while (i < runs / 10) run(i++);
  const long warm = resident_kib();
  while (i < runs) run(i++);
  const long grown = resident_kib() - warm;
  RecordProperty("grown_kib", std::to_string(grown));
  ASSERT_GT(warm, 0) << "/proc/self/status tells nothing";
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LE(grown, kToleranceKib) << "from " << warm << " KiB";
#endif
}

}  // namespace
}  // namespace picklock::scenarios
