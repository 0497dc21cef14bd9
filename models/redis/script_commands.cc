// Scripts: EVAL and EVALSHA.
#include <algorithm>
#include <array>

#include "models/redis/commands.h"
#include "models/redis/server.h"

namespace picklock::models::redis {
namespace {

void evaluate(Call& call, bool by_sha) {
  constexpr std::string_view kUnknownScript = "NOSCRIPT No matching script. Please use EVAL.";
  // The length is looked at before the number of keys, the digits after it (R81).
  std::array<char, 40> digits;
  if (by_sha && call[1].size() != digits.size()) {
    call.reply.set_error(kUnknownScript);
    return;
  }
  std::int64_t key_count = 0;
  if (!integer(call[2], key_count, call.reply)) return;
  if (key_count > static_cast<std::int64_t>(call.words()) - 3) {
    call.reply.set_error("ERR Number of keys can't be greater than number of args");
    return;
  }
  if (key_count < 0) {
    call.reply.set_error("ERR Number of keys can't be negative");
    return;
  }
  Server& server = call.server;
  const Lua::Compiled* script = nullptr;
  if (by_sha) {
    std::transform(call[1].begin(), call[1].end(), digits.begin(), lower);
    script = server.lua().known({digits.data(), digits.size()});
    if (script == nullptr || !server.cached(*script)) {
      call.reply.set_error(kUnknownScript);
      return;
    }
  } else {
    std::string error;
    script = server.lua().compile(call[1], error);
    if (script == nullptr) {
      call.reply.set_error(error);
      return;
    }
    server.cache(*script);
  }
  const auto keys = static_cast<std::size_t>(key_count);
  server.run_script(call, *script, call.argv.subspan(3, keys), call.argv.subspan(3 + keys));
}

void eval(Call& call) { evaluate(call, false); }
void evalsha(Call& call) { evaluate(call, true); }

constexpr std::array kCommands = {
    Command{"eval", -3, kNoScript | kOwnStack | kMayReplicate, eval},
    Command{"evalsha", -3, kNoScript | kOwnStack | kMayReplicate, evalsha},
};

}  // namespace

std::span<const Command> script_commands() { return kCommands; }

}  // namespace picklock::models::redis
