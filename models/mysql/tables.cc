#include "models/mysql/tables.h"

#include <vector>

namespace picklock::mysql {

std::span<const Schema> schemas() {
  static const std::vector<Schema> kAll = {
      {std::string(kLocks), {"name"}},
      {std::string(kLockRows), {"name"}},
      {std::string(kInsertLocks), {"name", "owner", "expires_at"}},
      {std::string(kShedlock), {"name", "lock_until", "locked_at", "locked_by"}},
      {std::string(kFences), {"name", "value"}},
      {std::string(kWork), {"name", "value"}},
  };
  return kAll;
}

Changes rows_at_first(const std::string& lock) {
  return {{std::string(kLockRows), lock, Row{lock}},
          {std::string(kFences), lock, Row{lock, std::int64_t{0}}},
          {std::string(kWork), lock, Row{lock, std::int64_t{0}}}};
}

}  // namespace picklock::mysql
