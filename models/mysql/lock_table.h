// InnoDB's locks on the records of clustered indexes and on the gaps before them: which locks are
// compatible, which transaction waits for which, and in which order waiters are granted. A lock
// moves when its record is removed or its gap is split. Knows no statements and no time.
// (MySQL manual, "InnoDB Locking" and "Locks Set by Different SQL Statements"; M3 to M7, M17)
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace picklock::mysql {

using TrxId = std::uint64_t;  // 0: none
using TableId = std::uint32_t;

// A record, or the supremum, which follows the last record and has only a gap.
struct Place {
  TableId table = 0;
  bool supremum = false;
  std::string key{};

  // NOLINTNEXTLINE(modernize-use-nullptr): it means the zero with which <=> compares.
  auto operator<=>(const Place&) const = default;
};

enum class LockMode : std::uint8_t { shared, exclusive };

// The part of a place that is locked: the record and the gap before it, one of the two, or the
// intention to insert into the gap.
enum class LockKind : std::uint8_t { next_key, record, gap, insert_intention };

class LockTable {
 public:
  enum class Asked : std::uint8_t { granted, waits, refused };
  using Granted = std::vector<TrxId>;  // whose waits are over, in order

  void clear();

  // Refused: it would have to wait, and must not. A transaction that already waits must not call
  // this. `leaves`: a grant adds a lock; otherwise the change of the record itself shows its owner.
  Asked ask(TrxId trx, const Place& place, LockMode mode, LockKind kind, bool may_wait = true,
            bool leaves = true);
  // Adds a lock without a check, where no other transaction can have one on the record, or for
  // another transaction.
  void give(TrxId trx, const Place& place, LockMode mode, LockKind kind);
  // Whether it has a lock at least as strong.
  bool has(TrxId trx, const Place& place, LockMode mode, LockKind kind) const;
  // Adds an intention lock on the whole table; those are always compatible.
  void intend(TrxId trx, TableId table, LockMode mode);

  // Releases one granted lock before the end of its transaction.
  Granted unlock(TrxId trx, const Place& place, LockMode mode, LockKind kind);
  // Ends its wait without the lock.
  Granted withdraw(TrxId trx);
  // Releases everything at the end of a transaction.
  Granted release(TrxId trx);

  // A record was inserted into the gap before `next`: an owner of that gap keeps both halves.
  void inserted(const Place& record, const Place& next);
  // A record was removed: its locks, also those waited for, move to the gap that is left, and its
  // waiters try again. `keeps_gaps`: false for a transaction under READ COMMITTED, which keeps only
  // what a search for duplicates has locked.
  template <typename KeepsGaps>
  Granted removed(const Place& record, const Place& next, KeepsGaps keeps_gaps) {
    const auto found = places_.find(record);
    if (found == places_.end()) return {};
    for (const Lock& lock : Queue(found->second)) {
      if (lock.kind == LockKind::insert_intention) continue;
      if (lock.mode == LockMode::shared || keeps_gaps(lock.trx))
        give(lock.trx, next, lock.mode, LockKind::gap);
    }
    return removed(record);
  }

  // One of the transactions that have locked the record itself; 0: none.
  TrxId holder(const Place& place) const;
  // The only transaction that has locked the record itself, exclusively; 0: none.
  TrxId owner(const Place& place) const;
  bool waits(TrxId trx) const { return waiting_.contains(trx); }
  // The first transaction that it waits for; 0: it does not wait.
  TrxId waits_for(TrxId trx) const;
  // False: no transaction for which another waits is waiting itself, so there is no cycle.
  bool may_have_cycle() const;
  // The cycle of waiting transactions, beginning with the one that `trx` waits for; empty: none.
  std::vector<TrxId> cycle(TrxId trx) const;
  // The number of lock structs, as InnoDB counts them in memory to choose the victim of a deadlock.
  std::size_t structs(TrxId trx) const;

 private:
  struct Lock {
    TrxId trx = 0;
    LockMode mode{};
    LockKind kind{};
    bool waiting = false;
  };
  using Queue = std::vector<Lock>;  // in order of arrival

  static bool must_wait(const Lock& one, const Lock& other, bool supremum);
  static bool has_the_record(TrxId trx, const Queue& queue, LockMode mode);
  bool all_wait_for_first(const Place& place, const Queue& queue) const;
  static const Lock* first_obstacle(const Place& place, const Queue& queue, std::size_t index);
  Granted removed(const Place& record);
  void grant_waiters(const Place& place, Queue& queue, Granted& granted);

  std::map<Place, Queue> places_;
  std::map<TrxId, Place> waiting_;
  std::size_t inserters_ = 0;              // transactions that wait to insert into a gap
  std::map<TrxId, std::set<Place>> held_;  // places that it has locked or waits for
  std::map<TrxId, std::set<std::pair<TableId, LockMode>>> intentions_;
  // The lock structs of a transaction in memory. All its locks of a mode and a kind in a table
  // share one, which stays when they are released. Those that widen an equally strong lock on the
  // record share another (M54). Each lock that was waited for has its own.
  struct Structs {
    std::set<std::tuple<TableId, LockMode, LockKind, bool>> shared;
    std::size_t own = 0;
  };
  std::map<TrxId, Structs> structs_;
};

}  // namespace picklock::mysql
