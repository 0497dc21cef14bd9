#include "models/redis/expiry_cycle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "models/redis/keyspace.h"
#include "sim/random.h"

namespace picklock::redis {
namespace {

constexpr std::int64_t kCycle = 100'000'000;  // hz 10

}  // namespace

void ExpiryCycle::reset(history::RecordedSimulation& simulation, sim::Process& process) {
  simulation_ = &simulation;
  process_ = &process;
  timer_.bind<&ExpiryCycle::on_cycle>(simulation.scheduler, &process, *this);
  expiring_.clear();
  active_ = true;
  expiry_held_ = held_ = missed_ = false;
  cursor_ = 0;
  // Each server has its own cycle phase and its own order of hash tables.
  sim::Random cycles(simulation.scheduler.record().seed(),
                     sim::mixed(process.hash() ^ sim::hash_of("cycle")));
  phase_ = cycles.between(sim::Duration(0), sim::Duration(kCycle - 1)).count();
  salt_ = cycles.next();
}

void ExpiryCycle::halted() {
  held_ = missed_ = false;
  timer_.leave();
  active_ = true;
  expiry_held_ = false;
}

void ExpiryCycle::keep_deadline(Entry& entry, std::int64_t deadline_ms) {
  entry.deadline_ms = deadline_ms;
  const bool listed = entry.place < expiring_.size() && expiring_[entry.place] == &entry;
  const bool wanted = entry.present && entry.has_deadline();
  if (wanted == listed) return;
  if (wanted) {
    entry.place = static_cast<std::uint32_t>(expiring_.size());
    expiring_.push_back(&entry);
  } else {
    Entry& last = *expiring_.back();
    expiring_[entry.place] = &last;
    last.place = entry.place;
    expiring_.pop_back();
  }
}

// ---------------------------------------------------------------- when it is due

void ExpiryCycle::set_active(bool on) {
  active_ = on;
  if (on) await();
}

void ExpiryCycle::hold_expiry(bool on) {
  expiry_held_ = on;
  if (!held_ && !on && std::exchange(missed_, false)) await();
}

void ExpiryCycle::hold(bool on) {
  held_ = on;
  if (!expiry_held_ && !on && std::exchange(missed_, false)) await();
}

std::int64_t ExpiryCycle::next(std::int64_t local) const {
  const std::int64_t since = local - phase_;
  const std::int64_t cycles = since / kCycle + (since % kCycle > 0 ? 1 : 0);
  return cycles * kCycle + phase_;
}

std::int64_t ExpiryCycle::next_from(sim::Instant at) const {
  const sim::Instant later = std::max(at, simulation_->now() + sim::Duration(1));
  return next(process_->clock().read(sim::ClockKind::monotonic, later));
}

// The cycle runs on the server's event loop, by its monotonic clock, even if there is nothing to
// do. An event is spent only on a cycle that may find a dead key.
void ExpiryCycle::await() {
  if (timer_.armed() || !active_ || keys_.source().is_replica() || process_->down()) return;
  const std::int64_t now = simulation_->scheduler.local_time(*process_, sim::ClockKind::monotonic);
  timer_.arm_on(sim::ClockKind::monotonic, next(now + 1));
}

void ExpiryCycle::on_cycle() {
  if (expiry_held_ || held_) {
    missed_ = true;
  } else {
    forget_some();
  }
}

// ---------------------------------------------------------------- what it does

// The next key with a deadline, in the order of a hash table. That order is unrelated to the order
// of creation; here it is a permutation of all places, by their bits.
Entry& ExpiryCycle::next_to_look_at() {
  const auto size = static_cast<std::uint32_t>(expiring_.size());
  const unsigned bits = static_cast<unsigned>(std::bit_width(size - 1));
  const unsigned half = (bits + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (;;) {
    std::uint64_t place = cursor_++ & mask;
    for (const std::uint64_t odd : {0x9e3779b97f4a7c15ull, 0xbf58476d1ce4e5b9ull}) {
      place = (place * odd + salt_) & mask;
      place ^= place >> half;
    }
    if (place < size) return *expiring_[place];
  }
}

// Checks twenty keys that have a deadline, and repeats while more than a tenth of them were dead.
// So a few dead keys among many live ones are left for very long (R22). It also ends when it has
// used its share of the processor, some thousands of keys (R21). (The real server checks its
// databases one by one; here they are one.)
void ExpiryCycle::forget_some() {
  constexpr std::size_t kSample = 20;
  constexpr std::size_t kAcceptedPercent = 10;
  constexpr std::size_t kMostInOneCycle = 6000;
  if (!active_ || keys_.source().is_replica()) return;
  const std::int64_t now = keys_.clock().ms();
  std::size_t removed = 0;
  bool stale = true;
  while (stale && removed < kMostInOneCycle && !expiring_.empty()) {
    // The sample is chosen first, because a removal moves another key into the free place.
    std::array<Entry*, kSample> sample;
    const std::size_t count = std::min(kSample, expiring_.size());
    for (std::size_t i = 0; i < count; ++i) sample[i] = &next_to_look_at();
    std::size_t dead = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (sample[i]->alive(now)) continue;
      keys_.forget(*sample[i]);
      ++dead;
    }
    removed += dead;
    stale = dead * 100 / count > kAcceptedPercent;
  }
  if (keys_.deaths().any()) await();
}

}  // namespace picklock::redis
