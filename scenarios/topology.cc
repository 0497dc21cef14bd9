#include "scenarios/topology.h"

#include <fmt/format.h>

#include <algorithm>

namespace picklock::scenarios {

std::vector<ProcessSpec> processes_of(const Scenario& scenario) {
  const RedisSpec& redis = scenario.servers.redis;
  std::vector<ProcessSpec> all;
  for (std::uint32_t i = 1; i <= scenario.clients.count; ++i)
    all.push_back({fmt::format("client-{}", i), TargetKind::client});
  if (has_coordinator(scenario)) all.push_back({"coordinator", TargetKind::coordinator});
  if (on(scenario, LockServer::lease_store)) {
    all.push_back({"store", TargetKind::store});
    all.push_back({"resource", TargetKind::resource});
    return all;
  }
  if (on(scenario, LockServer::zookeeper)) {
    for (std::uint32_t i = 1; i <= scenario.servers.zookeeper.servers; ++i)
      all.push_back({fmt::format("zookeeper-{}", i), TargetKind::zookeeper});
    all.push_back({"resource", TargetKind::resource});
    return all;
  }
  if (on(scenario, LockServer::mysql)) {
    for (std::uint32_t i = 0; i <= scenario.servers.mysql.replicas; ++i)
      all.push_back({fmt::format("mysql-{}", i + 1), TargetKind::mysql});
    all.push_back({"resource", TargetKind::resource});
    return all;
  }
  for (std::uint32_t i = 0; i < redis.masters; ++i)
    all.push_back({fmt::format("redis-{}", i + 1), TargetKind::redis, i});
  all.push_back({"resource", TargetKind::resource});
  for (std::uint32_t i = 0; i < redis.masters; ++i) {
    for (std::uint32_t k = 1; k <= redis.replicas; ++k)
      all.push_back({fmt::format("redis-{}-replica-{}", i + 1, k), TargetKind::replica, i});
    for (std::uint32_t k = 1; k <= redis.sentinels; ++k)
      all.push_back({fmt::format("redis-{}-sentinel-{}", i + 1, k), TargetKind::sentinel, i});
  }
  return all;
}

std::uint32_t askers(const Scenario& scenario) {
  return scenario.clients.count + (has_coordinator(scenario) ? 1 : 0);
}

const ProcessSpec* find(const std::vector<ProcessSpec>& processes, std::string_view name) {
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [name](const ProcessSpec& one) { return one.name == name; });
  return found == processes.end() ? nullptr : &*found;
}

}  // namespace picklock::scenarios
