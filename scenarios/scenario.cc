#include "scenarios/scenario.h"

#include <algorithm>

namespace picklock::scenarios {

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

bool persists(const Scenario& scenario, std::string_view server) {
  bool log = false;
  bool snapshots = false;
  const auto follow = [&](const std::vector<std::string>& config) {
    for (const std::string& line : config) {
      const auto [parameter, value] = config_line(line);
      if (parameter == "appendonly") log = value == "yes";
      if (parameter == "save") snapshots = !value.empty();
    }
  };
  follow(scenario.servers.redis.config);
  for (const NodeSpec& node : scenario.servers.redis.nodes) {
    if (node.name == server) follow(node.config);
  }
  return log || snapshots;
}

models::LockOptions lock_options(const Scenario& scenario) {
  models::LockOptions options = scenario.lock.options;
  if (scenario.servers.resource.fencing == Fencing::in_script)
    options.mint = models::Mint::in_script;
  options.holder_checks = scenario.clients.check_before_write;
  return options;
}

}  // namespace picklock::scenarios
