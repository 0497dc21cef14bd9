// Scripts: EVAL and EVALSHA, their read-only forms, and SCRIPT.
#include <algorithm>
#include <array>

#include "models/redis/commands.h"
#include "models/redis/script_runner.h"

namespace picklock::redis {
namespace of_scripts {
namespace {

constexpr std::string_view kUnknownScript = "NOSCRIPT No matching script. Please use EVAL.";

const Lua::Compiled* script_named(ScriptRunner& scripts, std::string_view sha) {
  std::array<char, 40> digits;
  if (sha.size() != digits.size()) return nullptr;
  if (const Lua::Compiled* script = scripts.lua().known(sha)) return script;
  std::transform(sha.begin(), sha.end(), digits.begin(), lower);
  return scripts.lua().known({digits.data(), digits.size()});
}

// Compiles a script. False: the reply says why it failed.
bool compiled(Call& call, std::string_view body, const Lua::Compiled*& script) {
  std::string error;
  script = call.server.scripts.lua().compile(body, error);
  if (script == nullptr) call.reply.set_error(error);
  return script != nullptr;
}

struct Form {
  bool by_sha = false;
  bool read_only = false;
};

void evaluate(Call& call, Form form) {
  // The length is checked before the number of keys, the digits after it (R81).
  constexpr std::size_t kDigits = 40;
  if (form.by_sha && call[1].size() != kDigits) {
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
  const Lua::Compiled* script = nullptr;
  if (form.by_sha) {
    script = script_named(call.server.scripts, call[1]);
    if (script == nullptr) {
      call.reply.set_error(kUnknownScript);
      return;
    }
  } else if (!compiled(call, call[1], script)) {
    return;
  }
  if (form.read_only && script->is(kFlagsDeclared) && !script->is(kNoWrites)) {
    call.reply.set_error("ERR Can not execute a script with write flag using *_ro command.");
    return;
  }
  const auto keys = static_cast<std::size_t>(key_count);
  call.server.scripts.run(call, *script, form.read_only || script->is(kNoWrites),
                          call.argv.subspan(3, keys), call.argv.subspan(3 + keys));
}

void eval(Call& call) { evaluate(call, {}); }
void eval_ro(Call& call) { evaluate(call, {.read_only = true}); }
void evalsha(Call& call) { evaluate(call, {.by_sha = true}); }
void evalsha_ro(Call& call) { evaluate(call, {.by_sha = true, .read_only = true}); }

// ---------------------------------------------------------------- SCRIPT

void debug(Call& call) {
  if (same_word(call[2], "no")) {
    call.reply.set_status("OK");
  } else if (same_word(call[2], "yes") || same_word(call[2], "sync")) {
    call.reply.set_error("ERR the debugger of scripts is not modelled");
  } else {
    call.reply.set_error("ERR Use SCRIPT DEBUG YES/SYNC/NO");
  }
}

void exists(Call& call) {
  call.reply.set(Reply::Kind::array);
  for (std::string_view sha : call.argv.subspan(2))
    call.reply.add().set_integer(script_named(call.server.scripts, sha) != nullptr ? 1 : 0);
}

void flush(Call& call) {
  const bool plain = call.words() == 2;
  if (!plain &&
      (call.words() > 3 || (!same_word(call[2], "sync") && !same_word(call[2], "async")))) {
    call.reply.set_error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
    return;
  }
  call.server.scripts.lua().forget_scripts();
  call.reply.set_status("OK");
}

void help(Call& call) {
  constexpr std::array kLines = {
      "SCRIPT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
      "DEBUG (YES|SYNC|NO)",
      "    Set the debug mode for subsequent scripts executed.",
      "EXISTS <sha1> [<sha1> ...]",
      "    Return information about the existence of the scripts in the script cache.",
      "FLUSH [ASYNC|SYNC]",
      "    Flush the Lua scripts cache. Very dangerous on replicas.",
      "    When called without the optional mode argument, the behavior is determined by the",
      "    lazyfree-lazy-user-flush configuration directive. Valid modes are:",
      "    * ASYNC: Asynchronously flush the scripts cache.",
      "    * SYNC: Synchronously flush the scripts cache.",
      "KILL",
      "    Kill the currently executing Lua script.",
      "LOAD <script>",
      "    Load a script into the scripts cache without executing it.",
      "HELP",
      "    Prints this help."};
  call.reply.set(Reply::Kind::array);
  for (const char* line : kLines) call.reply.add().set_status(line);
}

void kill(Call& call) {
  if (!call.server.scripts.running()) {
    call.reply.set_error("NOTBUSY No scripts in execution right now.");
  } else if (call.server.scripts.wrote()) {
    call.reply.set_error(
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can "
        "either wait the script termination or kill the server in a hard way using the SHUTDOWN "
        "NOSAVE command.");
  } else {
    call.server.scripts.kill();
    call.reply.set_status("OK");
  }
}

void load(Call& call) {
  const Lua::Compiled* script = nullptr;
  if (compiled(call, call[2], script)) call.reply.set_bulk(script->sha);
}

constexpr std::array kScriptSubcommands = {
    Command{"script|debug", 3, kNoScript, debug},
    Command{"script|exists", -3, kNoScript | kOwnStack, exists},
    Command{"script|flush", -2, kNoScript | kOwnStack, flush},
    Command{"script|help", 2, kLoading | kStale, help},
    Command{"script|kill", 2, kNoScript | kWhileBusy, kill},
    Command{"script|load", 3, kNoScript | kStale | kOwnStack, load},
};

constexpr std::uint32_t kScript = kNoScript | kStale | kOwnStack | kRunsScript;

constexpr std::array kCommands = {
    Command{"eval", -3, kScript | kMayReplicate, eval},
    Command{"eval_ro", -3, kScript | kRead, eval_ro},
    Command{"evalsha", -3, kScript | kMayReplicate, evalsha},
    Command{"evalsha_ro", -3, kScript | kRead, evalsha_ro},
    Command{"script", -2, 0, nullptr, {}, kScriptSubcommands},
};

}  // namespace
}  // namespace of_scripts

std::uint32_t flags_with_script(ScriptRunner& scripts, const Command& command, Argv argv) {
  std::uint8_t declared = 0;
  if (!command.name.starts_with("evalsha")) {
    declared = Lua::flags_of(argv[1]);
  } else if (scripts.has_lua()) {
    const Lua::Compiled* script = of_scripts::script_named(scripts, argv[1]);
    if (script != nullptr) declared = script->flags;
  }
  if ((declared & kFlagsDeclared) == 0) return command.flags;
  std::uint32_t flags = command.flags & ~(kStale | kMayGrow | kWrite | kMayReplicate);
  if ((declared & (kAllowOom | kNoWrites)) == 0) flags |= kMayGrow;
  if ((declared & kNoWrites) == 0) flags |= kWrite;
  if ((declared & kAllowStale) != 0) flags |= kStale;
  return flags;
}

std::span<const Command> script_commands() { return of_scripts::kCommands; }

}  // namespace picklock::redis
