#include "models/mysql/grants.h"

#include <algorithm>

#include "history/recorded_simulation.h"
#include "models/mysql/sql.h"
#include "models/mysql/tables.h"

namespace picklock::mysql {
namespace {

constexpr std::int64_t kNanoseconds = 1000;  // per microsecond

bool is_of_locks(const Change& change) {
  return change.table == kInsertLocks || change.table == kShedlock;
}

}  // namespace

void Grants::reset(history::RecordedSimulation& simulation, const sim::Process& place,
                   models::Tenures& tenures, const models::NamedKey& lock, std::uint32_t rows,
                   OverBy over_by) {
  simulation_ = &simulation;
  place_ = &place;
  tenures_ = &tenures;
  id_ = lock.id;
  key_ = lock.name;
  other_rows_.clear();
  for (std::uint32_t i = 1; i < rows; ++i) other_rows_.push_back(row_of(key_, i));
  copied_ = false;
  over_by_ = over_by;
  row_ = {};
  holder_.reset();
}

std::int64_t Grants::now() const {
  const sim::Instant now = simulation_->now();
  const std::int64_t shown = over_by_ == OverBy::server
                                 ? place_->clock().read(sim::ClockKind::wall, now)
                                 : sim::kEpoch + sim::nanoseconds(now);
  return shown / kNanoseconds;
}

sim::Instant Grants::instant(std::int64_t at) const {
  const sim::Instant now = simulation_->now();
  if (at == 0 || at >= INT64_MAX / kNanoseconds) return sim::kNever;
  if (over_by_ == OverBy::server)
    return place_->clock().when(sim::ClockKind::wall, at * kNanoseconds, now);
  return std::max(now, sim::kStart + sim::Duration(at * kNanoseconds - sim::kEpoch));
}

void Grants::arm(sim::Timer& timer) const {
  const sim::Instant over = instant(over_at());
  if (over == sim::kNever) {
    timer.disarm();
  } else if (over_by_ == OverBy::server) {
    timer.arm_on(sim::ClockKind::wall, over_at() * kNanoseconds);
  } else {
    timer.arm(over);
  }
}

std::optional<Grants::Holder> Grants::find(Engine& engine, std::int64_t now) const {
  SessionId owner = engine.owner_of_name(key_);
  if (owner == 0) owner = engine.owner_of_row(kLockRows, key_);
  if (owner != 0 && !has_other_rows(engine, owner)) owner = 0;
  if (owner == 0) owner = engine.owner_of_row(kLocks, key_);
  if (owner != 0) return Holder{.session = owner};
  // The server at which a row was committed has recorded its holder.
  if (copied_) return std::nullopt;
  if (row_.until <= now || !has_other_rows(engine)) return std::nullopt;
  return Holder{.says = row_.says, .until = row_.until, .tenure = row_.owner};
}

// A row that is prolonged while it is valid keeps its owner, whoever prolongs it.
void Grants::committed(const Changes& changes, history::TenureId by) {
  for (const Change& change : changes) {
    if (!is_of_locks(change) || !has_row(change.key)) continue;
    CommittedRow found = row_;
    if (change.key == key_) found = change.row ? read(change.table, *change.row) : CommittedRow{};
    const bool prolonged =
        change.key == key_ && change.row && found.says == row_.says && row_.until > now();
    found.owner = prolonged ? row_.owner : by;
    row_ = std::move(found);
  }
}

Grants::CommittedRow Grants::read(std::string_view table, const Row& row) {
  const bool of_shedlock = table == kShedlock;
  return {.says = of_shedlock ? sql(row[3]) + sql(row[2]) : sql(row[1]) + sql(row[2]),
          .until = std::get<std::int64_t>(row[of_shedlock ? 1 : 2])};
}

void Grants::committed_in_ring(const Changes& changes, bool elsewhere) {
  for (const Change& change : changes) {
    if (is_of_locks(change) && has_row(change.key)) copied_ = elsewhere;
  }
}

bool Grants::has_row(std::string_view key) const {
  return key == key_ || std::find(other_rows_.begin(), other_rows_.end(), key) != other_rows_.end();
}

bool Grants::has_other_rows(Engine& engine, SessionId owner) const {
  return std::all_of(other_rows_.begin(), other_rows_.end(), [&](const std::string& key) {
    return engine.owner_of_row(kLockRows, key) == owner;
  });
}

bool Grants::has_other_rows(Engine& engine) const {
  if (other_rows_.empty()) return true;
  const Row* const first = engine.row(kInsertLocks, key_);
  return first != nullptr &&
         std::all_of(other_rows_.begin(), other_rows_.end(), [&](const std::string& key) {
           const Row* const row = engine.row(kInsertLocks, key);
           return row != nullptr && (*row)[1] == (*first)[1];
         });
}

void Grants::decide(const std::optional<Holder>& found, const Doing& doing) {
  const bool same =
      found && holder_ && found->session == holder_->session && found->says == holder_->says;
  if (same) {
    // A session that a pool has lent out again still has the locks of its last borrower.
    const bool inherited = found->session != 0 && doing.session == found->session && doing.asks &&
                           doing.tenure != holder_->tenure;
    const bool prolonged = found->until != holder_->until;
    if (inherited) tenures_->altered(doing.tenure, holder_->tenure, id_);
    if (inherited || prolonged)
      note(history::What::entry_altered, doing, holder_->tenure, found->until, inherited);
    if (inherited) holder_->tenure = doing.tenure;
    holder_->until = found->until;
    return;
  }
  if (holder_) {
    note(history::What::entry_removed, doing, holder_->tenure, 0);
    tenures_->removed(holder_->tenure, id_);
  }
  holder_ = found;
  if (!found) return;
  const bool restored =
      doing.cause == history::Cause::restart || doing.cause == history::Cause::failover;
  if (!restored) tenures_->granted(found->tenure, id_);
  Doing granting{.cause = restored ? doing.cause : history::Cause::command,
                 .tenure = restored ? 0 : found->tenure,
                 .role = Role::acquire};
  note(history::What::entry_created, granting, restored ? found->tenure : 0, found->until);
}

void Grants::pass_to(const Grants& successor) {
  const CommittedRow& copy = successor.row_;
  const bool copied = holder_ && holder_->session == 0 && copy.says == holder_->says &&
                      copy.owner == holder_->tenure;
  forget(copied && copy.until <= successor.now() ? history::Cause::expiry
                                                 : history::Cause::failover);
}

void Grants::note(history::What what, const Doing& doing, history::TenureId owner,
                  std::int64_t until, bool passes) const {
  simulation_->recorder.note({.at = simulation_->now(),
                              .what = what,
                              .cause = doing.cause,
                              .role = doing.role,
                              .process = place_->id(),
                              .tenure = doing.tenure,
                              .owner = owner,
                              .key = id_,
                              .passes = passes,
                              .until = instant(until)});
}

}  // namespace picklock::mysql
