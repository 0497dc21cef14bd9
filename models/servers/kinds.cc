// A kind of server is added by its line here and its folder.
#include <array>

#include "models/lease_store/kind.h"
#include "models/mysql/kind.h"
#include "models/redis/kind.h"
#include "models/servers/kind.h"
#include "models/zookeeper/kind.h"

namespace picklock::servers {

std::span<const Kind* const> kinds() {
  static constexpr std::array<const Kind*, 4> kAll = {
      &redis::kKind,
      &lease_store::kKind,
      &zookeeper::kKind,
      &mysql::kKind,
  };
  return kAll;
}

}  // namespace picklock::servers
