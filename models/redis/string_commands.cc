// Strings: GET, SET and their kin.
#include <array>

#include "models/redis/commands.h"

namespace picklock::models::redis {
namespace {

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

void set(Call& call) {
  bool nx = false, xx = false, get = false, keep_ttl = false;
  const Expiry* expiry = nullptr;
  std::string_view amount;
  for (std::size_t i = 3; i < call.words(); ++i) {
    const std::string_view word = call[i];
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
               i + 1 < call.words()) {
      expiry = named;  // said twice, the last one counts
      amount = call[++i];
    } else {
      syntax_error(call.reply);
      return;
    }
  }
  std::int64_t deadline = kNoDeadline;
  if (expiry != nullptr) {
    std::int64_t value = 0;
    if (!integer(amount, value, call.reply)) return;
    // Checked before NX: a bad time is an error even on a held key (R4).
    if (value <= 0 ||
        !deadline_of(value, expiry->unit, expiry->absolute, call.keys.clock_ms(), deadline)) {
      invalid_expire(call.reply, "set");
      return;
    }
  }
  Entry* held = call.live(call[1]);
  call.reply.set(Reply::Kind::nil);
  if (get && held != nullptr) {
    if (held->value.type() != Type::string) {
      wrong_type(call.reply);
      return;
    }
    call.reply.set_bulk(held->value.text());
  }
  if ((nx && held != nullptr) || (xx && held == nullptr)) return;
  if (keep_ttl && held != nullptr) deadline = held->deadline_ms;
  call.keys.put(call.session.database, call[1], Type::string, deadline).text().assign(call[2]);
  if (!get) call.reply.set_status("OK");
}

void get(Call& call) {
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  if (entry == nullptr) {
    call.reply.set(Reply::Kind::nil);
  } else {
    call.reply.set_bulk(entry->value.text());
  }
}

constexpr std::array kCommands = {
    Command{"set", -3, kWrite | kMayGrow, set, {1, 1, 1}},
    Command{"get", 2, kRead, get, {1, 1, 1}},
};

}  // namespace

std::span<const Command> string_commands() { return kCommands; }

}  // namespace picklock::models::redis
