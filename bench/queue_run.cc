// A thousand clients that queue for one lock on an ensemble of three for sixty virtual seconds:
// sessions and their pings, watches, commits, every property judged, world reset included.
//   queue_run [RUNS [LOCK]]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "scenarios/loader.h"
#include "scenarios/shipped.h"
#include "scenarios/world.h"

namespace {

using namespace picklock::scenarios;

// Every client has had the lock by the end.
constexpr const char* kQueue = R"(format = 1
[lock]
algorithm = "{}"
[clients]
count = 1000
arrive_every = "1ms"
hold = "54ms"
)";

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10;
  const std::string lock = argc > 2 ? argv[2] : "zk-sequential";
  if (argc > 3 || runs == 0) {
    fmt::print(stderr, "queue_run [RUNS [LOCK]]\n");
    return 2;
  }
  const Scenario scenario = parse(fmt::format(kQueue, lock), "queue", shipped_vocabulary());
  World world;
  world.set(scenario);
  std::uint64_t seed = 0;
  world.run(++seed);  // until everything has been allocated

  std::uint64_t events = 0;
  std::uint64_t grants = 0;
  std::uint64_t digests = 0;
  double lasted = 0;
  const auto started = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < runs; ++i) {
    world.run(++seed);
    events += world.events();
    grants += world.grants();
    digests ^= world.digest();
    lasted += std::chrono::duration<double>(world.ended() - picklock::sim::kStart).count();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  const auto count = static_cast<double>(runs);
  fmt::print(
      "picklock queue runs={} ms/run={:.0f} virtual_s/run={:.1f} grants/run={:.0f} "
      "events/run={:.0f} ns/event={:.0f} virtual_s/s={:.1f} sum={:016x}\n",
      runs, took.count() * 1e3 / count, lasted / count, static_cast<double>(grants) / count,
      static_cast<double>(events) / count, took.count() * 1e9 / static_cast<double>(events),
      lasted / took.count(), digests);
}
