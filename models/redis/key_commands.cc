// Keys of any type: existence, removal and expiry.
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

void pttl(Call& call) {
  const Entry* entry = call.live(call[1]);
  if (entry == nullptr) {
    call.reply.set_integer(-2);
  } else if (!entry->has_deadline()) {
    call.reply.set_integer(-1);
  } else {
    // By the running clock, unlike expiry itself; clipped at 0 (R25).
    const std::int64_t left = entry->deadline_ms - call.keys.clock_ms();
    call.reply.set_integer(left > 0 ? left : 0);
  }
}

void pexpire(Call& call) {
  bool nx = false, xx = false, gt = false, lt = false;
  for (std::string_view word : call.argv.subspan(3)) {
    if (same_word(word, "nx"))
      nx = true;
    else if (same_word(word, "xx"))
      xx = true;
    else if (same_word(word, "gt"))
      gt = true;
    else if (same_word(word, "lt"))
      lt = true;
    else {
      call.reply.set_error("ERR Unsupported option " +
                           std::string(word.substr(0, word.find('\0'))));
      return;
    }
  }
  if (nx && (xx || gt || lt)) {
    call.reply.set_error("ERR NX and XX, GT or LT options at the same time are not compatible");
    return;
  }
  if (gt && lt) {
    call.reply.set_error("ERR GT and LT options at the same time are not compatible");
    return;
  }
  std::int64_t value = 0;
  if (!integer(call[2], value, call.reply)) return;
  // A relative time too far in the past still deletes (R10); too far in the future is an error.
  std::int64_t deadline = 0;
  if (!deadline_of(value, Unit::milliseconds, false, call.keys.clock_ms(), deadline)) {
    invalid_expire(call.reply, "pexpire");
    return;
  }
  Entry* entry = call.live(call[1]);
  const bool wanted = entry != nullptr && !(nx && entry->has_deadline()) &&
                      !(xx && !entry->has_deadline()) && !(gt && deadline <= entry->deadline_ms) &&
                      !(gt && !entry->has_deadline()) && !(lt && deadline >= entry->deadline_ms);
  if (!wanted) {
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

constexpr std::array kCommands = {
    Command{"del", -2, kWrite, del, {1, -1, 1}},
    Command{"exists", -2, kRead, exists, {1, -1, 1}},
    Command{"pttl", 2, kRead, pttl, {1, 1, 1}},
    Command{"pexpire", -3, kWrite, pexpire, {1, 1, 1}},
};

}  // namespace

std::span<const Command> key_commands() { return kCommands; }

}  // namespace picklock::models::redis
