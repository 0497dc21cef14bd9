// The options that give simulated servers without a scenario: `--redis masters=1,replicas=2`, one
// for each kind of server to which clients outside can connect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/document.h"

namespace CLI {
class App;
}

namespace picklock::servers {
struct Kind;
}

namespace picklock::cli {

// One that was given, with keys of its table.
struct ServerOption {
  const servers::Kind* kind = nullptr;
  std::string keys;
};

// The kinds that have an option, in the order of the reference.
std::vector<const servers::Kind*> served_kinds();

// Their help begins with `about`: "keys of [servers.redis]".
void add_server_options(CLI::App& command, std::vector<ServerOption>& into, std::string_view about);

// The one that was given, or else the first kind as it comes. Throws BadInput if there are several.
ServerOption server_option(std::string_view command, const std::vector<ServerOption>& given);

// Sets the keys of the option in a scenario with such servers.
void set_servers(scenarios::Document& document, const ServerOption& option);

// Throws BadInput, which names keys as they were typed.
scenarios::Scenario scenario_with(const scenarios::Document& document, const ServerOption& option);

}  // namespace picklock::cli
