// A command, what came before it, and the very bytes with which redis-server 7.0.15 answers it.
// Test-only.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "models/redis/lone_server.h"

namespace picklock::redis {

using Words = std::vector<std::string_view>;

struct Example {
  std::string_view fact;  // of docs/facts/fidelity.md; empty: only seen on the real server
  std::vector<Words> before;
  Words command;
  std::string reply;
  unsigned char protocol = 2;
};

inline void PrintTo(const Example& example, std::ostream* out) {
  *out << example.fact << ':';
  for (std::string_view word : example.command) *out << " '" << word << '\'';
}

class Examples : public testing::TestWithParam<Example> {
 protected:
  static std::string answer() {
    LoneServer redis;
    redis.first->protocol = GetParam().protocol;
    for (const Words& command : GetParam().before) redis.send(command);
    return redis.send(GetParam().command);
  }
};

inline const std::string kOk = "+OK\r\n";
inline const std::string kNil = "$-1\r\n";
inline const std::string kSyntax = "-ERR syntax error\r\n";
inline const std::string kNotInteger = "-ERR value is not an integer or out of range\r\n";
inline const std::string kOverflow = "-ERR increment or decrement would overflow\r\n";
inline const std::string kWrongType =
    "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";

inline std::string wrong_arity(std::string_view command) {
  return "-ERR wrong number of arguments for '" + std::string(command) + "' command\r\n";
}
inline std::string bad_expire(std::string_view command) {
  return "-ERR invalid expire time in '" + std::string(command) + "' command\r\n";
}

}  // namespace picklock::redis
