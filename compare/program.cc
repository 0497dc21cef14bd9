#include "compare/program.h"

#include "explore/executable.h"
#include "scenarios/writer.h"
#include "sim/digest.h"

namespace picklock::compare {

std::uint64_t program_fingerprint(const std::vector<scenarios::Scenario>& workloads) {
  std::uint64_t all = explore::this_executable();
  for (const scenarios::Scenario& one : workloads)
    all = sim::mixed(all ^ sim::fingerprint(scenarios::file_text(one)));
  return all;
}

}  // namespace picklock::compare
