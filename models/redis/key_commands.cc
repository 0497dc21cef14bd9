// Keys of any type: existence, names, removal and expiry.
#include <array>

#include "models/redis/commands.h"

namespace picklock::models::redis {
namespace {

void del(Call& call) {
  std::int64_t removed = 0;
  for (std::string_view key : call.argv.subspan(1)) {
    if (Entry* entry = call.live(key)) {
      call.keys.remove(*entry);
      ++removed;
    }
  }
  call.reply.set_integer(removed);
}

void exists(Call& call) {
  std::int64_t found = 0;
  for (std::string_view key : call.argv.subspan(1)) found += call.live(key) != nullptr ? 1 : 0;
  call.reply.set_integer(found);
}

void type(Call& call) {
  const Entry* entry = call.live(call[1]);
  call.reply.set_status(entry == nullptr ? "none" : name(entry->value.type()));
}

// Nothing happens to a key that gets its own name.
void rename(const Call& call, bool nx) {
  Entry* entry = call.live(call[1]);
  if (entry == nullptr) {
    call.reply.set_error("ERR no such key");
    return;
  }
  const bool taken = nx && call.live(call[2]) != nullptr;
  if (!taken && call[1] != call[2]) call.keys.rename(*entry, call[2]);
  if (nx) {
    call.reply.set_integer(taken ? 0 : 1);
  } else {
    call.reply.set_status("OK");
  }
}
void rename(Call& call) { rename(call, false); }
void renamenx(Call& call) { rename(call, true); }

// ---------------------------------------------------------------- expiry

struct Form {
  std::string_view command;
  Unit unit;
  bool absolute;
};
constexpr Form kExpire{"expire", Unit::seconds, false};
constexpr Form kPexpire{"pexpire", Unit::milliseconds, false};
constexpr Form kExpireat{"expireat", Unit::seconds, true};
constexpr Form kPexpireat{"pexpireat", Unit::milliseconds, true};

struct Conditions {
  bool nx = false, xx = false, gt = false, lt = false;

  // No deadline counts as infinitely far away (R12).
  bool allow(const Entry& entry, std::int64_t deadline) const {
    const bool has = entry.has_deadline();
    return !(nx && has) && !(xx && !has) && !(gt && (!has || deadline <= entry.deadline_ms)) &&
           !(lt && has && deadline >= entry.deadline_ms);
  }
};

bool read_conditions(const Call& call, Conditions& conditions) {
  for (std::string_view word : call.argv.subspan(3)) {
    if (same_word(word, "nx")) {
      conditions.nx = true;
    } else if (same_word(word, "xx")) {
      conditions.xx = true;
    } else if (same_word(word, "gt")) {
      conditions.gt = true;
    } else if (same_word(word, "lt")) {
      conditions.lt = true;
    } else {
      call.reply.set_error("ERR Unsupported option " +
                           std::string(word.substr(0, word.find('\0'))));
      return false;
    }
  }
  if (conditions.nx && (conditions.xx || conditions.gt || conditions.lt)) {
    call.reply.set_error("ERR NX and XX, GT or LT options at the same time are not compatible");
    return false;
  }
  if (conditions.gt && conditions.lt) {
    call.reply.set_error("ERR GT and LT options at the same time are not compatible");
    return false;
  }
  return true;
}

void set_expiry(const Call& call, const Form& form) {
  Conditions conditions;
  std::int64_t value = 0;
  if (!read_conditions(call, conditions) || !integer(call[2], value, call.reply)) return;
  // A time in the past deletes, however far (R10); one too far in the future is an error.
  std::int64_t deadline = 0;
  if (!deadline_of(value, form.unit, form.absolute, call.keys.clock_ms(), deadline)) {
    invalid_expire(call.reply, form.command);
    return;
  }
  Entry* entry = call.live(call[1]);
  if (entry == nullptr || !conditions.allow(*entry, deadline)) {
    call.reply.set_integer(0);
    return;
  }
  if (deadline <= call.keys.clock_ms()) {
    // At once: `<=` here, `<` where keys expire (R14).
    call.keys.remove(*entry);
  } else {
    call.keys.set_deadline(*entry, deadline);
  }
  call.reply.set_integer(1);
}
void expire(Call& call) { set_expiry(call, kExpire); }
void pexpire(Call& call) { set_expiry(call, kPexpire); }
void expireat(Call& call) { set_expiry(call, kExpireat); }
void pexpireat(Call& call) { set_expiry(call, kPexpireat); }

void answer_expiry(const Call& call, Unit unit, bool absolute) {
  const Entry* entry = call.live(call[1]);
  if (entry == nullptr) {
    call.reply.set_integer(-2);
    return;
  }
  if (!entry->has_deadline()) {
    call.reply.set_integer(-1);
    return;
  }
  // By the running clock, unlike expiry itself; clipped at 0 (R25).
  const std::int64_t left =
      absolute ? entry->deadline_ms : entry->deadline_ms - call.keys.clock_ms();
  const std::uint64_t shown = left > 0 ? static_cast<std::uint64_t>(left) : 0;
  // Half a second counts as a whole one (R9).
  call.reply.set_integer(
      static_cast<std::int64_t>(unit == Unit::milliseconds ? shown : (shown + 500) / 1000));
}
void ttl(Call& call) { answer_expiry(call, Unit::seconds, false); }
void pttl(Call& call) { answer_expiry(call, Unit::milliseconds, false); }
void expiretime(Call& call) { answer_expiry(call, Unit::seconds, true); }
void pexpiretime(Call& call) { answer_expiry(call, Unit::milliseconds, true); }

void persist(Call& call) {
  Entry* entry = call.live(call[1]);
  const bool had = entry != nullptr && entry->has_deadline();
  if (had) call.keys.set_deadline(*entry, kNoDeadline);
  call.reply.set_integer(had ? 1 : 0);
}

constexpr std::array kCommands = {
    Command{"del", -2, kWrite, del, {1, -1, 1}},
    Command{"unlink", -2, kWrite, del, {1, -1, 1}},
    Command{"exists", -2, kRead, exists, {1, -1, 1}},
    Command{"touch", -2, kRead, exists, {1, -1, 1}},
    Command{"type", 2, kRead, type, {1, 1, 1}},
    Command{"rename", 3, kWrite, rename, {1, 2, 1}},
    Command{"renamenx", 3, kWrite, renamenx, {1, 2, 1}},
    Command{"expire", -3, kWrite, expire, {1, 1, 1}},
    Command{"pexpire", -3, kWrite, pexpire, {1, 1, 1}},
    Command{"expireat", -3, kWrite, expireat, {1, 1, 1}},
    Command{"pexpireat", -3, kWrite, pexpireat, {1, 1, 1}},
    Command{"ttl", 2, kRead, ttl, {1, 1, 1}},
    Command{"pttl", 2, kRead, pttl, {1, 1, 1}},
    Command{"expiretime", 2, kRead, expiretime, {1, 1, 1}},
    Command{"pexpiretime", 2, kRead, pexpiretime, {1, 1, 1}},
    Command{"persist", 2, kWrite, persist, {1, 1, 1}},
};

}  // namespace

std::span<const Command> key_commands() { return kCommands; }

}  // namespace picklock::models::redis
