// SORT and SORT_RO.
#pragma once

#include "models/redis/commands.h"

namespace picklock::redis {

void sort(Call& call);
void sort_ro(Call& call);

}  // namespace picklock::redis
