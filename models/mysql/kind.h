// MySQL as a kind of lock server.
#pragma once

#include "models/servers/kind.h"

namespace picklock::mysql {

extern const servers::ProcessKind kServerKind;
extern const servers::Kind kKind;

}  // namespace picklock::mysql
