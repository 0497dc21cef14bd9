#include "models/mysql/table.h"

#include <algorithm>

namespace picklock::mysql {

std::ptrdiff_t Table::column(std::string_view name) const {
  const auto found = std::find(schema_.columns.begin(), schema_.columns.end(), name);
  return found == schema_.columns.end() ? -1 : found - schema_.columns.begin();
}

Record* Table::find(const std::string& key) {
  const auto found = records_.find(key);
  return found == records_.end() ? nullptr : &found->second;
}

Place Table::behind(const std::string& key) const {
  const auto next = records_.upper_bound(key);
  return next == records_.end() ? Place{id_, true} : place(next->first);
}

}  // namespace picklock::mysql
