#include "models/zookeeper/conform/campaign.h"

namespace picklock::models::zookeeper::conform {

std::vector<Coverage::key_type> expected_cells() {
  return {
      {"closeSession", "ok"},
      {"create", "BadArguments"},
      {"create", "InvalidACL"},
      {"create", "NoChildrenForEphemerals"},
      {"create", "NoNode"},
      {"create", "NodeExists"},
      {"create", "Unimplemented"},
      {"create", "ok"},
      {"create2", "BadArguments"},
      {"create2", "InvalidACL"},
      {"create2", "NoChildrenForEphemerals"},
      {"create2", "NoNode"},
      {"create2", "NodeExists"},
      {"create2", "Unimplemented"},
      {"create2", "ok"},
      {"createContainer", "BadArguments"},
      {"createContainer", "NoChildrenForEphemerals"},
      {"createContainer", "NoNode"},
      {"createContainer", "NodeExists"},
      {"createContainer", "ok"},
      {"delete", "BadVersion"},
      {"delete", "NoNode"},
      {"delete", "NotEmpty"},
      {"delete", "ok"},
      {"exists", "NoNode"},
      {"exists", "ok"},
      {"getChildren", "NoNode"},
      {"getChildren", "ok"},
      {"getChildren2", "NoNode"},
      {"getChildren2", "ok"},
      {"getData", "NoNode"},
      {"getData", "ok"},
      {"multi", "BadArguments"},
      {"multi", "BadVersion"},
      {"multi", "InvalidACL"},
      {"multi", "MarshallingError"},
      {"multi", "NoChildrenForEphemerals"},
      {"multi", "NoNode"},
      {"multi", "NodeExists"},
      {"multi", "NotEmpty"},
      {"multi", "ok"},
      {"ping", "ok"},
      {"removeWatches", "NoWatcher"},
      {"removeWatches", "ok"},
      {"setData", "BadArguments"},
      {"setData", "BadVersion"},
      {"setData", "NoNode"},
      {"setData", "ok"},
      {"setWatches", "ok"},
      {"sync", "ok"},
      {"unknown", "Unimplemented"},
  };
}

std::vector<std::pair<std::string_view, std::string_view>> normalisations() {
  return {
      {"zxids", "count from the beginning of the sequence: a server has lived before"},
      {"sessions", "are numbered as they come to be, and their passwords are zeros"},
      {"times", "are zero: no two clocks agree"},
      {"children", "are sorted: they come in no order (Z23)"},
      {"events before the end of a session that nobody asked for",
       "are left out: a real server does not always send them"},
  };
}

}  // namespace picklock::models::zookeeper::conform
