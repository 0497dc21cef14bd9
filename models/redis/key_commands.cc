// Keys of any type: existence, names, removal and expiry.
#include <array>
#include <vector>

#include "models/redis/blocked_clients.h"
#include "models/redis/commands.h"
#include "models/redis/redirection.h"
#include "models/redis/scan.h"
#include "models/redis/sort.h"

namespace picklock::redis {
namespace of_keys {
namespace {

void del(Call& call) {
  std::int64_t removed = 0;
  for (std::string_view key : call.argv.subspan(1)) {
    if (Entry* entry = call.live(key)) {
      remove_key(call, *entry);
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

std::string_view type_of(const Entry* entry) {
  return entry == nullptr ? "none" : name(entry->value.type());
}

void type(Call& call) { call.reply.set_status(type_of(call.live(call[1]))); }

// A key that is renamed to its own name does not change.
void rename(const Call& call, bool nx) {
  Entry* entry = call.live(call[1]);
  if (entry == nullptr) {
    no_such_key(call.reply);
    return;
  }
  const bool taken = nx && call.live(call[2]) != nullptr;
  if (!taken && call[1] != call[2]) {
    call.keys.rename(*entry, call[2]);
    call.notify(EventClass::created, "new", call[2]);  // even if it replaces another one
    call.notify(EventClass::generic, "rename_from", call[1]);
    call.notify(EventClass::generic, "rename_to", call[2]);
    call.server.blocked.ready(call.session.database, call[2]);
  }
  if (nx) {
    call.reply.set_integer(taken ? 0 : 1);
  } else {
    call.reply.set_status("OK");
  }
}
void rename(Call& call) { rename(call, false); }
void renamenx(Call& call) { rename(call, true); }

// Reads the number of a database. False: it is none, and the reply says so.
bool read_database(const Call& call, std::string_view word, std::uint32_t& database) {
  std::int64_t number = 0;
  if (!integer(word, number, call.reply)) return false;
  if (number > INT32_MAX || number < INT32_MIN) {
    call.reply.set_error(
        "ERR value is out of range, value must between -2147483648 and 2147483647");
    return false;
  }
  if (number < 0 || number >= kDatabases) {
    call.reply.set_error("ERR DB index is out of range");
    return false;
  }
  database = static_cast<std::uint32_t>(number);
  return true;
}

void same_object(Reply& reply) {
  reply.set_error("ERR source and destination objects are the same");
}

void move(Call& call) {
  if (call.server.redirection.slots() != nullptr) {
    call.reply.set_error("ERR MOVE is not allowed in cluster mode");
    return;
  }
  std::uint32_t to = 0;
  if (!read_database(call, call[2], to)) return;
  if (to == call.session.database) {
    same_object(call.reply);
    return;
  }
  Entry* entry = call.live(call[1]);
  const bool moved = entry != nullptr && call.keys.live(to, call[1]) == nullptr;
  if (moved) {
    call.keys.move(*entry, to, call[1]);
    call.notify(EventClass::created, "new", to, call[1]);
    call.notify(EventClass::generic, "move_from", call[1]);
    call.notify(EventClass::generic, "move_to", to, call[1]);
    call.server.blocked.ready(to, call[1]);
  }
  call.reply.set_integer(moved ? 1 : 0);
}

void copy(Call& call) {
  std::uint32_t to = call.session.database;
  bool replace = false;
  for (std::size_t i = 3; i < call.words(); ++i) {
    if (same_word(call[i], "replace")) {
      replace = true;
    } else if (same_word(call[i], "db") && i + 1 < call.words()) {
      if (!read_database(call, call[++i], to)) return;
    } else {
      syntax_error(call.reply);
      return;
    }
  }
  if (to != call.session.database && call.server.redirection.slots() != nullptr) {
    call.reply.set_error("ERR Copying to another database is not allowed in cluster mode");
    return;
  }
  if (to == call.session.database && call[1] == call[2]) {
    same_object(call.reply);
    return;
  }
  const Entry* entry = call.read(call[1]);
  const bool copied = entry != nullptr && (call.keys.live(to, call[2]) == nullptr || replace);
  if (copied) {
    call.keys.put(to, call[2], entry->value.type(), entry->deadline_ms).copy_from(entry->value);
    call.notify(EventClass::created, "new", to, call[2]);
    call.notify(EventClass::generic, "copy_to", to, call[2]);
    call.server.blocked.ready(to, call[2]);
  }
  call.reply.set_integer(copied ? 1 : 0);
}

// ---------------------------------------------------------------- how a value is kept

// False: there is no such key, and the reply says so. Unlike a reading command, OBJECT does not
// notify of that.
bool value_of(const Call& call, const Value*& value) {
  const Entry* const entry = call.keys.live(call.session.database, call[2]);
  if (entry == nullptr) {
    call.reply.set(Reply::Kind::nil);
    return false;
  }
  value = &entry->value;
  return true;
}

void object_encoding(Call& call) {
  const Value* value = nullptr;
  if (value_of(call, value)) call.reply.set_bulk(value->encoding());
}

// Small numbers are one object for all keys, which is never freed.
void object_refcount(Call& call) {
  const Value* value = nullptr;
  if (!value_of(call, value)) return;
  constexpr std::int64_t kShared = 10'000;
  std::int64_t number = -1;
  if (value->encoding() == "int") strict_integer(value->text(), number);
  const bool shared = number >= 0 && number < kShared;
  call.reply.set_integer(shared ? INT32_MAX : 1);
}

void object_help(Call& call) {
  set_help(call.reply,
           {"OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", "ENCODING <key>",
            "    Return the kind of internal representation used in order to store the value",
            "    associated with a <key>.", "FREQ <key>",
            "    Return the access frequency index of the <key>. The returned integer is",
            "    proportional to the logarithm of the recent access frequency of the key.",
            "IDLETIME <key>",
            "    Return the idle time of the <key>, that is the approximated number of",
            "    seconds elapsed since the last access to the key.", "REFCOUNT <key>",
            "    Return the number of references of the value associated with the specified",
            "    <key>.", "HELP", "    Prints this help."});
}

constexpr std::array kObjectSubcommands = {
    Command{"object|encoding", 3, kRead, object_encoding, {2, 2, 1}},
    Command{"object|refcount", 3, kRead, object_refcount, {2, 2, 1}},
    Command{"object|help", 2, kLoading | kStale, object_help},
};

// ---------------------------------------------------------------- all keys

// Dead keys are not listed and not forgotten either.
void keys(Call& call) {
  const ScanOptions wanted{.pattern = call[1]};
  call.reply.set(Reply::Kind::array);
  for (std::uint32_t slot = 0; slot < call.keys.slots(); ++slot) {
    const Entry& entry = call.keys.at(slot);
    if (entry.database == call.session.database && entry.alive(call.keys.clock().frozen_ms()) &&
        wanted.wants(entry.key))
      call.reply.add().set_bulk(entry.key);
  }
}

// The cursor is a position in the order in which keys were first created. So a full iteration
// returns every key once that exists all the time.
void scan(Call& call) {
  ScanOptions options;
  if (!read_cursor(call, call[1], options) || !read_scan_options(call, 2, true, options)) return;
  Reply& found = begin_scan(call.reply);
  std::uint64_t& cursor = options.cursor;
  for (; cursor < call.keys.slots() && options.count > 0; ++cursor) {
    const Entry& entry = call.keys.at(static_cast<std::uint32_t>(cursor));
    if (!entry.present || entry.database != call.session.database) continue;
    --options.count;
    if (!options.wants(entry.key)) continue;
    // A dead key has the type "none" and is returned if that type is requested.
    const bool living = (options.type ? call.live(entry.key)
                                      : call.keys.live(entry.database, entry.key)) != nullptr;
    if (options.type ? same_word(*options.type, type_of(living ? &entry : nullptr)) : living)
      found.add().set_bulk(entry.key);
  }
  if (cursor < call.keys.slots())
    call.reply.elements[0].set_bulk(Digits(static_cast<std::int64_t>(cursor)).view());
}

void randomkey(Call& call) {
  const Entry* entry = call.keys.any(call.session.database);
  call.reply.set(Reply::Kind::nil);
  if (entry != nullptr) call.reply.set_bulk(entry->key);
}

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

// Replicates the deadline with its conditions.
void replicate_deadline(Call& call, const Form& form, std::int64_t deadline) {
  if (!call.replicates()) return;
  const Digits digits(deadline);
  std::vector<std::string_view> words(call.argv.begin(), call.argv.end());
  if (!form.absolute || form.unit != Unit::milliseconds) words[0] = "PEXPIREAT";
  words[2] = digits.view();
  call.replicate_deadline(words);
}

void set_expiry(Call& call, const Form& form) {
  Conditions conditions;
  std::int64_t value = 0;
  if (!read_conditions(call, conditions) || !integer(call[2], value, call.reply)) return;
  // A time in the past deletes, however far (R10); one too far in the future is an error.
  std::int64_t deadline = 0;
  if (!deadline_of(value, form.unit, form.absolute, call.keys.clock().ms(), deadline)) {
    invalid_expire(call.reply, form.command);
    return;
  }
  Entry* entry = call.live(call[1]);
  if (entry == nullptr || !conditions.allow(*entry, deadline)) {
    call.reply.set_integer(0);
    return;
  }
  if (deadline <= call.keys.clock().ms() && !call.keys.source().obeying()) {
    // A deadline of now deletes at once: `<=` here, but `<` where keys expire (R14).
    remove_key(call, *entry);
    call.replicate({"DEL", call[1]});
  } else {
    call.keys.set_deadline(*entry, deadline);
    call.notify(EventClass::generic, "expire", call[1]);
    replicate_deadline(call, form, deadline);
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
      absolute ? entry->deadline_ms : entry->deadline_ms - call.keys.clock().ms();
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
  if (had) {
    call.keys.set_deadline(*entry, kNoDeadline);
    call.notify(EventClass::generic, "persist", call[1]);
  }
  call.reply.set_integer(had ? 1 : 0);
}

constexpr std::array kCommands = {
    Command{"del", -2, kWrite, del, {1, -1, 1}},
    Command{"unlink", -2, kWrite | kFast, del, {1, -1, 1}},
    Command{"exists", -2, kRead | kFast, exists, {1, -1, 1}},
    Command{"touch", -2, kRead | kFast, exists, {1, -1, 1}},
    Command{"type", 2, kRead | kFast, type, {1, 1, 1}},
    Command{"object", -2, 0, nullptr, {}, kObjectSubcommands},
    Command{"rename", 3, kWrite, rename, {1, 2, 1}},
    Command{"renamenx", 3, kWrite | kFast, renamenx, {1, 2, 1}},
    Command{"move", 3, kWrite | kFast, move, {1, 1, 1}},
    Command{"copy", -3, kWrite | kMayGrow, copy, {1, 2, 1}},
    Command{"sort", -2, kWrite | kMayGrow, redis::sort, {1, 1, 1}},
    Command{"sort_ro", -2, kRead, redis::sort_ro, {1, 1, 1}},
    Command{"keys", 2, kRead, keys},
    Command{"scan", -2, kRead, scan},
    Command{"randomkey", 1, kRead, randomkey},
    Command{"expire", -3, kWrite | kFast, expire, {1, 1, 1}},
    Command{"pexpire", -3, kWrite | kFast, pexpire, {1, 1, 1}},
    Command{"expireat", -3, kWrite | kFast, expireat, {1, 1, 1}},
    Command{"pexpireat", -3, kWrite | kFast, pexpireat, {1, 1, 1}},
    Command{"ttl", 2, kRead | kFast, ttl, {1, 1, 1}},
    Command{"pttl", 2, kRead | kFast, pttl, {1, 1, 1}},
    Command{"expiretime", 2, kRead | kFast, expiretime, {1, 1, 1}},
    Command{"pexpiretime", 2, kRead | kFast, pexpiretime, {1, 1, 1}},
    Command{"persist", 2, kWrite | kFast, persist, {1, 1, 1}},
};

}  // namespace
}  // namespace of_keys

std::span<const Command> key_commands() { return of_keys::kCommands; }

}  // namespace picklock::redis
