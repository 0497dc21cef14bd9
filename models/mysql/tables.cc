#include "models/mysql/tables.h"

#include <algorithm>
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

const Schema* schema_of(std::string_view table) {
  const auto found = std::find_if(schemas().begin(), schemas().end(),
                                  [table](const Schema& one) { return one.name == table; });
  return found == schemas().end() ? nullptr : &*found;
}

bool is_text(std::string_view column) {
  return column == "name" || column == "owner" || column == "locked_by";
}

std::string row_of(std::string_view lock, std::uint32_t number) {
  std::string row(lock);
  if (number > 0) row += "/" + std::to_string(number + 1);
  return row;
}

Changes rows_at_first(const std::string& lock, std::uint32_t rows) {
  Changes all = {{std::string(kLockRows), lock, Row{lock}},
                 {std::string(kFences), lock, Row{lock, std::int64_t{0}}},
                 {std::string(kWork), lock, Row{lock, std::int64_t{0}}}};
  for (std::uint32_t i = 1; i < rows; ++i)
    all.push_back({std::string(kLockRows), row_of(lock, i), Row{row_of(lock, i)}});
  return all;
}

}  // namespace picklock::mysql
