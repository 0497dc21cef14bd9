#include "models/redis/entry_recorder.h"

#include <string>

#include "models/redis/numbers.h"

namespace picklock::redis {
namespace {

// The count of a re-entrant lock: the only field of a hash, if it is a small number; else 0.
std::uint8_t holds(const Entry& entry) {
  if (entry.value.type() != Type::hash) return 0;
  const Hash& hash = entry.value.hash();
  std::int64_t count = 0;
  const bool counts = hash.size() == 1 && strict_integer(hash.begin()->value, count);
  return counts && count > 0 && count <= UINT8_MAX ? static_cast<std::uint8_t>(count)
                                                   : std::uint8_t{0};
}

}  // namespace

void EntryRecorder::reset(history::RecordedSimulation& simulation, const sim::Process& process,
                          models::Tenures& tenures, models::Keys& keys) {
  simulation_ = &simulation;
  process_ = &process;
  tenures_ = &tenures;
  keys_ = &keys;
  actor_ = {};
}

// A request for the lock: the first of its tenure takes the tenure's place in the order of arrival.
void EntryRecorder::arrived() {
  if (source_.recorded() && tenures_->arrives(actor_.tenure))
    simulation_->recorder.note(queued(actor_));
}

void EntryRecorder::answered(const Actor& actor, bool error) {
  if (source_.recorded() && tenures_->is_heard(actor.tenure, error))
    simulation_->recorder.note_known(queued(actor));
}

history::HistoryEvent EntryRecorder::queued(const Actor& actor) const {
  return {.at = simulation_->now(),
          .what = history::What::queued,
          .role = actor.role,
          .process = process_->id(),
          .tenure = actor.tenure,
          .key = tenures_->key(actor.tenure)};
}

void EntryRecorder::name(Entry& entry) {
  if (std::exchange(entry.named, true)) return;
  entry.id = entry.database == 0
                 ? keys_->id(entry.key)
                 : keys_->id("db" + std::to_string(entry.database) + ":" + entry.key);
}

void EntryRecorder::record(history::What what, history::Cause cause, const Entry& entry,
                           history::TenureId owner) {
  const bool removed = what == history::What::entry_removed;
  const bool gone = removed || !entry.has_deadline();
  if (removed) tenures_->removed(owner, entry.id);
  if (what == history::What::entry_altered) tenures_->altered(actor_.tenure, owner, entry.id);
  simulation_->recorder.note(
      {.at = simulation_->now(),
       .what = what,
       .cause = cause,
       .role = actor_.role,
       .holds = removed ? std::uint8_t{0} : holds(entry),
       .process = process_->id(),
       .tenure = actor_.tenure,
       .owner = owner,
       .key = entry.id,
       .passes = what == history::What::entry_altered && entry.owner != owner,
       .until = gone ? sim::kNever : clock_.passes(entry.deadline_ms)});
}

}  // namespace picklock::redis
