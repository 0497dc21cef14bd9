#include "models/mysql/grant_recorder.h"

#include <algorithm>

#include "models/mysql/tables.h"

namespace picklock::mysql {
namespace {

// With more locks than these, AnyLock forgets those that are free.
constexpr std::size_t kManyLocks = 64;

bool is_table_of_locks(std::string_view table) {
  return table == kLocks || table == kLockRows || table == kInsertLocks || table == kShedlock;
}

}  // namespace

void GrantRecorder::note_names(const Statement& statement, const Engine& engine) {
  if (statement.op == Op::get_lock) return meet(engine.name_of(statement.name));
  if (!is_of_rows(statement.op) || !is_table_of_locks(statement.table)) return;
  if (statement.key) meet(*statement.key);
  if (statement.values.empty()) return;
  if (const auto* const key = std::get_if<std::string>(&statement.values.front().value)) meet(*key);
}

void GrantRecorder::committed(const Changes& changes, history::TenureId by) {
  for (const Change& change : changes) {
    if (is_table_of_locks(change.table)) meet(change.key);
  }
  for (Grants& lock : locks_) lock.committed(changes, by);
}

void GrantRecorder::committed_in_ring(const Changes& changes, bool elsewhere) {
  for (Grants& lock : locks_) lock.committed_in_ring(changes, elsewhere);
}

void GrantRecorder::forget_rows() {
  for (Grants& lock : locks_) lock.forget_rows();
}

void GrantRecorder::sessions_end(history::Cause cause) {
  for (Grants& lock : locks_) lock.sessions_end(cause);
}

void GrantRecorder::pass_to(GrantRecorder& successor) {
  for (Grants& lock : locks_) {
    successor.meet(lock.name());
    lock.pass_to(*successor.find(lock.name()));
  }
}

bool GrantRecorder::any_is_over() const {
  return std::any_of(locks_.begin(), locks_.end(),
                     [](const Grants& lock) { return lock.is_over(); });
}

bool GrantRecorder::held(history::KeyId id) const {
  return std::any_of(locks_.begin(), locks_.end(),
                     [id](const Grants& lock) { return lock.id() == id && lock.held(); });
}

Grants* GrantRecorder::find(std::string_view lock) {
  const auto found = std::find_if(locks_.begin(), locks_.end(),
                                  [lock](const Grants& one) { return one.name() == lock; });
  return found == locks_.end() ? nullptr : &*found;
}

void KnownLocks::reset(history::RecordedSimulation& simulation, const sim::Process& place,
                       models::Tenures& tenures, std::span<const std::string> keys,
                       std::uint32_t rows, Grants::OverBy over_by) {
  locks_.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    locks_[i].reset(simulation, place, tenures, {static_cast<history::KeyId>(i), keys[i]}, rows,
                    over_by);
  }
}

void AnyLock::reset(history::RecordedSimulation& simulation, const sim::Process& place,
                    models::Tenures& tenures, models::Keys& keys, Grants::OverBy over_by) {
  simulation_ = &simulation;
  place_ = &place;
  tenures_ = &tenures;
  keys_ = &keys;
  over_by_ = over_by;
  locks_.clear();
}

void AnyLock::meet(std::string_view lock) {
  if (find(lock) != nullptr) return;
  if (locks_.size() >= kManyLocks)
    std::erase_if(locks_, [](const Grants& one) { return one.is_free(); });
  locks_.emplace_back().reset(*simulation_, *place_, *tenures_, {keys_->id(lock), lock}, 1,
                              over_by_);
}

}  // namespace picklock::mysql
