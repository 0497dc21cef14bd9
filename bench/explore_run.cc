// The gain of a search from a second worker process: the tiny run with a pause drawn for each run,
// by one process and by two in turn. Measures wall time, including all other work of a search.
//   explore_run [RUNS]
#include <fmt/format.h>

#include <cstdlib>

#include "explore/campaign.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"

namespace {

using namespace picklock;

constexpr const char* kTinyRun = R"(format = 1
[lock]
algorithm = "set-px-check-delete"
ttl = "10s"
retry_every = "100ms"
[clients]
count = 3
arrive_every = "5.5s"
hold = "4s"
)";

// Runs a second.
double measure(unsigned jobs, std::uint64_t runs) {
  const scenarios::Scenario scenario =
      scenarios::parse(kTinyRun, "tiny run", scenarios::shipped_vocabulary());
  explore::Search search(scenario, {.faults = {.classes = {FaultClass::pause}, .most = 1},
                                    .all_classes = false,
                                    .properties = {Property::no_deadlock}});
  const explore::Onlooker nobody{.found = [](const explore::Find&) {},
                                 .crashed = [](const explore::Crash&) {},
                                 .progress = [](const explore::Progress&) {},
                                 .interrupted = [] { return false; }};
  const explore::Seconds took = make(search, {.jobs = jobs, .runs = runs}, nobody).took;
  return static_cast<double>(runs) / took.count();
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t runs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  measure(1, runs / 10);
  const double one = measure(1, runs);
  const double two = measure(2, runs);
  fmt::print("runs/s={:.0f} two={:.0f} gain={:.3f}\n", one, two, two / one);
}
