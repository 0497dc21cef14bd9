// The workload of a comparison: the same clients and critical sections for every lock, on its own
// servers, with one length of lease where the lock has leases. Everything else is as in the lock's
// plain scenario.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"

namespace picklock::compare {

using Changes = std::vector<scenarios::Change>;

// `directory`: where the shipped scenarios are. `changes`: of the user, as of `--set`; those that
// need fencing tokens at the resource are left out. Throws keys::BadInput.
scenarios::Scenario workload(std::string_view lock, const std::string& directory,
                             const Changes& changes = {});

// A key of [servers.resource] that a change may set, because a single node has it.
struct ResourceKey {
  std::string_view path;
  bool needs_tokens = false;  // it has an effect in the cells with fencing alone
};
// nullptr: there is none.
const ResourceKey* resource_key(std::string_view path);

// The resource of the cells with fencing.
scenarios::ResourceSpec fenced_resource(const std::string& directory, const Changes& changes);

// The same with two clients that take the lock once each. Every plan of one fault is tried with it,
// which are some ten times fewer.
scenarios::Scenario small(const scenarios::Scenario& workload);

// The workloads of all shipped locks, in the order of the catalogue. A change that a lock cannot
// have is refused if the lock is compared, one of `compared` (empty: all are), and does not change
// the lock's workload otherwise.
std::vector<scenarios::Scenario> workloads(const std::string& directory,
                                           const Changes& changes = {},
                                           const std::vector<std::string>& compared = {});

// As a sentence without its period. `lease`: of the locks that have one; nullopt: none of them.
std::string in_words(const scenarios::ClientsSpec& clients, std::optional<sim::Duration> lease);

inline constexpr sim::Duration kLease = std::chrono::seconds(9);

}  // namespace picklock::compare
