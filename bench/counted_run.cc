// Runs the whole product RUNS times and does nothing else, so that bench/instructions can count the
// cost of one run:
//   counted_run FILE RUNS          the scenario of a file, under the seeds 1 to RUNS
//   counted_run --judge FILE RUNS  the judges alone, on the history of one run
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "properties/judge.h"
#include "scenarios/loader.h"
#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace {

using namespace picklock;

std::string text_of(const char* path) {
  std::ifstream file(path);
  if (!file) {
    fmt::print(stderr, "{} cannot be read\n", path);
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool judges = argc == 4 && std::string(argv[1]) == "--judge";
  if (argc != 3 && !judges) {
    fmt::print(stderr, "counted_run [--judge] FILE RUNS\n");
    return 2;
  }
  const char* path = argv[argc - 2];
  const std::uint64_t runs = std::strtoull(argv[argc - 1], nullptr, 10);
  const scenarios::Scenario scenario =
      scenarios::parse(text_of(path), path, scenarios::shipped_vocabulary());
  scenarios::World world;
  world.set(scenario);
  if (!judges) {
    for (std::uint64_t seed = 1; seed <= runs; ++seed) world.run(seed);
    return 0;
  }
  world.run(1);
  properties::Judge judge;
  const properties::Context context{.acquire_bound = std::chrono::seconds(60)};
  for (std::uint64_t i = 0; i < runs; ++i) judge.judge(world.history(), context);
}
