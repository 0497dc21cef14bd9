// A scenario: one declaration of clients, servers, lock, faults and expected result. Documented
// failures, users' files and the finds of a search are all this aggregate and share one file
// format.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/locks/algorithm.h"
#include "models/locks/lock_options.h"
#include "models/resource/resource.h"
#include "models/servers/find_by.h"
#include "models/servers/gc.h"
#include "models/servers/specs.h"
#include "picklock/lock.h"
#include "sim/fault.h"
#include "sim/time.h"

namespace picklock::servers {

struct Kind;

}  // namespace picklock::servers

namespace picklock::scenarios {

using picklock::Property;
using servers::FindBy;
using sim::Duration;

// The source of fencing tokens: none, a command after the grant, the same step that grants, or the
// simulator's own order of grants (architecture "Fencing"). Or there are no tokens, but a
// coordinator that revokes the access of a holder that is gone, before it frees the lock or after.
// Or the token is the lock's own, which names the owner and has no order.
enum class Fencing : std::uint8_t {
  none,
  after,
  in_script,
  ideal,
  revoke,
  revoke_late,
  owner_token,
};

// How a holder saves its progress in the lock's key: not at all, by SET, or by SET with KEEPTTL
// (docs/facts/failures.md C-05).
enum class Progress : std::uint8_t { none, set, set_keepttl };

// How an operator takes a lock: from any holder, or only from the holder that the operator saw
// (docs/facts/failures.md B-16).
enum class ForceUnlock : std::uint8_t { unconditional, conditional };

// The target of a holder's writes: the resource, or a row of the lock's own database, written on
// the session that holds the lock.
enum class Effect : std::uint8_t { resource, database };

inline constexpr std::array<std::string_view, 3> kWriteModes = {"unconditional", "based-on-read",
                                                                "if-version"};

// One step of what a holder does between its grant and its release.
struct WorkStep {
  enum class Deed : std::uint8_t { read, think, write, fence };
  Deed deed = Deed::read;
  Duration length{};  // of a think
  models::WriteMode mode = models::WriteMode::unconditional;
  int line = 0;
};

// The order of events that are due at one instant: as they were scheduled, or drawn from the seed.
enum class Ties : std::uint8_t { arrival, permuted };

// The order in which clients go through several servers: the same for all, or reversed for every
// second client (docs/facts/failures.md D-05).
enum class ServerOrder : std::uint8_t { same, alternating };

// Latency of one direction of a link. Uniform in [low, high]; with `tail_one_in` n > 0, every n-th
// message on average takes a heavy tail instead: high x 2^k, k geometric, at most `tail_high`.
struct Latency {
  Duration low = std::chrono::microseconds(500);
  Duration high = std::chrono::microseconds(500);
  std::uint32_t tail_one_in = 0;
  Duration tail_high{};
};

// Latency between two named processes, in the direction from -> to; both directions when `both`.
struct Link {
  std::string from;
  std::string to;
  Latency latency;
  bool both = true;
  int line = 0;
};

// How long a message takes within the bounds of its link: drawn from the seed; or as short as they
// allow, where faults and strategies of a search choose which messages take longer.
enum class Order : std::uint8_t { drawn, any };

struct Network {
  Latency latency;
  Order order = Order::drawn;
  // Of an open order: a number from which the priorities of connections are drawn; 0: none. And the
  // messages at which the priority of a connection falls (sim/priorities.h).
  std::uint64_t priorities = 0;
  std::vector<std::uint64_t> priority_changes;
  std::vector<Link> links;
  // A connection with bytes undelivered for this long breaks, as TCP's retransmission does; 0:
  // never.
  Duration break_after{};
};

struct LockSpec {
  std::string algorithm;  // a name of `picklock list algorithms`
  std::string key = "lock:order-42";
  std::string version;  // of its library; empty: the newest
  models::LockOptions options;
  models::LockOptions preset;  // as the algorithm comes, before the file says otherwise
  // A user's own lock of that name (scenarios/own_lock.h); nullptr: the shipped one.
  const models::Algorithm* own = nullptr;
};

// A lock's options have the defaults of its algorithm.
inline LockSpec fresh_like(const LockSpec& lock) {
  return {.algorithm = {},
          .version = {},
          .options = lock.preset,
          .preset = lock.preset,
          .own = lock.own};
}

struct ResourceSpec {
  Fencing fencing = Fencing::none;
  models::Checks checks = models::Checks::writes;
  models::EqualToken equal_token = models::EqualToken::accept;
  Duration service{};
  std::uint32_t nodes = 1;  // processes resource-1 to resource-N; 1: process resource
  models::RecoverBy recover_by = models::RecoverBy::epoch;
  bool force_promises = true;
  models::RestartedLog restarted_log = models::RestartedLog::whole;

  bool operator==(const ResourceSpec&) const = default;
};

// Whether requests to the resource show a token that it compares.
bool has_tokens(const ResourceSpec& resource);

// Only the kind of lock server that the lock uses is part of the run.
struct ServersSpec : servers::Specs {
  ResourceSpec resource;
};

struct ClientsSpec {
  std::uint32_t count = 3;  // processes client-1 .. client-N
  Duration arrive_every = std::chrono::seconds(1);
  Duration hold =
      std::chrono::seconds(4);  // length of the critical section, when nothing disturbs it
  std::uint32_t writes =
      2;  // to the resource, evenly over the section: 1 at its end, else first at its start
  std::uint32_t cycles = 1;         // how often each thread acquires, works and releases
  std::uint32_t threads = 1;        // of each client that want the lock
  Duration threads_arrive_every{};  // time between the arrivals of two of them
  std::uint32_t operators = 0;      // how many of the last clients force the lock open instead
  ForceUnlock force = ForceUnlock::unconditional;
  ServerOrder server_order = ServerOrder::same;
  Duration scan_every{};  // how often a client asks which server leads; 0: only when it connects
  Duration think{};       // between two cycles
  Duration write_timeout = std::chrono::seconds(3);
  FindBy find_by = FindBy::address;
  bool check_before_write = false;  // checks before each write that it still holds the lock
  bool nested = false;      // acquires the same lock again in the section and releases that at once
  Duration nested_after{};  // time from the start of the section to the nested acquire
  Duration nested_for{};    // time from the nested acquire to its release
  Progress progress = Progress::none;
  Effect effect = Effect::resource;
  bool releases = true;              // else a holder forgets the lock at the end of its section
  std::vector<std::string> keys;     // locks that it holds at once; empty: the one of LockSpec
  std::vector<Duration> leases;      // of its acquires, in turn; empty: LockOptions::ttl
  std::vector<std::string> servers;  // the primaries that it uses, in this order; empty: all
  servers::GcProfile gc;
  std::vector<std::string> program;          // which the client is, with its arguments; empty: none
  std::string folder;                        // in which it starts, absolute once the file is read
  Duration until = std::chrono::minutes(1);  // of the run: then programs are stopped
  std::vector<WorkStep> work;                // in place of `hold` and `writes`
};

// A client that differs from the others: the names of its own keys, and their values. All other
// keys of [clients] and [lock] are those of every client (scenarios/setup.h).
struct OneClient {
  std::string name;                    // the process
  std::optional<Duration> arrives_at;  // in place of its turn
  std::vector<std::string> keys;       // of [clients]
  std::vector<std::string> lock_keys;  // of [lock]
  ClientsSpec clients{};
  LockSpec lock{};
  int line = 0;
};

inline constexpr std::array<std::string_view, 4> kDeeds = {"read", "think", "write", "fence"};

// The length of the critical section when nothing disturbs it.
Duration length_of_section(const ClientsSpec& clients);

// The first step that writes what no step before it has read, or the size.
std::size_t first_unread(const std::vector<WorkStep>& work);

bool has_step(const std::vector<WorkStep>& work, WorkStep::Deed deed);

// Total: a property that is not listed in `violated` must hold.
struct Expectation {
  std::vector<Property> violated;
  // Bounds on the longest time an acquire waited, granted or not.
  std::optional<std::pair<Duration, Duration>> longest_wait;
  std::optional<std::pair<Duration, Duration>> longest_idle;
  std::optional<std::uint64_t> digest;  // of the run with the file's own seed
  int line = 0;
};

// One `key = value` of the file changed: a dotted path as `--set` takes it and the value as TOML
// text.
struct Change {
  std::string path;
  std::string value;
};

// The same file with one key changed, or a few that belong together; every fault fires, and it has
// expectations of its own.
struct Twin {
  std::vector<Change> changes;
  Expectation expect;
};

// "lock.algorithm = redlock, servers.redis.masters = 5".
std::string in_words(const std::vector<Change>& changes);

// The same plan with one fault moved to a neighboring step, with its own expectations (architecture
// 8.19).
struct Neighbour {
  std::uint32_t fault = 1;  // counted from 1, in the order of the file
  sim::Trigger trigger;
  Expectation expect;
};

// A search of every plan that finds no violation (explore/complete.h).
struct Complete {
  std::uint32_t faults = 0;               // at most so many in a plan; 0: no search is expected
  std::optional<FaultClasses> classes{};  // nullopt: all that can act
  std::vector<Property> properties;       // empty: those that the lock promises
  std::optional<std::uint64_t> plans{};
  std::optional<std::uint64_t> different{};
};

struct Scenario {
  std::string name;  // file name without .toml
  std::string file;  // as it was given; empty: not from a file
  std::string title;
  std::string source;
  bool control = false;  // shows that something does not happen: faults need not matter
  std::uint64_t seed = 1;
  Ties ties = Ties::arrival;
  LockSpec lock;
  Network network;
  ServersSpec servers;
  ClientsSpec clients;
  std::vector<OneClient> unlike;  // the clients that differ
  sim::Plan faults;
  Expectation expect;
  std::vector<Twin> twins;
  std::vector<Neighbour> neighbours;
  Complete complete;
};

// The user's own lock, or else the shipped lock of that name; nullptr: there is none.
const models::Algorithm* find_algorithm(const LockSpec& lock);
const models::Algorithm* find_algorithm(const Scenario& scenario);

// The kind of server that has the lock's entries; Redis for an algorithm that is not shipped.
const servers::Kind& lock_server(const Scenario& scenario);

// How many servers of the lock have entries of their own, and how many replicas each of them has
// from which clients can read.
std::uint32_t primaries(const Scenario& scenario);
std::uint32_t replicas(const Scenario& scenario);

// Whether a separate process frees the locks of holders that are gone.
bool has_coordinator(const Scenario& scenario);

// The lock's own options and those that the resource requires.
models::LockOptions lock_options(const Scenario& scenario);

}  // namespace picklock::scenarios
