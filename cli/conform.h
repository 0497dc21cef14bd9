// `picklock conform`: the models beside the real servers.
#pragma once

#include <optional>
#include <string>

namespace picklock::cli {

struct ConformOptions {
  std::string server;
  std::optional<std::string> address;
  std::optional<std::string> cases;
  std::optional<std::string> seed;
  bool flush = false;
  bool json = false;
};

// What to print goes to `out`; the exit status. Throws scenarios::BadInput.
int conform(const ConformOptions& options, std::string& out);

}  // namespace picklock::cli
