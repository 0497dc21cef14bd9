// A run as a set of places on a map. A plan whose run shows a place that no run has shown before is
// worth a closer look, so a guided search keeps it (explore/strategies/guided.h).
//
// A run shows:
// - each event in the state of the lock at which it happened. The state is how many clients believe
//   that they hold it, how many ask, whose entries the servers have, and how many faults have
//   fired;
// - each two events that follow each other on one process, and in the whole run. A fault that
// strikes
//   is an event too: its verb, and the role and phase of the message or step that it strikes at;
// - how often each event happened: once, twice, three times, four to seven times, and so on;
// - how near it came to a violation: five times, each as its power of two. They are those from a
//   belief or a write to the grant of another client, those from the end of a belief or from a
//   write to the end of the lease, and the longest in which the lock was idle although a client
//   wanted it.
// Clients are alike, and so are servers, so the places do not name them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "history/history.h"
#include "scenarios/world.h"

namespace picklock::explore {

class Sights {
 public:
  // Places are below it. Two things may share one, as in the maps of fuzzers; that hides one of
  // them and does no other harm.
  static constexpr std::uint32_t kPlaces = 1u << 17;

  // Distances from a violation have places of their own; of two places of one distance the lower is
  // the nearer. nullopt: the place is of something else.
  static constexpr std::uint32_t kDistancesOfARun = 5;
  static std::optional<std::uint32_t> distance(std::uint32_t place);

  // The places that the last run of the world shows, each at least once. Valid until the next call.
  const std::vector<std::uint32_t>& of(const scenarios::World& world);

 private:
  struct Tenure {
    bool believes = false;
    bool asks = false;
    sim::ProcessId process = 0;
    sim::ThreadId thread = 0;
    history::KeyId key = 0;
    sim::Instant lease = sim::kNever;  // of the entry that was set last
  };
  struct Key {
    std::uint32_t believers = 0;
    std::uint32_t asking = 0;
    history::TenureId last = 0;  // the one whose belief ended last
    sim::Instant ended{};        // and when
    history::TenureId writer = 0;
    sim::Instant written{};
    sim::Instant idle_since = sim::kNever;
  };
  struct Slot {
    sim::ProcessId server = 0;
    history::KeyId key = 0;
    history::TenureId owner = 0;
  };
  enum Distance : std::uint8_t {
    kBeliefToGrant,
    kWriteToGrant,
    kBeliefToExpiry,
    kWriteToExpiry,
    kIdle
  };

  void add(const history::HistoryEvent& event, const scenarios::World& world);
  void follow(const history::HistoryEvent& event);
  void end(history::TenureId id, sim::Instant at);
  void came(Distance distance, sim::Duration near);
  void was_idle(const Key& key, sim::Instant until);
  std::uint64_t state(const history::HistoryEvent& event) const;
  void show(std::uint64_t kind, std::uint64_t word);
  Tenure& tenure(history::TenureId id);
  Key& key(history::KeyId id);

  std::vector<std::uint32_t> places_;
  std::vector<Tenure> tenures_;
  std::vector<Key> keys_;
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> before_;  // by process: its last event
  std::uint64_t last_ = 0;             // event of the run
  sim::ProcessId last_process_ = 0;
  std::uint32_t fired_ = 0;
  std::array<std::uint16_t, 1024> times_{};  // by event
  std::vector<std::uint32_t> happened_;      // the events that have one
  std::array<std::uint8_t, kDistancesOfARun> nearest_{};
};

}  // namespace picklock::explore
