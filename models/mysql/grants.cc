#include "models/mysql/grants.h"

#include <algorithm>

#include "history/recorded_simulation.h"
#include "models/mysql/sql.h"
#include "models/mysql/tables.h"

namespace picklock::mysql {
namespace {

constexpr std::int64_t kNanoseconds = 1000;  // per microsecond

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
  if (const Row* const row = engine.row(kInsertLocks, key_)) {
    const std::int64_t until = std::get<std::int64_t>((*row)[2]);
    if (until > now && has_other_rows(engine, *row))
      return Holder{.says = sql((*row)[1]) + sql((*row)[2]), .until = until};
  }
  if (const Row* const row = engine.row(kShedlock, key_)) {
    const std::int64_t until = std::get<std::int64_t>((*row)[1]);
    if (until > now) return Holder{.says = sql((*row)[3]) + sql((*row)[2]), .until = until};
  }
  return std::nullopt;
}

void Grants::committed(const Changes& changes, bool elsewhere) {
  for (const Change& change : changes) {
    const bool of_lock = change.table == kInsertLocks || change.table == kShedlock;
    if (of_lock && has_row(change.key)) copied_ = elsewhere;
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

bool Grants::has_other_rows(Engine& engine, const Row& first) const {
  return std::all_of(other_rows_.begin(), other_rows_.end(), [&](const std::string& key) {
    const Row* const row = engine.row(kInsertLocks, key);
    return row != nullptr && (*row)[1] == first[1];
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
  note(history::What::entry_created, granting, 0, found->until);
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
