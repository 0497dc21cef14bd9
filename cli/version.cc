#include "cli/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "models/servers/kind.h"

namespace picklock::cli {

std::string version() {
  std::vector<std::string> products;
  for (const servers::Kind* kind : servers::kinds()) {
    if (kind->version != nullptr) products.push_back(kind->version());
  }
  const std::string last = products.back();
  products.pop_back();
  return fmt::format("picklock {}, commit {}\nThe models follow {} and {}.\n", PICKLOCK_VERSION,
                     kCommit, fmt::join(products, ", "), last);
}

}  // namespace picklock::cli
