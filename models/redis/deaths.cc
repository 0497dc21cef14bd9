#include "models/redis/deaths.h"

#include <utility>

#include "models/redis/keyspace.h"

namespace picklock::redis {

void Deaths::reset(history::RecordedSimulation& simulation) {
  if (simulation_ != &simulation) timers_.clear();
  simulation_ = &simulation;
  mourned_ = 0;
}

void Deaths::watch(const Entry& entry) {
  if (!keys_.source().recorded()) return;
  while (timers_.size() <= entry.slot) {
    const auto slot = static_cast<std::uint32_t>(timers_.size());
    timers_.emplace_back().bind<&Deaths::on_death>(simulation_->scheduler, nullptr, *this, slot);
  }
  const sim::Instant at = keys_.clock().passes(entry.deadline_ms);
  if (at == sim::kNever) {
    timers_[entry.slot].disarm();
  } else {
    timers_[entry.slot].arm(at);
  }
}

void Deaths::mourn(Entry& entry) {
  entry.mourned = true;
  ++mourned_;
}

bool Deaths::recall(Entry& entry) {
  if (!entry.mourned) return false;
  entry.mourned = false;
  --mourned_;
  return true;
}

void Deaths::on_death(std::uint32_t slot) {
  DataSource& source = keys_.source();
  if (source.reloading()) {
    source.record_death_before_reload(slot);
    return;
  }
  Entry& entry = keys_.at(slot);
  if (!entry.present || entry.mourned || source.is_replica() || entry.alive(keys_.clock().ms()))
    return;
  mourn(entry);
  EntryRecorder& recorder = keys_.recorder();
  const Actor actor = recorder.act_for({});
  recorder.note(history::What::entry_removed, history::Cause::expiry, entry, entry.owner);
  recorder.act_for(actor);
  keys_.cycle().await();
}

// A key that no command has touched since its death lives again when the clock is set back to
// before its deadline (R28).
void Deaths::clock_changed() {
  if (!keys_.source().recorded()) return;
  keys_.recorder().act_for({});
  for (std::uint32_t slot = 0; slot < keys_.slots(); ++slot) {
    Entry& entry = keys_.at(slot);
    if (!entry.present || !entry.has_deadline()) continue;
    if (entry.mourned && !entry.alive(keys_.clock().ms())) continue;
    if (recall(entry)) {
      keys_.recorder().note(history::What::entry_created, history::Cause::command, entry,
                            entry.owner);
    }
    watch(entry);
  }
}

}  // namespace picklock::redis
