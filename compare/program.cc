#include "compare/program.h"

#include "explore/executable.h"
#include "scenarios/writer.h"
#include "sim/digest.h"

namespace picklock::compare {

std::uint64_t program_fingerprint(const std::vector<scenarios::Scenario>& workloads,
                                  const scenarios::ResourceSpec& fenced) {
  std::uint64_t all = explore::this_executable();
  const auto add = [&all](const scenarios::Scenario& one) {
    all = sim::mixed(all ^ sim::fingerprint(scenarios::file_text(one)));
  };
  for (const scenarios::Scenario& one : workloads) add(one);
  scenarios::Scenario last = workloads.back();
  last.servers.resource = fenced;
  add(last);
  return all;
}

}  // namespace picklock::compare
