#include "cli/conform.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "conform/redis/campaign.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"

namespace picklock::cli {

CLI::App* add_conform(CLI::App& app, ConformOptions& options) {
  CLI::App* command = app.add_subcommand(
      "conform", "Compare the model of a server with the real server, answer by answer.");
  command->add_option("SERVER", options.server, "redis, zookeeper or mysql")
      ->type_name("")
      ->required();
  command
      ->add_option("--address", options.address,
                   "a server that is running; a Redis is emptied before every sequence (default: "
                   "picklock starts a server of its own)")
      ->type_name("HOST:PORT");
  command->add_flag("--flush", options.flush,
                    "redis: allow picklock to empty the server at --address if it holds data");
  command
      ->add_option("--cases", options.cases,
                   fmt::format("the number of sequences (default: {})",
                               picklock::conform::redis::Campaign().cases))
      ->type_name("NUMBER");
  command->add_option("--seed", options.seed, "the seed of the sequences (default: 1)")
      ->type_name("NUMBER");
  command->add_flag("--json", options.json, "print one JSON document");
  command->footer(
      "Without --address the server's package must be installed: redis-server, zookeeper or "
      "mariadb-server.\n\n"
      "Exit status:\n"
      "0\tno difference\n"
      "1\tthe model and the server differ\n"
      "2\tbad input, wrong usage, no server, or output that cannot be written\n"
      "130\tinterrupted; the report covers the sequences until then");
  return command;
}

int conform(const ConformOptions& options) {
  if (options.server == "redis") return conform_redis(options);
  if (options.server == "zookeeper") return conform_zookeeper(options);
  if (options.server == "mysql") return conform_mysql(options);
  const keys::Words servers = {"redis", "zookeeper", "mysql"};
  throw keys::BadInput(
      fmt::format("conform: there is no server `{}`{}", keys::printable(options.server),
                  keys::did_you_mean(options.server, servers, "it is redis, zookeeper or mysql")));
}

}  // namespace picklock::cli
