#include "models/zookeeper/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "keys/duration_text.h"
#include "models/locks/algorithm.h"
#include "models/locks/zookeeper/coordinator.h"
#include "models/locks/zookeeper/curator_mutex.h"
#include "models/locks/zookeeper/ephemeral_lock.h"
#include "models/locks/zookeeper/kazoo_lock.h"
#include "models/locks/zookeeper/options.h"
#include "models/locks/zookeeper/sequential_lock.h"
#include "models/servers/verbs.h"
#include "models/zookeeper/cluster.h"
#include "models/zookeeper/socket_wire.h"
#include "models/zookeeper/spec.h"
#include "models/zookeeper/version.h"
#include "models/zookeeper/wire.h"
#include "picklock/zookeeper.h"

namespace picklock::zookeeper {

using servers::Specs;
using sim::Keeps;
using sim::Verb;

namespace {

constexpr std::array kRefuses = {
    servers::Refusal{models::kFailOver,
                     "an ensemble elects its leader by itself: crash the leader instead"},
    servers::Refusal{Verb::duplicate, "a ZooKeeper client sends nothing a second time"}};
// A write needs the disks and the other servers. Where time stands still until it is advanced, a
// client would wait for ever if they took any.
constexpr std::string_view kServedAs = R"([network]
latency = "0s"
[servers.zookeeper]
fsync = "0s"
)";
constexpr std::array kCoordinatorBears = {models::kKillSession};

}  // namespace

// Another server of the ensemble takes its place; only data that the machine forgets can be missed.
constexpr servers::ProcessKind kServerKind = {
    .name = "zookeeper",
    .singular = "server",
    .standing = servers::Standing::peer,
    .elects = true,
    .returns = true,
    .port = 2181,
    .drawn = {FaultClass::pause, FaultClass::server_clock, FaultClass::failover,
              FaultClass::amnesia, FaultClass::partition},
    .drawn_at_messages = servers::kFaultsAtRequests,
    .refuses = kRefuses,
    .keeps = [](const Specs&, std::string_view,
                Keeps drawn) { return drawn == Keeps::none ? Keeps::fsynced : drawn; },
    .crash_class =
        [](const Specs&, const sim::Fault& fault) {
          return fault.keeps == Keeps::all || !servers::starts_again(fault) ? FaultClass::failover
                                                                            : FaultClass::amnesia;
        }};

namespace {

constexpr servers::ProcessKind kCoordinatorKind = {
    .name = "coordinator",
    .singular = "coordinator",
    .takes_steps = true,
    .drawn = {FaultClass::pause, FaultClass::partition, FaultClass::crash},
    .bears = kCoordinatorBears};

constexpr std::array<const servers::ProcessKind*, 2> kKinds = {&kServerKind, &kCoordinatorKind};
constexpr std::array<const servers::ProcessKind*, 1> kCollected = {&kServerKind};

std::vector<servers::Row> rows(const Specs& specs) {
  return {{.kind = &kServerKind, .prefix = "zookeeper-", .count = specs.of<Spec>().servers}};
}

// Longest time until an ensemble has another leader: the old one falls silent, and its followers
// wait for it as long as they may.
sim::Duration election(const Spec& spec) {
  constexpr sim::Duration kVotes = std::chrono::seconds(2);
  return spec.servers == 1 ? sim::Duration{} : spec.sync_limit * spec.tick + kVotes;
}

// A client may have to find out that its server is gone, and find another.
// A client gives up an attempt to connect after its share of the session timeout, and pings three
// times in it. Followers have less patience with a leader where ticks are short.
sim::Duration answer_within(const Spec& spec, const models::LockOptions& lock) {
  const sim::Duration tick = std::min(spec.tick, keys::kLongest / 1000);
  const sim::Duration session = std::min(lock.ttl, 20 * tick);
  const auto parts = std::max<std::int64_t>(spec.servers, 3);
  return std::min(session / parts, tick * spec.sync_limit);
}

servers::Bounds bounds(const Specs& specs, const models::LockOptions& lock) {
  const auto& spec = specs.of<Spec>();
  return {.service = spec.service,
          .collection = picklock::servers::longest_collection(spec.gc),
          .before_attempt = std::min(lock.ttl, keys::kLongest / 100) + election(spec),
          .after_ttl = std::max(sim::Duration{}, 2 * spec.tick - lock.ttl) + spec.tick,
          .after_faults = election(spec),
          .answer_within = answer_within(spec, lock)};
}

std::vector<servers::Smaller> smaller(const Specs& specs) {
  std::vector<servers::Smaller> all;
  for (std::uint32_t gone = specs.of<Spec>().servers; gone > 1; --gone) {
    all.push_back({.take = [](Specs& some, const models::LockOptions&,
                              const sim::Plan&) { return --some.of<Spec>().servers, true; },
                   .renaming = servers::without("zookeeper-", gone)});
  }
  return all;
}

std::unique_ptr<servers::Cluster> make_cluster() { return std::make_unique<Cluster>(); }

bool coordinated(const models::Algorithm& algorithm, const models::LockOptions& lock) {
  using models::locks::zookeeper::FreedBy;
  return models::takes(algorithm, "freed_by") &&
         lock.of<models::locks::zookeeper::EphemeralOptions>().freed_by == FreedBy::coordinator;
}

void coordinate(picklock::Client& self, const models::Coordination& task) {
  models::locks::zookeeper::Coordinator(task).run(self);
}

std::vector<const models::Algorithm*> locks() {
  using namespace models;
  return {
      &locks::zookeeper::zk_ephemeral(),        &locks::zookeeper::zk_sequential(),
      &locks::zookeeper::zk_sequential_naive(), &locks::zookeeper::curator_mutex(),
      &locks::zookeeper::kazoo_lock(),
  };
}

}  // namespace

constinit const servers::Kind kKind = {
    .server = kServer,
    .title = "ZooKeeper",
    .speed = "6,000 on ZooKeeper",
    .version = [] { return fmt::format("ZooKeeper {}", kVersion); },
    .table = spec_table,
    .gc = keys::place_of<Specs>([](auto& specs) -> auto& { return specs.template of<Spec>().gc; }),
    .clock_rate = keys::place_of<Specs>(
        [](auto& specs) -> auto& { return specs.template of<Spec>().clock_rate_ppb; }),
    .processes = "`zookeeper-1` to `zookeeper-N`",
    .kinds = kKinds,
    .collected = kCollected,
    .rows = rows,
    .coordinator = &kCoordinatorKind,
    .locks = locks,
    .make_cluster = make_cluster,
    .coordinated = coordinated,
    .coordinated_by = "freed_by = \"coordinator\"",
    .coordinate = coordinate,
    .library_keys = models::locks::zookeeper::client_session_keys,
    .open_wire = []() -> std::unique_ptr<servers::Wire> { return std::make_unique<SocketWire>(); },
    .commands = command_names,
    .served_example = "servers=3",
    .served_as = kServedAs,
    .session_keeper = "the ensemble",
    .leases_are_sessions = true,
    .token = "zxid",
    .best_lock = "zk-sequential",
    .bounds = bounds,
    .smaller = smaller};

}  // namespace picklock::zookeeper
