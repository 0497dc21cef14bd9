// A kind of lock server as data: everything that a scenario, its plans and its reports ask of it.
// Each shipped kind defines one such record in its own folder; models/servers/kinds.cc lists them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keys/key.h"
#include "keys/key_kinds.h"
#include "models/client/coordination.h"
#include "models/locks/lock_options.h"
#include "models/servers/gc.h"
#include "models/servers/process_kind.h"
#include "models/servers/specs.h"
#include "picklock/lock.h"
#include "sim/fault.h"
#include "sim/time.h"

namespace picklock::models {

struct Algorithm;

}  // namespace picklock::models

namespace picklock::servers {

using sim::Duration;

// Processes that differ only in their number: redis-1 to redis-3.
struct Row {
  const ProcessKind* kind = nullptr;
  std::string prefix;  // of their names; the whole name if there is no number
  std::uint32_t count = 1;
  std::uint32_t group = 0;
  bool numbered = true;
  bool apart = false;  // each is a group of its own, counted from 0
};

// Times that the servers contribute to the bounds of a scenario (scenarios/bounds.h). Each is
// bounded so that a sum of several does not overflow.
struct Bounds {
  Duration service{};         // for one command
  Duration collection{};      // the longest stop of a server by its garbage collector
  Duration before_attempt{};  // until a client can ask again for a free lock
  Duration after_ttl{};       // from the end of a lease or session until the servers notice it
  Duration replacing{};       // until the servers have replaced a lost primary by themselves
  Duration after_faults{};    // further time when servers fail or sessions end in silence
  Duration idle{};            // a session that is idle for so long ends; 0: never
  Duration answer_within{};   // a client gives up on a command without an answer; 0: never
};

struct Clock {
  Duration offset{};          // wall clock against true time
  std::int64_t rate_ppb = 0;  // of both clocks, against true time
};

inline constexpr std::string_view kNoReplica = "the primary has no replica to promote";

struct Pair {
  std::string primary;
  std::string replica;
};

struct Monitors {
  std::string_view name;  // "Sentinels"
  std::string_view key;   // of the kind's table: how many watch each primary
  std::uint32_t (*count)(const Specs& specs) = nullptr;
};

// Why a primary cannot fail over.
struct NoFailover {
  std::string of_target;        // as a message about this process
  std::string_view in_general;  // about the scenario
};

// The name of a process after another is removed; nullopt: this is the removed one.
using Renaming = std::function<std::optional<std::string>(const std::string& name)>;

// One step that makes a scenario smaller by some of its servers.
struct Smaller {
  // Changes the settings. False: the lock or a fault needs what is taken away.
  std::function<bool(Specs& specs, const models::LockOptions& lock, const sim::Plan& faults)> take;
  Renaming renaming;
};

// Removes number `gone` of the processes that are named `stem` and a number, with all that belongs
// to it. `stem` must be a literal.
Renaming without(std::string_view stem, std::uint32_t gone);
// Removes the processes whose names end with `suffix`.
Renaming without_suffix(std::string suffix);

bool fails_over(const sim::Plan& faults);

// The kind of the process of this name; fails at the value if there is none.
using FindProcess =
    std::function<const ProcessKind&(const keys::Value& where, const std::string& name)>;

class Cluster;
class Wire;

struct Kind {
  LockServer server{};       // its key in a scenario file, under [servers]
  std::string_view title{};  // in messages: "runs on a lease store"
  // How many runs a core makes per second, in the help: "12,000 on one Redis server".
  std::string_view speed{};
  // The product that the model follows: "Redis 7.0.15"; nullptr: none.
  std::string (*version)() = nullptr;

  // --- settings
  keys::Key<Specs> (*table)() = nullptr;  // [servers.KEY]
  void (*check)(const keys::Value& table, const Specs& specs, const FindProcess& find) = nullptr;
  // Its arrays of tables, as the text of a file; nullptr: it has none.
  std::string (*arrays)(const Specs& specs) = nullptr;
  std::optional<keys::Place<Specs, GcProfile>> gc{};             // of its servers
  std::optional<keys::Place<Specs, std::int64_t>> clock_rate{};  // of its servers, in ppb
  // The clocks of one process; nullptr: they run at `clock_rate`.
  Clock (*clock)(const Specs& specs, const ProcessSpec& process) = nullptr;
  // Removes the settings of single processes; nullptr: there are none.
  void (*make_alike)(Specs& specs) = nullptr;

  // --- processes
  std::string_view processes{};  // their names, in the reference
  std::span<const ProcessKind* const> kinds{};
  std::span<const ProcessKind* const> collected{};  // those of them that have a garbage collector
  std::vector<Row> (*rows)(const Specs& specs) = nullptr;  // in the order of declaration
  // A process that frees the locks of holders that are gone; nullptr: never.
  const ProcessKind* coordinator = nullptr;

  // --- locks
  // Those that are shipped, in their order; nullptr: programs bring theirs.
  std::vector<const models::Algorithm*> (*locks)() = nullptr;

  // --- a run
  std::unique_ptr<Cluster> (*make_cluster)() = nullptr;
  bool resource_first = false;  // clients connect to the resource before they connect to these
  // Whether a lock needs the coordinator, and what a file says for it; nullptr: none does.
  bool (*coordinated)(const models::Algorithm& algorithm,
                      const models::LockOptions& lock) = nullptr;
  std::string_view coordinated_by{};
  // The program of the coordinator, which never returns.
  void (*coordinate)(Client& self, const models::Coordination& task) = nullptr;
  // The keys of [lock] that its client library adds; nullptr: none.
  keys::Keys<models::LockOptions> (*library_keys)() = nullptr;

  // --- clients outside the simulation
  // For one connection; nullptr: there can be none.
  std::unique_ptr<Wire> (*open_wire)() = nullptr;
  // The names of their commands, at which faults may strike; nullptr: any name may be one.
  keys::Words (*commands)() = nullptr;
  // The keys that a request takes only if nobody has them, or may take so; nullptr: every key that
  // is recorded is a lock's.
  std::vector<std::string_view> (*takes)(std::string_view request) = nullptr;
  std::string_view served_example{};  // keys of its table, in the help of `picklock serve`
  std::string_view served_as{};       // tables of the scenario whose servers it serves by default

  // --- abilities
  std::string_view session_keeper{};  // "the ensemble"; empty: clients have no sessions
  bool leases_are_sessions = false;   // a `ttl` is the timeout of a session
  std::string_view token{};     // the fencing token of every grant; empty: there is fetch_token
  std::string_view lossless{};  // why it never loses a grant; empty: it may
  // The best shipped locks of their kinds, with which a user's own lock is compared: on one server,
  // the same with a lease that is renewed, and on several servers. Empty: none.
  std::string_view best_lock{};
  std::string_view best_renewing_lock{};
  std::string_view best_quorum_lock{};
  // Counts a fencing token beside the key, after the grant; 0: no answer. nullptr: nothing counts.
  std::int64_t (*fetch_token)(Client& self, std::string_view key) = nullptr;
  // Replaces the text of a key, and ends its lease unless `keeps_ttl`; nullptr: keys have no text.
  void (*write_key)(Client& self, std::string_view key, std::string_view text,
                    bool keeps_ttl) = nullptr;
  // How many servers have entries of their own, and the key that says so; nullptr: one.
  std::uint32_t (*primaries)(const Specs& specs) = nullptr;
  std::string_view primaries_key{};
  // How many replicas each has from which clients can read; nullptr: none.
  std::uint32_t (*replicas)(const Specs& specs) = nullptr;
  // Processes that watch each primary and know which server leads; nullptr: there are none.
  const Monitors* monitors = nullptr;
  // Adds a replica to every primary that has none, and returns their names in pairs; nullptr: no
  // such replica is needed to meet every class of faults.
  std::vector<Pair> (*add_replicas)(Specs& specs) = nullptr;
  // Whether its servers keep copies of entries in groups; nullptr: none does.
  bool (*copies)(const Specs& specs) = nullptr;

  // --- time
  Bounds (*bounds)(const Specs& specs, const models::LockOptions& lock) = nullptr;

  // --- faults
  // The classes that its settings add to those of the faults.
  FaultClasses (*met)(const Specs& specs, const sim::Plan& faults) = nullptr;
  // Why this process cannot fail over; nullptr: no process can.
  std::optional<NoFailover> (*no_failover)(const Specs& specs, std::string_view target) = nullptr;
  // Whether `process` could take over from `primary`.
  bool (*follows)(const ProcessKind& kind, std::string_view process,
                  std::string_view primary) = nullptr;

  // --- shrinking
  std::vector<Smaller> (*smaller)(const Specs& specs) = nullptr;
  // Renames processes in the settings; nullptr: they name none.
  void (*rename)(Specs& specs, const Renaming& renaming) = nullptr;
};

// Every kind, in the order of the reference and of reports.
std::span<const Kind* const> kinds();

// Adds a kind behind the shipped ones. Call this during static initialization: what has once asked
// for the kinds need not notice another. Throws std::invalid_argument if its key is taken.
void add(const Kind& kind);

// Their keys in a scenario file.
keys::Words keys_of_kinds();

// Throws std::invalid_argument if there is no such server.
const Kind& kind_of(LockServer server);

}  // namespace picklock::servers
