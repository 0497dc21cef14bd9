// The tables that the shipped locks need, and their rows when a run begins. The first column of
// each is its primary key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "picklock/mysql.h"

namespace picklock::mysql {

inline constexpr std::string_view kLocks = "locks";         // a row is inserted to lock
inline constexpr std::string_view kLockRows = "lock_rows";  // rows that exist before the run
inline constexpr std::string_view kInsertLocks = "insert_locks";
inline constexpr std::string_view kShedlock = "shedlock";
inline constexpr std::string_view kFences = "fences";  // counters of fencing tokens
inline constexpr std::string_view kWork = "work";      // what a lock protects in its own database

// The first column is the primary key, of type VARCHAR.
struct Schema {
  std::string name;
  std::vector<std::string> columns;
};

// The state in which one committed transaction leaves a row; none: deleted.
struct Change {
  std::string table{};
  std::string key{};
  std::optional<Row> row{};
};
using Changes = std::vector<Change>;

// Times are in microseconds since 1970.
std::span<const Schema> schemas();
const Schema* schema_of(std::string_view table);  // nullptr: there is no such table
// Whether a column of them is a VARCHAR; otherwise it is a BIGINT.
bool is_text(std::string_view column);
inline constexpr std::size_t kLongestText = 64;  // of a VARCHAR, in characters

// The key of one of the rows of a lock, counted from 0. The first has the name of the lock.
std::string row_of(std::string_view lock, std::uint32_t number);

// The rows for a lock of this name before its first use.
Changes rows_at_first(const std::string& lock, std::uint32_t rows = 1);

}  // namespace picklock::mysql
