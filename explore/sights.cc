#include "explore/sights.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "explore/signature.h"
#include "sim/digest.h"

namespace picklock::explore {
namespace {

using history::HistoryEvent;
using history::TenureId;
using history::What;
using sim::Duration;
using sim::Instant;

enum Kind : std::uint64_t { kInState, kInProcess, kInRun, kTimes };

// The places of a distance: one for each power of two, in nanoseconds.
constexpr std::uint32_t kSteps = 64;

// A small number as it is, a larger one as its power of two.
std::uint64_t about(std::uint64_t number) {
  return number < 4 ? number : 1 + static_cast<std::uint64_t>(std::bit_width(number));
}

std::uint64_t joined(std::uint64_t one, std::uint64_t other) {
  return sim::mixed(one ^ sim::mixed(other + 0x9e3779b97f4a7c15));
}

// The kind of a fault: its effect, and the message or the other step that it strikes.
std::uint64_t kind_of(const sim::Fault& fault) {
  const sim::Trigger& trigger = fault.trigger;
  const std::uint64_t step = trigger.at || !trigger.mark.empty()
                                 ? 0
                                 : 1 + (static_cast<std::uint64_t>(trigger.role) << 3 |
                                        static_cast<std::uint64_t>(trigger.phase) << 1 |
                                        static_cast<std::uint64_t>(trigger.side));
  return 1 + static_cast<std::uint64_t>(fault.verb) + (step << 8);
}

// The event as a number that leaves out the processes.
std::uint64_t kind_of(const HistoryEvent& event, const scenarios::World& world) {
  const std::uint64_t fault =
      event.what == What::fault_fired ? kind_of(world.scenario().faults[event.key]) : 0;
  return static_cast<std::uint64_t>(event.what) | static_cast<std::uint64_t>(event.cause) << 8 |
         static_cast<std::uint64_t>(event.role) << 16 | std::uint64_t{event.holds > 1} << 24 |
         std::uint64_t{event.passes} << 25 |
         std::uint64_t{event.owner != 0 && event.owner != event.tenure} << 26 | fault << 32;
}

}  // namespace

const std::vector<std::uint32_t>& Sights::of(const scenarios::World& world) {
  places_.clear();
  tenures_.clear();
  keys_.clear();
  slots_.clear();
  before_.assign(before_.size(), 0);
  last_ = 0;
  last_process_ = 0;
  fired_ = 0;
  nearest_.fill(kSteps - 1);
  for (const HistoryEvent& event : world.history()) add(event, world);
  for (const Key& one : keys_) was_idle(one, world.ended());
  for (const std::uint32_t one : happened_)
    show(kTimes, joined(one, about(std::exchange(times_[one], 0))));
  happened_.clear();
  for (std::uint32_t i = 0; i < kDistancesOfARun; ++i) {
    if (nearest_[i] < kSteps - 1) places_.push_back(i * kSteps + nearest_[i]);
  }
  return places_;
}

void Sights::add(const HistoryEvent& event, const scenarios::World& world) {
  if (event.what == What::fault_fired) ++fired_;
  if (event.what != What::fault_fired && !is_notable(event)) return;
  const std::uint64_t kind = kind_of(event, world);
  show(kInState, joined(kind, state(event)));
  if (before_.size() <= event.process) before_.resize(event.process + 1);
  std::uint64_t& before = before_[event.process];
  show(kInProcess, joined(before, kind));
  before = kind;
  show(kInRun, joined(joined(last_, kind), std::uint64_t{last_process_ == event.process}));
  last_ = kind;
  last_process_ = event.process;
  const auto index = static_cast<std::uint32_t>(sim::mixed(kind) % times_.size());
  if (times_[index]++ == 0) happened_.push_back(index);
  follow(event);
}

std::optional<std::uint32_t> Sights::distance(std::uint32_t place) {
  const std::uint32_t distance = place / kSteps;
  if (distance >= kDistancesOfARun) return std::nullopt;
  return distance;
}

// The first places are those of the distances.
void Sights::show(std::uint64_t kind, std::uint64_t word) {
  constexpr std::uint32_t kFirst = kDistancesOfARun * kSteps;
  places_.push_back(kFirst + static_cast<std::uint32_t>(joined(kind, word) % (kPlaces - kFirst)));
}

Sights::Tenure& Sights::tenure(TenureId id) {
  if (tenures_.size() <= id) tenures_.resize(id + 1);
  return tenures_[id];
}

Sights::Key& Sights::key(history::KeyId id) {
  if (keys_.size() <= id) keys_.resize(id + 1);
  return keys_[id];
}

std::uint64_t Sights::state(const HistoryEvent& event) const {
  std::uint64_t of_believers = 0;
  std::uint64_t of_others = 0;
  for (const Slot& slot : slots_) {
    if (slot.owner == 0) continue;
    const bool believed = slot.owner < tenures_.size() && tenures_[slot.owner].believes;
    ++(believed ? of_believers : of_others);
  }
  const bool has_key = event.what != What::fault_fired && event.key < keys_.size();
  const Key key = has_key ? keys_[event.key] : keys_.empty() ? Key{} : keys_.front();
  const bool acts = event.tenure != 0 && event.tenure < tenures_.size();
  const auto few = [](std::uint64_t number) { return std::min<std::uint64_t>(number, 3); };
  return few(key.believers) | few(key.asking) << 2 | few(of_believers) << 4 | few(of_others) << 6 |
         few(fired_) << 8 | std::uint64_t{acts && tenures_[event.tenure].believes} << 10;
}

void Sights::came(Distance distance, Duration near) {
  const auto step = static_cast<std::uint8_t>(
      near.count() <= 0 ? 0 : std::bit_width(static_cast<std::uint64_t>(near.count())));
  nearest_[distance] = std::min(nearest_[distance], step);
}

// The longer, the nearer.
void Sights::was_idle(const Key& key, Instant until) {
  if (key.idle_since == sim::kNever) return;
  const auto length = static_cast<std::uint64_t>((until - key.idle_since).count());
  const auto width = static_cast<std::uint32_t>(std::bit_width(length));
  const auto step = static_cast<std::uint8_t>(kSteps - 2 - std::min(kSteps - 2, width));
  nearest_[kIdle] = std::min(nearest_[kIdle], step);
}

// ---------------------------------------------------------------- the state of the locks

void Sights::end(TenureId id, Instant at) {
  Tenure& one = tenure(id);
  Key& of = key(one.key);
  if (std::exchange(one.asks, false) && of.asking > 0) --of.asking;
  if (!std::exchange(one.believes, false)) return;
  if (of.believers > 0) --of.believers;
  of.last = id;
  of.ended = at;
  if (one.lease != sim::kNever) came(kBeliefToExpiry, one.lease - at);
}

void Sights::follow(const HistoryEvent& event) {
  const TenureId id = event.tenure;
  switch (event.what) {
    case What::acquire_invoked: {
      Tenure& one = tenure(id);
      one.asks = true;
      one.process = event.process;
      one.thread = event.thread;
      one.key = event.key;
      ++key(event.key).asking;
      break;
    }
    case What::acquire_ok: {
      Tenure& one = tenure(id);
      Key& of = key(one.key);
      if (std::exchange(one.asks, false) && of.asking > 0) --of.asking;
      if (std::exchange(one.believes, true)) break;
      if (of.believers++ > 0)
        came(kBeliefToGrant, Duration::zero());
      else if (of.last != 0 && of.last != id)
        came(kBeliefToGrant, event.at - of.ended);
      if (of.writer != 0 && of.writer != id) came(kWriteToGrant, event.at - of.written);
      break;
    }
    case What::acquire_failed:
    case What::acquire_unknown:
    case What::release_invoked:
    case What::loss_learned:
    case What::deadline_passed:
    case What::abandoned:
      end(id, event.at);
      break;
    case What::thread_ended:
    case What::process_crashed:
      for (TenureId other = 1; other < tenures_.size(); ++other) {
        const bool is_its_own = event.what == What::process_crashed
                                    ? tenures_[other].process == event.process
                                    : tenures_[other].thread == event.thread;
        if (is_its_own) end(other, event.at);
      }
      break;
    case What::entry_created:
    case What::entry_altered:
    case What::entry_removed: {
      const TenureId owner = history::owner_after(event);
      if (owner != 0) tenure(owner).lease = event.until;
      const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& one) {
        return one.server == event.process && one.key == event.key;
      });
      if (slot == slots_.end())
        slots_.push_back({event.process, event.key, owner});
      else
        slot->owner = owner;
      break;
    }
    case What::write_accepted: {
      const Tenure& one = tenure(id);
      Key& of = key(one.key);
      of.writer = id;
      of.written = event.at;
      if (one.lease != sim::kNever) came(kWriteToExpiry, one.lease - event.at);
      break;
    }
    default:
      break;
  }
  for (Key& one : keys_) {
    const bool idle = one.believers == 0 && one.asking > 0;
    if (idle && one.idle_since == sim::kNever) {
      one.idle_since = event.at;
    } else if (!idle && one.idle_since != sim::kNever) {
      was_idle(one, event.at);
      one.idle_since = sim::kNever;
    }
  }
}

}  // namespace picklock::explore
