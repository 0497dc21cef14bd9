// The workloads that measure runs of the whole product: locks, servers, resource, history, digest,
// judges, and the reset of the world between two runs. For a named LOCK these are its tiny and
// short runs, and the run in which its holder is paused for longer than its lease.
//   tiny_run [RUNS] [LOCK]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace {

using namespace picklock::scenarios;

// A-02 as shipped.
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

// B-01 in short: a pause inside the section, and another in the meantime.
constexpr const char* kPause = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
ttl = "10s"
retry_every = "100ms"
[clients]
count = 2
arrive_every = "1s"
hold = "4s"
[[fault]]
pause = "client-1"
before = "write.sent"
nth = 2
for = "20s"
)";

// The same with another lock, on as many servers as it needs, and without an interval if it does
// not poll.
std::string with_lock(std::string text, const std::string& lock) {
  const std::string usual = "set-px-check-delete";
  text.replace(text.find(usual), usual.size(), lock);
  for (const char* of_polling : {"retry_every", "retry_jitter"}) {
    const std::size_t line = text.find(of_polling);
    if (lock.starts_with("redisson") && line != std::string::npos)
      text.erase(line, text.find('\n', line) + 1 - line);
  }
  const bool needs_a_quorum = lock.find("redlock") != std::string::npos;
  return needs_a_quorum ? text + "[servers.redis]\nmasters = 5\n" : text;
}

// Microseconds a run.
double measure(const char* name, const std::string& text, std::uint64_t runs) {
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
  return took.count() / 1e3 / static_cast<double>(runs);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000;
  if (argc > 2) {
    const std::string lock = argv[2];
    const double tiny = measure("tiny run", with_lock(kTinyRun, lock), runs);
    const double short_one = measure("short run", with_lock(kShortRun, lock), runs / 10);
    const double pause = measure("pause", with_lock(kPause, lock), runs);
    fmt::print("tiny={} short={} pause={}\n", tiny, short_one, pause);
    return 0;
  }
  measure("tiny run", kTinyRun, runs);
  measure("short run", kShortRun, runs / 10);
}
