// The two workloads by which runs of the whole product are measured: locks, servers, resource,
// history, digest, judges, and the reset of the world between two runs.
//   tiny_run [RUNS]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace {

using namespace picklock::scenarios;

// A-02 as it is shipped.
constexpr const char* kTinyRun = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
ttl = "10s"
retry_every = "100ms"
[clients]
count = 3
arrive_every = "5.5s"
hold = "4s"
[[fault]]
pause = "client-1"
before = "release.sent"
for = "8s"
)";

// The pace of the short run in bench/peers/common/workload.hpp.
constexpr const char* kShortRun = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
ttl = "10s"
retry_every = "10ms"
retry_jitter = "40ms"
[network]
latency = ["200us", "2ms"]
[clients]
count = 3
arrive_every = "100ms"
hold = "275ms"
cycles = 20
think = "1s"
)";

void measure(const char* name, const std::string& text, std::uint64_t runs) {
  const Scenario scenario = parse(text, name, shipped_vocabulary());
  World world;
  world.set(scenario);
  std::uint64_t seed = 0;
  for (std::uint64_t i = 0; i < runs / 10; ++i) world.run(++seed);

  std::uint64_t events = 0;
  std::uint64_t digests = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < runs; ++i) {
    world.run(++seed);
    events += world.events();
    digests ^= world.digest();
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  fmt::print("{:<10} {:9.2f} us/run {:8.1f} events/run {:7.1f} ns/event  {:016x}\n", name,
             took.count() / 1e3 / static_cast<double>(runs),
             static_cast<double>(events) / static_cast<double>(runs),
             took.count() / static_cast<double>(events), digests);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000;
  measure("tiny run", kTinyRun, runs);
  measure("short run", kShortRun, runs / 10);
}
