// `picklock conform zookeeper`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "cli/conform.h"

namespace picklock::cli {

int conform_zookeeper(const ConformOptions& options);

// Of --address. Throws BadInput.
std::pair<std::string, std::uint16_t> host_and_port(const std::string& word);

}  // namespace picklock::cli
