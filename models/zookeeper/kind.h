// ZooKeeper as a kind of lock server.
#pragma once

#include "models/servers/kind.h"

namespace picklock::zookeeper {

extern const servers::ProcessKind kServerKind;
extern const servers::Kind kKind;

}  // namespace picklock::zookeeper
