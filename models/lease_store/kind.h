// The lease store as a kind of lock server.
#pragma once

#include "models/servers/kind.h"

namespace picklock::lease_store {

extern const servers::ProcessKind kServerKind;
extern const servers::Kind kKind;

}  // namespace picklock::lease_store
