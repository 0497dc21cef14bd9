#include "models/lease_store/kind.h"

#include <algorithm>
#include <array>

#include "keys/duration_text.h"
#include "models/lease_store/cluster.h"
#include "models/lease_store/spec.h"
#include "models/locks/lease_store_lock.h"
#include "models/locks/option_keys.h"
#include "picklock/lease_store.h"

namespace picklock::lease_store {

using servers::Specs;

namespace {

constexpr std::array kRefuses = {
    servers::Refusal{sim::Verb::step_clock, "the lease store uses a clock that never steps"}};

}  // namespace

constexpr servers::ProcessKind kServerKind = {
    .name = "store",
    .singular = "store",
    .standing = servers::Standing::primary,
    .forgets = "a lease store forgets nothing",
    .drawn = {FaultClass::pause, FaultClass::server_clock, FaultClass::partition,
              FaultClass::crash},
    .drawn_at_messages = servers::kFaultsAtRequests,
    .refuses = kRefuses,
    .keeps = [](const Specs&, std::string_view, sim::Keeps) { return sim::Keeps::all; }};

namespace {

constexpr std::array<const servers::ProcessKind*, 1> kKinds = {&kServerKind};

std::vector<servers::Row> rows(const Specs&) {
  return {{.kind = &kServerKind, .prefix = "store", .numbered = false}};
}

// A free key may still be under a lock-delay. A watch that the store has forgotten in a crash lasts
// until its client gives up on it.
servers::Bounds bounds(const Specs& specs, const models::LockOptions& lock) {
  const auto& spec = specs.of<Spec>();
  const sim::Duration ttl = std::min(lock.ttl, keys::kLongest / 100);
  return {.service = spec.service,
          .before_attempt =
              lock.of<models::locks::LeaseStoreOptions>().lock_delay + lock.command_timeout,
          .after_ttl = (spec.expire_after - 1) * ttl + spec.tick,
          .answer_within = std::min(lock.command_timeout, lock.ttl / 3)};
}

std::unique_ptr<servers::Cluster> make_cluster() { return std::make_unique<Cluster>(); }

keys::Keys<models::LockOptions> library_keys() {
  using namespace models::locks;
  return joined({command_keys(), resend_keys()});
}

std::vector<const models::Algorithm*> locks() {
  using namespace models;
  return {
      &locks::lease_store_lock(),
  };
}

}  // namespace

constinit const servers::Kind kKind = {
    .server = kServer,
    .title = "a lease store",
    .table = spec_table,
    .clock_rate = keys::place_of<Specs>(
        [](auto& specs) -> auto& { return specs.template of<Spec>().clock_rate_ppb; }),
    .processes = "`store`",
    .kinds = kKinds,
    .rows = rows,
    .locks = locks,
    .make_cluster = make_cluster,
    .resource_first = true,
    .library_keys = library_keys,
    .session_keeper = "the lease store",
    .leases_are_sessions = true,
    .token = "revision",
    .lossless =
        "a lease store is one server to its clients, and never loses what it has acknowledged",
    .best_lock = "lease-store-lock",
    .bounds = bounds};

}  // namespace picklock::lease_store
