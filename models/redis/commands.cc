#include "models/redis/commands.h"

#include <array>
#include <charconv>
#include <string>

#include "models/redis/server.h"

namespace picklock::models::redis {
namespace {

using Argv = std::span<const std::string_view>;

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
}

bool same_word(std::string_view word, std::string_view lower_case) {
  if (word.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(word[i]) != lower_case[i]) return false;
  }
  return true;
}

void not_an_integer(Reply& reply) {
  reply.set_error("ERR value is not an integer or out of range");
}
void syntax_error(Reply& reply) { reply.set_error("ERR syntax error"); }
void invalid_expire(Reply& reply, std::string_view command) {
  reply.set_error("ERR invalid expire time in '" + std::string(command) + "' command");
}

enum class Unit : std::uint8_t { milliseconds, seconds };

// The options of SET that give the key a deadline.
struct Expiry {
  std::string_view word;
  Unit unit;
  bool absolute;
};
constexpr std::array kExpiries = {
    Expiry{"px", Unit::milliseconds, false}, Expiry{"ex", Unit::seconds, false},
    Expiry{"pxat", Unit::milliseconds, true}, Expiry{"exat", Unit::seconds, true}};

const Expiry* expiry_named(std::string_view word) {
  for (const Expiry& expiry : kExpiries) {
    if (same_word(word, expiry.word)) return &expiry;
  }
  return nullptr;
}

// The deadline that an expiry argument means, in milliseconds of the server's clock. False: out of
// range.
bool deadline_of(std::int64_t value, Unit unit, bool absolute, std::int64_t now_ms,
                 std::int64_t& deadline) {
  deadline = value;
  if (unit == Unit::seconds && __builtin_mul_overflow(deadline, std::int64_t{1000}, &deadline))
    return false;
  if (!absolute && __builtin_add_overflow(deadline, now_ms, &deadline)) return false;
  if (deadline == kNoDeadline) --deadline;
  return true;
}

}  // namespace

// The commands' way into the server.
struct Commands {
  static void set(Server& server, Argv argv, Reply& reply) {
    bool nx = false, xx = false, get = false, keep_ttl = false;
    const Expiry* expiry = nullptr;
    std::string_view amount;
    for (std::size_t i = 3; i < argv.size(); ++i) {
      const std::string_view word = argv[i];
      const Expiry* const named = expiry_named(word);
      if (same_word(word, "nx") && !xx) {
        nx = true;
      } else if (same_word(word, "xx") && !nx) {
        xx = true;
      } else if (same_word(word, "get")) {
        get = true;
      } else if (same_word(word, "keepttl") && expiry == nullptr) {
        keep_ttl = true;
      } else if (named != nullptr && (expiry == nullptr || expiry == named) && !keep_ttl &&
                 i + 1 < argv.size()) {
        expiry = named;  // said twice, the last one counts
        amount = argv[++i];
      } else {
        syntax_error(reply);
        return;
      }
    }
    std::int64_t deadline = kNoDeadline;
    if (expiry != nullptr) {
      std::int64_t value = 0;
      if (!strict_integer(amount, value)) {
        not_an_integer(reply);
        return;
      }
      // Checked before NX: a bad time is an error even on a held key (R4).
      if (value <= 0 ||
          !deadline_of(value, expiry->unit, expiry->absolute, server.clock_ms(), deadline)) {
        invalid_expire(reply, "set");
        return;
      }
    }
    Entry* held = server.live(argv[1]);
    reply.set(Reply::Kind::nil);
    if (get && held != nullptr) reply.set_bulk(held->value);
    if ((nx && held != nullptr) || (xx && held == nullptr)) return;
    if (keep_ttl && held != nullptr) deadline = held->deadline_ms;
    server.put(argv[1], argv[2], deadline);
    if (!get) reply.set_status("OK");
  }

  static void get(Server& server, Argv argv, Reply& reply) {
    const Entry* entry = server.live(argv[1]);
    if (entry == nullptr) {
      reply.set(Reply::Kind::nil);
    } else {
      reply.set_bulk(entry->value);
    }
  }

  static void del(Server& server, Argv argv, Reply& reply) {
    std::int64_t removed = 0;
    for (std::string_view key : argv.subspan(1)) {
      if (Entry* entry = server.live(key)) {
        server.remove(*entry, sim::Cause::command);
        ++removed;
      }
    }
    reply.set_integer(removed);
  }

  static void exists(Server& server, Argv argv, Reply& reply) {
    std::int64_t found = 0;
    for (std::string_view key : argv.subspan(1)) found += server.live(key) != nullptr ? 1 : 0;
    reply.set_integer(found);
  }

  static void pttl(Server& server, Argv argv, Reply& reply) {
    const Entry* entry = server.live(argv[1]);
    if (entry == nullptr) {
      reply.set_integer(-2);
    } else if (entry->deadline_ms == kNoDeadline) {
      reply.set_integer(-1);
    } else {
      // By the running clock, unlike expiry itself; clipped at 0 (R25).
      const std::int64_t left = entry->deadline_ms - server.clock_ms();
      reply.set_integer(left > 0 ? left : 0);
    }
  }

  static void pexpire(Server& server, Argv argv, Reply& reply) {
    bool nx = false, xx = false, gt = false, lt = false;
    for (std::string_view word : argv.subspan(3)) {
      if (same_word(word, "nx"))
        nx = true;
      else if (same_word(word, "xx"))
        xx = true;
      else if (same_word(word, "gt"))
        gt = true;
      else if (same_word(word, "lt"))
        lt = true;
      else {
        reply.set_error("ERR Unsupported option " + std::string(word.substr(0, word.find('\0'))));
        return;
      }
    }
    if (nx && (xx || gt || lt)) {
      reply.set_error("ERR NX and XX, GT or LT options at the same time are not compatible");
      return;
    }
    if (gt && lt) {
      reply.set_error("ERR GT and LT options at the same time are not compatible");
      return;
    }
    std::int64_t value = 0;
    if (!strict_integer(argv[2], value)) {
      not_an_integer(reply);
      return;
    }
    // A relative time too far in the past still deletes (R10); too far in the future is an error.
    std::int64_t deadline = 0;
    if (!deadline_of(value, Unit::milliseconds, false, server.clock_ms(), deadline)) {
      invalid_expire(reply, "pexpire");
      return;
    }
    Entry* entry = server.live(argv[1]);
    const bool wanted =
        entry != nullptr && !(nx && entry->deadline_ms != kNoDeadline) &&
        !(xx && entry->deadline_ms == kNoDeadline) && !(gt && deadline <= entry->deadline_ms) &&
        !(gt && entry->deadline_ms == kNoDeadline) && !(lt && deadline >= entry->deadline_ms);
    if (!wanted) {
      reply.set_integer(0);
      return;
    }
    if (deadline <= server.clock_ms()) {
      // At once: `<=` here, `<` where keys expire (R14).
      server.remove(*entry, sim::Cause::command);
    } else {
      server.set_deadline(*entry, deadline);
    }
    reply.set_integer(1);
  }

  static void eval(Server& server, Argv argv, Reply& reply) { server.eval(argv, reply, false); }
  static void evalsha(Server& server, Argv argv, Reply& reply) { server.eval(argv, reply, true); }
};

namespace {

constexpr std::array kCommands = {
    Command{"set", -3, true, false, Commands::set},
    Command{"get", 2, true, false, Commands::get},
    Command{"del", -2, true, false, Commands::del},
    Command{"exists", -2, true, false, Commands::exists},
    Command{"pttl", 2, true, false, Commands::pttl},
    Command{"pexpire", -3, true, false, Commands::pexpire},
    Command{"eval", -3, false, true, Commands::eval},
    Command{"evalsha", -3, false, true, Commands::evalsha},
};

}  // namespace

const Command* command_named(std::string_view name) {
  for (const Command& command : kCommands) {
    if (same_word(name, command.name)) return &command;
  }
  return nullptr;
}

const Command* refused_to_scripts(std::string_view name) {
  static constexpr std::array kRefused = {
      Command{"subscribe", -2, false}, Command{"multi", 1, false},   Command{"blpop", -3, false},
      Command{"wait", 3, false},       Command{"config", -2, false}, Command{"client", -2, false},
      Command{"debug", -2, false}};
  for (const Command& command : kRefused) {
    if (same_word(name, command.name)) return &command;
  }
  return nullptr;
}

bool strict_integer(std::string_view text, std::int64_t& value) {
  if (text.empty()) return false;
  const std::string_view digits = text[0] == '-' ? text.substr(1) : text;
  if (digits.empty() || (digits[0] == '0' && text.size() > 1)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace picklock::models::redis
