#include "models/mysql/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "keys/duration_text.h"
#include "models/locks/mysql/get_lock.h"
#include "models/locks/mysql/insert_lock.h"
#include "models/locks/mysql/options.h"
#include "models/locks/mysql/row_locks.h"
#include "models/locks/mysql/shedlock.h"
#include "models/locks/option_keys.h"
#include "models/mysql/cluster.h"
#include "models/mysql/socket_wire.h"
#include "models/mysql/spec.h"
#include "models/mysql/version.h"
#include "models/mysql/wire.h"
#include "models/servers/verbs.h"
#include "picklock/mysql.h"

namespace picklock::mysql {

using servers::Specs;
using sim::Duration;
using sim::Keeps;
using sim::Verb;

namespace {

constexpr std::string_view kPrimary = "mysql-1";
// Where time stands still until it is advanced, a commit would wait for its disk for ever.
constexpr std::string_view kServedAs = R"([servers.mysql]
fsync = "0s"
)";
constexpr std::array kBears = {models::kFailOver};
constexpr std::array kRefuses = {
    servers::Refusal{Verb::duplicate, "a MySQL driver sends nothing a second time"}};

}  // namespace

// A restarted server has forgotten its locks, whatever is on its disk.
constexpr servers::ProcessKind kServerKind = {
    .name = "mysql",
    .singular = "server",
    .standing = servers::Standing::first_is_primary,
    .returns = true,
    .port = 3306,
    .drawn = {FaultClass::pause, FaultClass::server_clock, FaultClass::failover,
              FaultClass::amnesia, FaultClass::partition},
    .drawn_at_messages = servers::kFaultsAtRequests,
    .bears = kBears,
    .refuses = kRefuses,
    .keeps = [](const Specs&, std::string_view,
                Keeps drawn) { return drawn == Keeps::none ? Keeps::fsynced : drawn; },
    .crash_class =
        [](const Specs&, const sim::Fault& fault) {
          return servers::starts_again(fault) ? FaultClass::amnesia : FaultClass::failover;
        }};

namespace {

constexpr std::array<const servers::ProcessKind*, 1> kKinds = {&kServerKind};

std::vector<servers::Row> rows(const Specs& specs) {
  return {{.kind = &kServerKind, .prefix = "mysql-", .count = servers_of(specs.of<Spec>())}};
}

Duration bounded(Duration length) { return std::min(length, keys::kLongest / 100); }

servers::Bounds bounds(const Specs& specs, const models::LockOptions& lock) {
  const auto& spec = specs.of<Spec>();
  const std::int64_t servers = servers_of(spec);
  return {
      .service = spec.service,
      // A client notices that its server is gone when a statement times out, and connects to
      // the others.
      .before_attempt =
          bounded(lock.command_timeout) +
          2 * servers * bounded(lock.of<models::locks::mysql::ConnectionOptions>().connect_timeout),
      .replacing = 2 * bounded(spec.settings.promote_after),
      .after_faults = bounded(spec.settings.wait_timeout),
      .idle = spec.settings.wait_timeout,
      .answer_within =
          std::min(lock.command_timeout,
                   lock.of<models::locks::mysql::ConnectionOptions>().connect_timeout)};
}

void check(const keys::Value& table, const Specs& specs, const servers::FindProcess&) {
  const auto& spec = specs.of<Spec>();
  if (spec.settings.primaries == 1) return;
  if (spec.replicas > 0) table.at("replicas").fail("must be 0 with several primaries");
  if (spec.settings.promote_after > Duration::zero())
    table.at("promote_after").fail("must be 0s with several primaries: no replica is promoted");
}

// A silent primary is replaced too, and it is not stopped. Where there are several primaries, no
// grant is known to more than one of them.
FaultClasses met(const Specs& specs, const sim::Plan& faults) {
  const bool suffers = std::any_of(faults.begin(), faults.end(), [](const sim::Fault& fault) {
    return fault.verb != Verb::step_clock &&
           (fault.target.starts_with("mysql-") || fault.verb == Verb::partition);
  });
  FaultClasses met;
  if (specs.of<Spec>().settings.primaries > 1) met.add(FaultClass::failover);
  if (specs.of<Spec>().settings.promote_after > Duration::zero() && suffers)
    met.add(FaultClass::failover);
  return met;
}

std::optional<servers::NoFailover> no_failover(const Specs& specs, std::string_view target) {
  if (target != kPrimary) {
    return {{fmt::format("not applicable to {}: only a primary can fail over to a replica", target),
             servers::kNoReplica}};
  }
  if (specs.of<Spec>().replicas > 0) return std::nullopt;
  return {{fmt::format("{} has no replica to promote", target), servers::kNoReplica}};
}

bool follows(const servers::ProcessKind& kind, std::string_view process, std::string_view primary) {
  return kind == kServerKind && process != primary;
}

std::vector<servers::Smaller> smaller(const Specs& specs) {
  std::vector<servers::Smaller> all;
  for (std::uint32_t primary = specs.of<Spec>().settings.primaries; primary > 1; --primary) {
    all.push_back(
        {.take = [](Specs& some, const models::LockOptions&,
                    const sim::Plan&) { return --some.of<Spec>().settings.primaries, true; },
         .renaming = servers::without("mysql-", primary)});
  }
  for (std::uint32_t replica = specs.of<Spec>().replicas; replica > 0; --replica) {
    all.push_back({.take =
                       [](Specs& some, const models::LockOptions&, const sim::Plan& faults) {
                         auto& one = some.of<Spec>();
                         return --one.replicas > 0 || !servers::fails_over(faults);
                       },
                   .renaming = servers::without("mysql-", 1 + replica)});
  }
  return all;
}

std::unique_ptr<servers::Cluster> make_cluster() { return std::make_unique<Cluster>(); }

keys::Keys<models::LockOptions> library_keys() {
  using namespace models::locks;
  using namespace models::locks::mysql;
  return joined({connection_keys(), reconnect_keys(), pool_keys()});
}

std::vector<const models::Algorithm*> locks() {
  using namespace models;
  return {
      &locks::mysql::mysql_row_lock(),     &locks::mysql::mysql_select_insert(),
      &locks::mysql::mysql_probe_insert(), &locks::mysql::mysql_get_lock(),
      &locks::mysql::mysql_insert_lock(),  &locks::mysql::shedlock(),
  };
}

}  // namespace

constinit const servers::Kind kKind = {
    .server = kServer,
    .title = "MySQL",
    .speed = "10,000 on MySQL",
    .version =
        [] {
          return fmt::format("{} ({} where a scenario asks for it)", kVersion, kVariantVersion);
        },
    .table = spec_table,
    .check = check,
    .clock_rate = keys::place_of<Specs>(
        [](auto& specs) -> auto& { return specs.template of<Spec>().clock_rate_ppb; }),
    .processes = "`mysql-1` to `mysql-N`",
    .kinds = kKinds,
    .rows = rows,
    .locks = locks,
    .make_cluster = make_cluster,
    .library_keys = library_keys,
    .open_wire = []() -> std::unique_ptr<servers::Wire> { return std::make_unique<SocketWire>(); },
    .commands = command_names,
    .served_example = "replicas=1",
    .served_as = kServedAs,
    .session_keeper = "the MySQL server",
    .token = "count",
    .best_lock = "mysql-row-lock",
    .copies = [](const Specs& specs) { return specs.of<Spec>().replicas > 0; },
    .bounds = bounds,
    .met = met,
    .no_failover = no_failover,
    .follows = follows,
    .smaller = smaller};

}  // namespace picklock::mysql
