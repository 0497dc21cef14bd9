// ZooKeeper beside its model.
#pragma once

#include "conform/server_kind.h"

namespace picklock::conform::zookeeper {

ServerKind server_kind();

}  // namespace picklock::conform::zookeeper
