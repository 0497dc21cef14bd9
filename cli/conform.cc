#include "cli/conform.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "cli/interruptible.h"
#include "cli/status_line.h"
#include "conform/report.h"
#include "conform/server_kind.h"
#include "keys/bad_input.h"
#include "keys/nearest.h"

namespace picklock::cli {
namespace {

using conform::Campaign;
using conform::Report;
using conform::ServerKind;

keys::Words words_of(std::string_view ServerKind::*word) {
  keys::Words words;
  for (const ServerKind& server : conform::server_kinds()) {
    if (const std::string_view said = server.*word; !said.empty()) words.push_back(said);
  }
  return words;
}

// `a, b or c`
std::string one_of(keys::Words words) {
  const std::string_view last = words.back();
  words.pop_back();
  return fmt::format("{} or {}", keys::listed(words), last);
}

// `redis: allow picklock to empty the server`
std::string flush_help() {
  std::vector<std::string> parts;
  for (const ServerKind& server : conform::server_kinds()) {
    if (!server.flush.empty()) parts.push_back(fmt::format("{}: {}", server.name, server.flush));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

keys::Words names_with_flush() {
  keys::Words names;
  for (const ServerKind& server : conform::server_kinds()) {
    if (!server.flush.empty()) names.push_back(server.name);
  }
  return names;
}

const ServerKind& server_called(const std::string& name) {
  const auto servers = conform::server_kinds();
  const auto found = std::ranges::find(servers, name, &ServerKind::name);
  if (found != servers.end()) return *found;
  const keys::Words names = words_of(&ServerKind::name);
  throw keys::BadInput(fmt::format("conform: there is no server `{}`{}", keys::printable(name),
                                   keys::did_you_mean(name, names, "it is " + one_of(names))));
}

Campaign campaign_of(const ServerKind& server, const ConformOptions& options) {
  Campaign campaign;
  if (!options.seed.empty()) campaign.seed = seed_from(options.seed);
  if (!options.cases.empty()) campaign.cases = number_from("--cases", options.cases, 1, INT64_MAX);
  if (!options.address.empty()) {
    const auto [host, port] = host_and_port(options.address);
    campaign.address = {host, port};
  }
  if (options.flush && server.flush.empty()) {
    throw keys::BadInput(fmt::format("--flush: only for {}; {}", keys::listed(names_with_flush()),
                                     server.why_no_flush));
  }
  if (options.flush && options.address.empty())
    throw keys::BadInput("--flush: needs --address, the server to empty");
  campaign.flush = options.flush;
  return campaign;
}

}  // namespace

CLI::App* add_conform(CLI::App& app, ConformOptions& options) {
  CLI::App* command = app.add_subcommand(
      "conform", "Compare the model of a server with the real server, answer by answer.");
  command->add_option("SERVER", options.server, one_of(words_of(&ServerKind::name)))
      ->type_name("")
      ->required();
  command
      ->add_option("--address", options.address,
                   fmt::format("a server that is running; {} (default: picklock starts a server of "
                               "its own)",
                               fmt::join(words_of(&ServerKind::address), "; ")))
      ->type_name("HOST:PORT");
  command->add_flag("--flush", options.flush, flush_help());
  command
      ->add_option("--cases", options.cases,
                   fmt::format("the number of sequences (default: {})", Campaign().cases))
      ->type_name("NUMBER");
  command->add_option("--seed", options.seed, "the seed of the sequences (default: 1)")
      ->type_name("NUMBER");
  command->add_flag("--json", options.json, "print one JSON document");
  command->footer(
      fmt::format("Without --address the server's package must be installed: {}.\n\n"
                  "Exit status:\n"
                  "0\tno difference\n"
                  "1\tthe model and the server differ\n"
                  "2\tbad input, wrong usage, no server, or output that cannot be written\n"
                  "130\tinterrupted; the report covers the sequences until then",
                  one_of(words_of(&ServerKind::package))));
  return command;
}

int conform(const ConformOptions& options) {
  const ServerKind& server = server_called(options.server);
  const Campaign campaign = campaign_of(server, options);
  std::string again;
  if (!options.address.empty()) again += " --address " + shell_quoted(options.address);
  if (options.flush) again += " --flush";

  const Interruptible interruptible;
  StatusLine line;
  const auto progress = [&](std::uint64_t done, bool shrinking) {
    line.show(shrinking
                  ? fmt::format("a difference was found: shrinking its {}", server.wording.one_case)
                  : fmt::format("{} of {} {}s", done, campaign.cases, server.wording.one_case));
  };
  Report report;
  try {
    report = server.run(campaign,
                        {.stop = [] { return Interruptible::caught(); }, .progress = progress});
  } catch (const conform::NoServer& problem) {
    line.clear();
    throw keys::BadInput(fmt::format("conform: {}", problem.what()));
  }
  line.clear();
  put(options.json ? json_of(server, report, again, campaign.seed)
                   : text_of(server, report, again));
  if (report.interrupted) return kInterrupted;
  return report.differences > 0 ? kNotAsExpected : kAsExpected;
}

}  // namespace picklock::cli
