#include "cli/version.h"

#include <fmt/format.h>

#include "models/mysql/version.h"
#include "models/redis/commands.h"
#include "models/zookeeper/version.h"

namespace picklock::cli {

std::string version() {
  return fmt::format(
      "picklock {}, commit {}\n"
      "The models follow Redis {}, ZooKeeper {} and {} ({} where a scenario asks for it).\n",
      PICKLOCK_VERSION, kCommit, picklock::redis::kVersion, picklock::zookeeper::kVersion,
      picklock::mysql::kVersion, picklock::mysql::kVariantVersion);
}

}  // namespace picklock::cli
