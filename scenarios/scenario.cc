#include "scenarios/scenario.h"

#include <algorithm>

#include "models/locks/catalogue.h"
#include "models/locks/zookeeper/ephemeral_lock.h"
#include "models/redis/commands.h"

namespace picklock::scenarios {

using models::locks::zookeeper::EphemeralOptions;
using models::locks::zookeeper::FreedBy;

const models::Algorithm* find_algorithm(const Scenario& scenario) {
  if (scenario.lock.own != nullptr) return scenario.lock.own;
  return models::locks::named(scenario.lock.algorithm);
}

LockServer lock_server(const Scenario& scenario) {
  const models::Algorithm* algorithm = find_algorithm(scenario);
  return algorithm != nullptr ? algorithm->uses.server : LockServer::redis;
}

bool has_coordinator(const Scenario& scenario) {
  const models::Algorithm* algorithm = find_algorithm(scenario);
  return algorithm != nullptr && models::takes(*algorithm, "freed_by") &&
         scenario.lock.options.of<EphemeralOptions>().freed_by == FreedBy::coordinator;
}

std::pair<std::string, std::string> config_line(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(begin);
  const std::size_t end = std::min(line.find(' '), line.size());
  std::string_view value = line.substr(end);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return {std::string(line.substr(0, end)), std::string(value)};
}

std::vector<std::string> config_of(const RedisSpec& redis, std::string_view server) {
  std::vector<std::string> words;
  const auto add = [&words](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      auto [parameter, value] = config_line(line);
      for (std::size_t i = 0; i < words.size(); i += 2) {
        if (words[i] != parameter) continue;
        const auto earlier = words.begin() + static_cast<std::ptrdiff_t>(i);
        words.erase(earlier, earlier + 2);
        break;
      }
      words.push_back(std::move(parameter));
      words.push_back(std::move(value));
    }
  };
  add(redis.config);
  for (const NodeSpec& node : redis.nodes) {
    if (node.name == server) add(node.config);
  }
  return words;
}

bool persists(const Scenario& scenario, std::string_view server) {
  const std::vector<std::string> words = config_of(scenario.servers.redis, server);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i] == "appendonly" && redis::same_word(words[i + 1], "yes")) return true;
    if (words[i] == "save" && !words[i + 1].empty()) return true;
  }
  return false;
}

models::LockOptions lock_options(const Scenario& scenario) {
  models::LockOptions options = scenario.lock.options;
  if (scenario.servers.resource.fencing == Fencing::in_script)
    options.mint = models::Mint::in_script;
  options.holder_checks = scenario.clients.check_before_write;
  return options;
}

}  // namespace picklock::scenarios
