// MySQL beside its model.
#pragma once

#include "conform/server_kind.h"

namespace picklock::conform::mysql {

ServerKind server_kind();

}  // namespace picklock::conform::mysql
