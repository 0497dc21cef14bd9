#include "cli/conform.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "models/redis/conform/campaign.h"
#include "scenarios/bad_input.h"
#include "scenarios/nearest.h"

namespace picklock::cli {

CLI::App* add_conform(CLI::App& app, ConformOptions& options) {
  CLI::App* command = app.add_subcommand(
      "conform", "Tell the model of a server and the real one the same, and compare");
  command->add_option("SERVER", options.server, "redis, zookeeper or mysql")
      ->type_name("")
      ->required();
  command
      ->add_option("--address", options.address,
                   "a server that runs already; of redis it is emptied before every sequence "
                   "(default: one of its own)")
      ->type_name("HOST:PORT");
  command->add_flag("--flush", options.flush, "redis: empty that server where it holds data");
  command
      ->add_option(
          "--cases", options.cases,
          fmt::format("how many sequences (default: {})", models::redis::conform::Campaign().cases))
      ->type_name("NUMBER");
  command->add_option("--seed", options.seed, "draws them (default: 1)")->type_name("NUMBER");
  command->add_flag("--json", options.json, "one JSON document");
  return command;
}

int conform(const ConformOptions& options) {
  if (options.server == "redis") return conform_redis(options);
  if (options.server == "zookeeper") return conform_zookeeper(options);
  if (options.server == "mysql") return conform_mysql(options);
  const scenarios::Words servers = {"redis", "zookeeper", "mysql"};
  throw scenarios::BadInput(fmt::format(
      "conform: there is no server `{}`{}", scenarios::printable(options.server),
      scenarios::did_you_mean(options.server, servers, "it is redis, zookeeper or mysql")));
}

}  // namespace picklock::cli
