// Redis beside its model.
#pragma once

#include "conform/server_kind.h"

namespace picklock::conform::redis {

ServerKind server_kind();

}  // namespace picklock::conform::redis
