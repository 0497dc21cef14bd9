// A shipped kind of server is added by its line here and its folder.
#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "models/lease_store/kind.h"
#include "models/mysql/kind.h"
#include "models/redis/kind.h"
#include "models/servers/kind.h"
#include "models/zookeeper/kind.h"

namespace picklock::servers {

namespace {

std::vector<const Kind*>& all() {
  static std::vector<const Kind*> kinds = {
      &redis::kKind,
      &lease_store::kKind,
      &zookeeper::kKind,
      &mysql::kKind,
  };
  return kinds;
}

}  // namespace

std::span<const Kind* const> kinds() { return all(); }

void add(const Kind& kind) {
  for (const Kind* known : all()) {
    if (known->server == kind.server)
      throw std::invalid_argument(fmt::format("{} is a lock server already", kind.server.key));
  }
  all().push_back(&kind);
}

}  // namespace picklock::servers
