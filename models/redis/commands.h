// The commands of the server model, as a table: name, number of words, what it does. Error texts
// are those of redis-server 7.0 (docs/facts/fidelity.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "models/redis/reply.h"

namespace picklock::models::redis {

class Server;

struct Command {
  std::string_view name;  // lower case
  int arity = 0;          // exactly so many words; negative: at least
  bool in_scripts = true;
  bool runs_script = false;
  void (*run)(Server& server, std::span<const std::string_view> argv, Reply& reply) = nullptr;

  bool takes(std::size_t words) const {
    return arity > 0 ? words == static_cast<std::size_t>(arity)
                     : words >= static_cast<std::size_t>(-arity);
  }
};

// Case does not matter; nullptr: unknown.
const Command* command_named(std::string_view name);

// A command that scripts may not use and the model knows by name only (R77); nullptr: no such.
const Command* refused_to_scripts(std::string_view name);

// Redis's own strictness: no plus sign, no leading zero, no blank (R5).
bool strict_integer(std::string_view text, std::int64_t& value);

}  // namespace picklock::models::redis
