// Redlock (redis.io, Distributed Locks; docs/facts/algorithms.md 3): the same key with the same
// random value on several independent servers. A client that has it on more than half of them, with
// some of the lease left, holds the lock. The libraries differ in how many servers they ask at
// once, how many answers they wait for, when they check their clock, and which keys they undo.
// Those are options, and the named locks are sets of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/locks/algorithm.h"
#include "models/locks/configured_lock.h"
#include "models/locks/option_keys.h"

namespace picklock::models::locks {

// When a quorum lock reads its clock to see how much of the lease is left: after the last answer,
// as the specification has it; before it reads any; or never (docs/facts/failures.md B-04, C-12).
enum class Validity : std::uint8_t { after_answers, before_answers, never };

// The order in which a quorum lock sends requests to its servers.
enum class Asks : std::uint8_t { together, in_turn };

// How many answers it waits for: all of them, or as many as decide.
enum class Hears : std::uint8_t { all, majority };

// Where a failed attempt is undone: at all servers, or at those that have granted
// (docs/facts/failures.md A-18); and when: after each attempt, or only after the last one.
enum class UndoAt : std::uint8_t { all, granted };
enum class UndoAfter : std::uint8_t { each_attempt, last_attempt };

// How a quorum lock extends its lease: by a request, regardless of its clock; or as npm's redlock
// does, by one more attempt to acquire. That attempt is left out if the lease is over, and undone
// if it fails.
enum class Extends : std::uint8_t { by_asking, as_acquired };

// The commands of a quorum lock: SET, and a script to release; only scripts, sent whole each time;
// or only scripts, named by their SHA-1.
enum class Speaks : std::uint8_t { set, scripts, script_names };

struct QuorumOptions {
  std::uint32_t quorum = 0;  // 0: more than half, or all of them
  Validity validity = Validity::after_answers;
  std::int64_t drift_ppm = 10'000;  // of the lease, taken off its validity
  Duration drift_extra = std::chrono::milliseconds(2);
  Asks asks = Asks::together;
  Hears hears = Hears::all;
  Speaks speaks = Speaks::set;
  UndoAt undo_at = UndoAt::all;
  UndoAfter undo_after = UndoAfter::each_attempt;
  Extends extends = Extends::by_asking;
  bool extend_missing = false;  // an extension sets a key anew that is no longer there
};

class QuorumLock : public ConfiguredLock, public ForcedRelease {
 public:
  using ConfiguredLock::ConfiguredLock;

  Acquired acquire(Client& self, std::string_view key) override;
  Acquired try_acquire(Client& self, std::string_view key) override;
  Released release(Client& self, const Lease& lease) override;
  Released force_release(Client& self, std::string_view key, bool conditional) override;

 private:
  // A server's answer to a request: yes, no, or none (yet).
  enum class Vote : std::uint8_t { yes, no, none };
  struct Count {
    std::uint32_t yes = 0;
    std::uint32_t no = 0;
    std::uint32_t failed = 0;
    std::uint32_t servers = 0;
    std::vector<bool> granted;
  };
  struct Extending {
    Lease lease;
    Duration ends{};  // when it must have expired, on the client's clock
    bool stopped = false;
  };
  struct Attempt {
    Acquired acquired;
    Count count;
  };

  std::uint32_t quorum(Client& self) const;
  bool decided(const Count& count, std::uint32_t quorum) const;
  template <typename Ask>
  Count ask_all(Client& self, Ask ask) const;
  void undo(Client& self, const Lease& lease, const Count& count) const;
  Duration validity_ends(Duration started) const;
  void keep_extending(Client& self, const Lease& lease, Duration ends);
  void extend(Client& self, Extending& extending) const;
  Attempt attempt(Client& self, const Lease& wanted);
  Released released(const Count& count, std::uint32_t quorum) const;

  static Vote set(redis::Client& redis, const Lease& lease, Speaks how);
  static Vote forget(redis::Client& redis, const Lease& lease, Speaks how);
  static Vote prolong(redis::Client& redis, const Lease& lease, Speaks how, bool missing);

  const QuorumOptions& own_ = options().of<QuorumOptions>();
  std::vector<std::shared_ptr<Extending>> extending_;
};

OptionKeys validity_keys();  // `validity` alone

const Algorithm& redlock();
const Algorithm& node_redlock_v4();
const Algorithm& node_redlock_v5();
const Algorithm& redsync();

}  // namespace picklock::models::locks
