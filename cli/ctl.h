// `picklock ctl`: the control port of `picklock serve`, for shells.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace picklock::cli {

// As given; empty: not given.
struct CtlOptions {
  std::string port;
  std::string host = "127.0.0.1";
  std::string token;
  std::string password_file;
  std::vector<std::string> words;
};

// The command with its options, which are read into `options`.
CLI::App* add_ctl(CLI::App& app, CtlOptions& options);

// Prints the answer. The exit status. Throws BadInput for what cannot be used, or was refused.
int ctl(const CtlOptions& options);

}  // namespace picklock::cli
