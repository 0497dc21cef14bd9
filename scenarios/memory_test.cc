// A world is reset, not rebuilt: a hundred thousand runs take no more memory than the first few.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "scenarios/shipped.h"

#if defined(__SANITIZE_ADDRESS__)
#define PICKLOCK_QUARANTINE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PICKLOCK_QUARANTINE 1
#endif
#endif

namespace picklock::scenarios {
namespace {

// AddressSanitizer keeps what was freed: resident memory then says nothing.
#ifdef PICKLOCK_QUARANTINE
constexpr bool kMeasured = false;
#else
constexpr bool kMeasured = true;
#endif

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return 0;
}

TEST(Memory, IsFlatOverAHundredThousandRuns) {
  constexpr long kToleranceKib = 256;
  constexpr std::uint64_t kRuns = kMeasured ? 100'000 : 1'000;
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
  // A hundred times each: some need room only with a rare seed.
  while (i < kRuns * 3 / 10) run(i++);
  const long warm = resident_kib();
  while (i < kRuns) run(i++);
  const long grown = resident_kib() - warm;
  RecordProperty("grown_kib", std::to_string(grown));
  ASSERT_GT(warm, 0) << "/proc/self/status tells nothing";
  EXPECT_TRUE(!kMeasured || grown <= kToleranceKib)
      << "from " << warm << " KiB by " << grown << " KiB";
}

}  // namespace
}  // namespace picklock::scenarios
