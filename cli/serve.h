// `picklock serve`: the simulated servers behind sockets, for clients of any language.
#pragma once

#include <string>
#include <vector>

#include "cli/server_options.h"

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct ServeOptions {
  std::string scenario;
  std::vector<ServerOption> alone;  // servers without a scenario
  std::vector<std::string> changes;
  std::string port;
  std::string listen;
  std::string password_file;
  std::string control_port;
  std::string speed;
  std::string token;
  std::string sockets;
  std::string fail_on;
  std::string junit;
  bool manual = false;
  bool json = false;
  bool no_timeline = false;
  bool die_with_parent = false;
};

// The command with its options, which are read into `options`.
CLI::App* add_serve(CLI::App& app, ServeOptions& options);

// Serves until it is interrupted. The exit status. Throws BadInput for what cannot be used.
int serve(const ServeOptions& options);

}  // namespace picklock::cli
