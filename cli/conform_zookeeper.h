// `picklock conform zookeeper`.
#pragma once

#include "cli/conform.h"

namespace picklock::cli {

int conform_zookeeper(const ConformOptions& options);

}  // namespace picklock::cli
