// InnoDB's locks on the records of clustered indexes and on the gaps before them: which of them
// agree, who waits for whom, in which order waiters are granted, what becomes of a lock when its
// record goes or another comes into its gap. No statements here, and no time.
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

// A record, or what stands behind the last one and has only a gap.
struct Place {
  TableId table = 0;
  bool supremum = false;
  std::string key{};

  // NOLINTNEXTLINE(modernize-use-nullptr): it means the zero with which <=> compares.
  auto operator<=>(const Place&) const = default;
};

enum class LockMode : std::uint8_t { shared, exclusive };

// What of a place it is on: the record and the gap before it, one of the two, or the wish to insert
// into the gap.
enum class LockKind : std::uint8_t { next_key, record, gap, insert_intention };

class LockTable {
 public:
  enum class Asked : std::uint8_t { granted, waits, refused };
  using Granted = std::vector<TrxId>;  // who waits no longer, in order

  void clear();

  // Refused: it would have to wait, and may not. One that waits already asks for nothing else.
  // `leaves`: where it need not wait it has the lock then; else the change of the record itself
  // says whose it is.
  Asked ask(TrxId trx, const Place& place, LockMode mode, LockKind kind, bool may_wait = true,
            bool leaves = true);
  // Without asking: of a record that nobody else can have a lock on, or on whom.
  void give(TrxId trx, const Place& place, LockMode mode, LockKind kind);
  // Whether it has a lock that says as much.
  bool has(TrxId trx, const Place& place, LockMode mode, LockKind kind) const;
  // An intention lock on the whole table; those never disagree.
  void intend(TrxId trx, TableId table, LockMode mode);

  // One lock that was granted, given back before the end of its transaction.
  Granted unlock(TrxId trx, const Place& place, LockMode mode, LockKind kind);
  // It waits no longer, and has not got what it waited for.
  Granted withdraw(TrxId trx);
  // The end of a transaction.
  Granted release(TrxId trx);

  // A record has come into the gap before `next`: whoever has that gap has both halves of it.
  void inserted(const Place& record, const Place& next);
  // A record is gone: its locks, those that were waited for as well, are on the gap that is left,
  // and whoever waited tries again. `keeps_gaps`: not so a transaction under READ COMMITTED, but
  // for what a search for duplicates has locked.
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

  // One of those who have a lock on the record itself; 0: nobody has.
  TrxId holder(const Place& place) const;
  // Who has the record itself, alone; 0: nobody has.
  TrxId owner(const Place& place) const;
  bool waits(TrxId trx) const { return waiting_.contains(trx); }
  // The first whom it waits for; 0: it does not wait.
  TrxId waits_for(TrxId trx) const;
  // Those who wait for each other, from the one that `trx` waits for on; empty: nobody does.
  std::vector<TrxId> cycle(TrxId trx) const;
  // As InnoDB counts what a transaction has in memory, by which it chooses the victim of a
  // deadlock.
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
  static const Lock* first_obstacle(const Place& place, const Queue& queue, std::size_t index);
  Granted removed(const Place& record);
  void grant_waiters(const Place& place, Queue& queue, Granted& granted);

  std::map<Place, Queue> places_;
  std::map<TrxId, Place> waiting_;
  std::map<TrxId, std::set<Place>> held_;  // places where it has, or waits for, a lock
  std::map<TrxId, std::set<std::pair<TableId, LockMode>>> intentions_;
  // What a transaction has in memory: one for all its locks of a mode and a kind in a table, which
  // stays when they are given back, another for those of them that widen a lock on the record as
  // strong (M54), and one for each that was waited for.
  struct Structs {
    std::set<std::tuple<TableId, LockMode, LockKind, bool>> shared;
    std::size_t own = 0;
  };
  std::map<TrxId, Structs> structs_;
};

}  // namespace picklock::mysql
