// A table of InnoDB: the records of its clustered index in order, each with the versions that some
// transaction may still have to read or restore. A deleted record stays, marked, until it is
// purged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/mysql/lock_table.h"
#include "models/mysql/tables.h"
#include "picklock/mysql.h"

namespace picklock::mysql {

inline constexpr std::uint64_t kOpen = 0;  // of a version that is not committed

struct Version {
  TrxId by = 0;
  // number of the commit; snapshots from before it see an older version
  std::uint64_t commit = kOpen;
  bool deleted = false;
  Row row{};
};

struct Record {
  std::vector<Version> versions;  // oldest first

  const Version& newest() const { return versions.back(); }
  bool deleted() const { return newest().deleted; }
  // Deleted by a committed transaction.
  bool gone() const { return deleted() && newest().commit != kOpen; }
  // The transaction that has changed it and is still open; 0: none.
  TrxId writer() const { return newest().commit == kOpen ? newest().by : 0; }
};

class Table {
 public:
  Table(TableId id, Schema schema) : id_(id), schema_(std::move(schema)) {}

  TableId id() const { return id_; }
  const Schema& schema() const { return schema_; }
  // -1: no column of that name.
  std::ptrdiff_t column(std::string_view name) const;

  std::map<std::string, Record>& records() { return records_; }
  const std::map<std::string, Record>& records() const { return records_; }
  Record* find(const std::string& key);

  Place place(const std::string& key) const { return {id_, false, key}; }
  // The place after `key`, whether or not `key` exists.
  Place behind(const std::string& key) const;

 private:
  TableId id_ = 0;
  Schema schema_;
  std::map<std::string, Record> records_;
};

}  // namespace picklock::mysql
