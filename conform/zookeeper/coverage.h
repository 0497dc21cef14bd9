// The cells of the coverage table of ZooKeeper: operation x code of the answer x state of its
// znode.
#pragma once

#include <vector>

#include "conform/coverage.h"
#include "conform/zookeeper/player.h"

namespace picklock::conform::zookeeper {

// `outcomes` are the model's: only the model can be inspected.
void count(const Sequence& sequence, const std::vector<Outcome>& outcomes, Coverage& coverage);

// The cells that a run of the usual length fills, whatever its seed.
std::vector<Cell> expected_cells();

}  // namespace picklock::conform::zookeeper
