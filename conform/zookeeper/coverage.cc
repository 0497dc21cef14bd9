#include "conform/zookeeper/coverage.h"

#include <string>

#include "models/zookeeper/wire.h"

namespace picklock::conform::zookeeper {
namespace {

constexpr ExpectedRow kExpected[] = {
    {"closeSession", "ok:-"},
    {"create",
     "BadArguments:mpckoe InvalidACL:mpckoe NoChildrenForEphemerals:m NoNode:m NodeExists:pckoe "
     "Unimplemented:mpckoe ok:mpckoe"},
    {"create2",
     "BadArguments:mpcke InvalidACL:mpk NoChildrenForEphemerals:m NoNode:m NodeExists:pckoe "
     "Unimplemented:mpckoe ok:mpckoe"},
    {"createContainer", "BadArguments:m NoChildrenForEphemerals:m NoNode:m NodeExists:pckoe ok:m"},
    {"delete", "BadArguments:m BadVersion:pckoe NoNode:m NotEmpty:c ok:pkoe"},
    {"exists", "NoNode:m ok:pckoe"},
    {"getChildren", "NoNode:m ok:pckoe"},
    {"getChildren2", "NoNode:m ok:pckoe"},
    {"getData", "NoNode:m ok:pckoe"},
    {"multi",
     "BadArguments:- BadVersion:- InvalidACL:- MarshallingError:- NoChildrenForEphemerals:- "
     "NoNode:- NodeExists:- NotEmpty:- ok:-"},
    {"ping", "ok:-"},
    {"removeWatches", "NoWatcher:mpckoe ok:mp"},
    {"setData", "BadArguments:m BadVersion:pckoe NoNode:m ok:pckoe"},
    {"setWatches", "ok:-"},
    {"sync", "ok:mpckoe"},
    {"unknown", "Unimplemented:-"},
};

}  // namespace

void count(const Sequence& sequence, const std::vector<Outcome>& outcomes, Coverage& coverage) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].answered) continue;
    coverage.count_command();
    const OpCode op = sequence.steps[i].ask.op;
    coverage.count({.command = std::string(is_known(op) ? name(op) : "unknown"),
                    .reply = std::string(name(outcomes[i].code)),
                    .state = static_cast<std::uint8_t>(outcomes[i].znode)});
  }
}

std::vector<Cell> expected_cells() { return cells_of(kExpected, kZnodeStates); }

}  // namespace picklock::conform::zookeeper
