#include "scenarios/program_locks.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "models/locks/quorum_options.h"
#include "models/servers/kind.h"
#include "scenarios/scenario.h"

namespace picklock::scenarios {
namespace {

using models::Algorithm;
using models::LockOptions;
using models::locks::QuorumOptions;

// An exclusion of beliefs is judged as well where the program says when it enters and leaves.
std::vector<Promise> expected(const LockOptions&) {
  std::vector<Promise> all = {{Property::mutual_exclusion, FaultClasses::all(), {}}};
  for (const Property property : kJudgedOutside) all.push_back({property, FaultClasses::all(), {}});
  return all;
}

std::uint32_t given_or(std::uint32_t quorum, const LockOptions& options) {
  const std::uint32_t given = options.of<QuorumOptions>().quorum;
  return given > 0 ? given : quorum;
}

std::uint32_t majority(std::uint32_t servers, const LockOptions& options) {
  return given_or(servers / 2 + 1, options);
}

// Primaries that copy from each other: a lock takes its entry on one.
std::uint32_t any(std::uint32_t, const LockOptions& options) { return given_or(1, options); }

keys::Keys<LockOptions> quorum_key() {
  keys::Keys<LockOptions> all;
  for (const keys::Key<LockOptions>& key : models::locks::quorum_keys()) {
    if (key.name == "quorum") all.push_back(key);
  }
  return all;
}

Algorithm program_on(const servers::Kind& server, std::string_view name) {
  return {.name = name,
          .summary = "the lock that a program has, which is run as it is",
          .source = "the program",
          .roles = {Role::command, Role::write, Role::read},
          .marks = {},
          .uses = {.servers = true, .outside = true, .threads = false, .server = server.server},
          .keys = quorum_key(),
          .promises = expected,
          .bound = [](const LockOptions&) { return sim::Duration{}; },
          .quorum = server.best_quorum_lock.empty() ? any : majority};
}

}  // namespace

std::span<const Algorithm> program_locks() {
  static std::deque<std::string> names;
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> made;
    for (const servers::Kind* kind : servers::kinds()) {
      if (kind->open_wire == nullptr) continue;
      names.push_back(std::string(kind->server.key) + "-program");
      made.push_back(program_on(*kind, names.back()));
    }
    return made;
  }();
  return all;
}

const Algorithm* program_lock(std::string_view name) {
  for (const Algorithm& one : program_locks()) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

bool has_programs(const Scenario& scenario) {
  const auto is_program = [](const LockSpec& lock) {
    const Algorithm* const algorithm = find_algorithm(lock);
    return algorithm != nullptr && algorithm->uses.outside;
  };
  // Many are asked, few have clients that differ.
  return is_program(scenario.lock) ||
         std::any_of(scenario.unlike.begin(), scenario.unlike.end(), [&](const OneClient& one) {
           return !one.lock.algorithm.empty() && is_program(one.lock);
         });
}

}  // namespace picklock::scenarios
