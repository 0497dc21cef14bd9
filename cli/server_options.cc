#include "cli/server_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "keys/bad_input.h"
#include "models/servers/kind.h"
#include "scenarios/runner.h"

namespace picklock::cli {
namespace {

using keys::BadInput;

// "masters=1" and "replicas=2" of "masters=1,replicas=2".
std::vector<std::string> assignments(std::string_view keys) {
  std::vector<std::string> all;
  while (!keys.empty()) {
    all.emplace_back(keys.substr(0, keys.find(',')));
    keys.remove_prefix(std::min(all.back().size() + 1, keys.size()));
  }
  return all;
}

}  // namespace

std::vector<const servers::Kind*> served_kinds() {
  std::vector<const servers::Kind*> all;
  for (const servers::Kind* kind : servers::kinds()) {
    if (kind->open_wire != nullptr) all.push_back(kind);
  }
  return all;
}

void add_server_options(CLI::App& command, std::vector<ServerOption>& into,
                        std::string_view about) {
  for (const servers::Kind* kind : served_kinds()) {
    std::string meaning = fmt::format("{} of [servers.{}]", about, kind->server.key);
    if (!kind->served_example.empty()) meaning += fmt::format(", such as {}", kind->served_example);
    command
        .add_option_function<std::string>(
            fmt::format("--{}", kind->server.key),
            [&into, kind](const std::string& keys) {
              into.push_back({kind, keys});
            },
            meaning)
        ->type_name("KEY=VALUE,…");
  }
}

ServerOption server_option(std::string_view command, const std::vector<ServerOption>& given) {
  if (given.empty()) return {.kind = served_kinds().front(), .keys = {}};
  if (given.size() > 1) {
    throw BadInput(fmt::format("{}: give --{} or --{}, not both", command,
                               given.front().kind->server.key, given.back().kind->server.key));
  }
  return given.front();
}

void set_servers(scenarios::Document& document, const ServerOption& option) {
  for (const std::string& one : assignments(option.keys))
    document.set(
        scenarios::change_from(fmt::format("servers.{}.{}", option.kind->server.key, one)));
}

scenarios::Scenario scenario_with(const scenarios::Document& document, const ServerOption& option) {
  try {
    return document.scenario(scenarios::shipped_vocabulary());
  } catch (const BadInput& error) {
    std::string text = error.what();
    for (const std::string& one : assignments(option.keys)) {
      const std::string key = one.substr(0, one.find('='));
      const std::string path = fmt::format("`servers.{}.{}`", option.kind->server.key, key);
      const std::size_t at = text.find(path);
      if (at != std::string::npos)
        text.replace(at, path.size(), fmt::format("`{}` of --{}", key, option.kind->server.key));
      const std::string change = fmt::format("--set servers.{}.{}", option.kind->server.key, one);
      const std::size_t by = text.find(change);
      if (by != std::string::npos)
        text.replace(by, change.size(), fmt::format("--{} {}", option.kind->server.key, one));
    }
    throw BadInput(text);
  }
}

}  // namespace picklock::cli
