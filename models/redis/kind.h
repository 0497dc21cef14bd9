// Redis as a kind of lock server.
#pragma once

#include "models/servers/kind.h"

namespace picklock::redis {

extern const servers::ProcessKind kPrimaryKind;
extern const servers::ProcessKind kReplicaKind;
extern const servers::ProcessKind kSentinelKind;
extern const servers::Kind kKind;

}  // namespace picklock::redis
