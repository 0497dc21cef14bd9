#include "explore/profile.h"

#include <algorithm>

#include "scenarios/runner.h"
#include "scenarios/world.h"

namespace picklock::explore {
namespace {

ReachedRole& role_of(Profile& profile, const scenarios::PassedStep& step) {
  const auto same = [&step](const ReachedRole& one) {
    return one.client == step.client && one.server == step.server && one.role == step.role;
  };
  const auto found = std::find_if(profile.roles.begin(), profile.roles.end(), same);
  if (found != profile.roles.end()) return *found;
  profile.roles.push_back({.client = step.client,
                           .server = step.server,
                           .role = step.role,
                           .times = {},
                           .commands = {}});
  return profile.roles.back();
}

void count_command(ReachedRole& role, std::string_view command) {
  if (command.empty()) return;
  for (ReachedRole::Command& known : role.commands) {
    if (known.name == command) return void(++known.times);
  }
  role.commands.push_back({std::string(command), 1});
}

void count_mark(Profile& profile, sim::ProcessId client, std::string_view mark) {
  for (ReachedMark& known : profile.marks) {
    if (known.client == client && known.mark == mark) return void(++known.times);
  }
  profile.marks.push_back({client, std::string(mark), 1});
}

Profile profile_in(scenarios::World& world, const scenarios::Scenario& scenario,
                   std::uint64_t seed) {
  scenarios::Scenario undisturbed = scenario;
  undisturbed.faults.clear();
  world.set(undisturbed);
  world.run(seed, true);
  Profile profile;
  profile.processes = world.processes();
  profile.length = world.ended() - sim::kStart;
  const sim::Trace& trace = world.trace();
  scenarios::PassedSteps passed;
  for (const sim::TraceRecord& record : trace.records) {
    if (record.kind == sim::TraceKind::mark) {
      count_mark(profile, record.process, trace.payload(record));
    } else if (const auto step = passed.read(record)) {
      ReachedRole& role = role_of(profile, *step);
      ++role.times[static_cast<std::size_t>(step->phase)];
      const sim::Protocol& protocol = *trace.protocols[record.protocol];
      if (step->phase == sim::Phase::sent && protocol.command != nullptr) {
        count_command(role, protocol.command(trace.payload(record)));
      }
    }
  }
  return profile;
}

}  // namespace

Profile profile(const scenarios::Scenario& scenario, std::uint64_t seed) {
  scenarios::World world;
  return profile_in(world, scenario, seed);
}

std::vector<Profile> profiles(const std::vector<scenarios::Scenario>& scenarios,
                              std::uint64_t seed) {
  scenarios::World world;
  std::vector<Profile> all;
  all.reserve(scenarios.size());
  for (const scenarios::Scenario& one : scenarios) all.push_back(profile_in(world, one, seed));
  return all;
}

}  // namespace picklock::explore
