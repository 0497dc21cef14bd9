#include <array>

#include "conform/mysql/pair.h"
#include "conform/redis/pair.h"
#include "conform/server_kind.h"
#include "conform/zookeeper/pair.h"

namespace picklock::conform {

std::span<const ServerKind> server_kinds() {
  static const std::array<ServerKind, 3> kServers = {redis::server_kind(), zookeeper::server_kind(),
                                                     mysql::server_kind()};
  return kServers;
}

}  // namespace picklock::conform
