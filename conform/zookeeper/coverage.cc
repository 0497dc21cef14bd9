#include "conform/zookeeper/coverage.h"

#include <algorithm>
#include <iterator>

#include "models/zookeeper/wire.h"

namespace picklock::conform::zookeeper {

std::uint64_t count(const Sequence& sequence, const std::vector<Outcome>& outcomes,
                    Coverage& coverage) {
  std::uint64_t answered = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].answered) continue;
    ++answered;
    const OpCode op = sequence.steps[i].ask.op;
    ++coverage[{.operation = std::string(is_known(op) ? name(op) : "unknown"),
                .answer = std::string(name(outcomes[i].code)),
                .znode = outcomes[i].znode}];
  }
  return answered;
}

std::vector<Cell> empty_cells(const Coverage& coverage) {
  std::vector<Cell> empty;
  const std::vector<Cell> expected = expected_cells();
  std::copy_if(expected.begin(), expected.end(), std::back_inserter(empty),
               [&](const Cell& cell) { return !coverage.contains(cell); });
  return empty;
}

}  // namespace picklock::conform::zookeeper
