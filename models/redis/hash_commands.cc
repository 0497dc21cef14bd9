// Hashes, in which re-entrant locks count their acquires.
#include <array>

#include "models/redis/commands.h"
#include "models/redis/config.h"
#include "models/redis/random_elements.h"
#include "models/redis/scan.h"

namespace picklock::redis {
namespace of_hashes {
namespace {

// Finds the hash of the key, nullptr if there is none. False: it is no hash, and the reply says so.
bool hash_of(const Call& call, Entry*& entry, Hash*& hash) {
  if (!live_of(call, call[1], Type::hash, entry)) return false;
  hash = entry == nullptr ? nullptr : &entry->value.hash();
  return true;
}

Hash::Field* field_of(Hash* hash, std::string_view name) {
  return hash == nullptr ? nullptr : hash->find(name);
}

void answer_field(const Hash::Field* field, Reply& reply) {
  if (field == nullptr) {
    reply.set(Reply::Kind::nil);
  } else {
    reply.set_bulk(field->value);
  }
}

// True: the field is new.
bool set_field(const Call& call, Hash& hash, std::string_view name, std::string_view value) {
  return hash.set(name, value, call.server.config.compact());
}

// Sets every pair. False: the reply says why not.
bool set_pairs(const Call& call, std::string_view command, std::int64_t& created) {
  if (call.words() % 2 == 1) {
    wrong_arity(call.reply, command);
    return false;
  }
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::hash, entry)) return false;
  Hash& hash = to_change(call, call[1], Type::hash, entry).hash();
  for (std::size_t i = 2; i < call.words(); i += 2)
    created += set_field(call, hash, call[i], call[i + 1]) ? 1 : 0;
  call.notify(EventClass::hash, "hset", call[1]);
  return true;
}

void hset(Call& call) {
  std::int64_t created = 0;
  if (set_pairs(call, "hset", created)) call.reply.set_integer(created);
}

void hmset(Call& call) {
  std::int64_t created = 0;
  if (set_pairs(call, "hmset", created)) call.reply.set_status("OK");
}

void hsetnx(Call& call) {
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  const bool free = field_of(hash, call[2]) == nullptr;
  if (free) {
    set_field(call, to_change(call, call[1], Type::hash, entry).hash(), call[2], call[3]);
    call.notify(EventClass::hash, "hset", call[1]);
  }
  call.reply.set_integer(free ? 1 : 0);
}

void hget(Call& call) {
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (hash_of(call, entry, hash)) answer_field(field_of(hash, call[2]), call.reply);
}

void hmget(Call& call) {
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  call.reply.set(Reply::Kind::array);
  for (std::string_view name : call.argv.subspan(2))
    answer_field(field_of(hash, name), call.reply.add());
}

void answer_all(const Call& call, bool names, bool values) {
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  call.reply.set(names && values ? Reply::Kind::map : Reply::Kind::array);
  if (hash == nullptr) return;
  for (const Hash::Field& field : *hash) {
    if (names) call.reply.add().set_bulk(field.name);
    if (values) call.reply.add().set_bulk(field.value);
  }
}
void hgetall(Call& call) { answer_all(call, true, true); }
void hkeys(Call& call) { answer_all(call, true, false); }
void hvals(Call& call) { answer_all(call, false, true); }

void hexists(Call& call) {
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  call.reply.set_integer(field_of(hash, call[2]) == nullptr ? 0 : 1);
}

void hlen(Call& call) {
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  call.reply.set_integer(hash == nullptr ? 0 : static_cast<std::int64_t>(hash->size()));
}

void hstrlen(Call& call) {
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  const Hash::Field* field = field_of(hash, call[2]);
  call.reply.set_integer(field == nullptr ? 0 : static_cast<std::int64_t>(field->value.size()));
}

void hincrby(Call& call) {
  std::int64_t by = 0;
  if (!integer(call[3], by, call.reply)) return;
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  std::int64_t number = 0;
  const Hash::Field* field = field_of(hash, call[2]);
  if (field != nullptr && !strict_integer(field->value, number)) {
    call.reply.set_error("ERR hash value is not an integer");
    return;
  }
  if (!add_to(number, by, call.reply)) return;
  set_field(call, to_change(call, call[1], Type::hash, entry).hash(), call[2],
            Digits(number).view());
  call.notify(EventClass::hash, "hincrby", call[1]);
  call.reply.set_integer(number);
}

void hincrbyfloat(Call& call) {
  long double by = 0;
  if (!strict_long_double(call[3], by)) {
    call.reply.set_error("ERR value is not a valid float");
    return;
  }
  if (!is_finite(by)) {
    call.reply.set_error("ERR value is NaN or Infinity");
    return;
  }
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  long double number = 0;
  const Hash::Field* field = field_of(hash, call[2]);
  if (field != nullptr && !strict_long_double(field->value, number)) {
    call.reply.set_error("ERR hash value is not a float");
    return;
  }
  number += by;
  if (!is_finite(number)) {
    call.reply.set_error("ERR increment would produce NaN or Infinity");
    return;
  }
  std::string text;
  write_long_double(number, text);
  set_field(call, to_change(call, call[1], Type::hash, entry).hash(), call[2], text);
  call.notify(EventClass::hash, "hincrbyfloat", call[1]);
  call.reply.set_bulk(text);
  call.replicate({"HSET", call[1], call[2], call.reply.text});
}

void hscan(Call& call) {
  scan_elements<Hash>(call, hash_of,
                      [](const auto& options, const Hash::Field& field, Reply& found) {
                        if (!options.wants(field.name)) return;
                        found.add().set_bulk(field.name);
                        found.add().set_bulk(field.value);
                      });
}

void hdel(Call& call) {
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  std::int64_t removed = 0;
  for (std::string_view name : call.argv.subspan(2)) {
    if (Hash::Field* field = field_of(hash, name)) {
      hash->remove(*field);
      ++removed;
    }
  }
  if (removed > 0) taken_from(call, *entry, EventClass::hash, "hdel");
  call.reply.set_integer(removed);
}

void hrandfield(Call& call) {
  const bool counted = call.words() > 2;
  std::int64_t count = 1;
  if (counted && !read_count(call, call[2], count)) return;
  const bool values = call.words() == 4 && same_word(call[3], "withvalues");
  if (call.words() > 4 || (call.words() == 4 && !values)) {
    syntax_error(call.reply);
    return;
  }
  if (values && (count < -INT64_MAX / 2 || count > INT64_MAX / 2)) {
    call.reply.set_error("ERR value is out of range");
    return;
  }
  Entry* entry = nullptr;
  Hash* hash = nullptr;
  if (!hash_of(call, entry, hash)) return;
  call.reply.set(!counted ? Reply::Kind::nil : values ? Reply::Kind::pairs : Reply::Kind::array);
  if (hash == nullptr) return;
  if (!counted) {
    call.reply.set_bulk(any_of(call, *hash).name);
    return;
  }
  choose(call, *hash, count, [&](const Hash::Field& field) {
    call.reply.add().set_bulk(field.name);
    if (values) call.reply.add().set_bulk(field.value);
  });
}

constexpr std::array kCommands = {
    Command{"hset", -4, kWrite | kMayGrow | kFast, hset, {1, 1, 1}},
    Command{"hmset", -4, kWrite | kMayGrow | kFast, hmset, {1, 1, 1}},
    Command{"hsetnx", 4, kWrite | kMayGrow | kFast, hsetnx, {1, 1, 1}},
    Command{"hget", 3, kRead | kFast, hget, {1, 1, 1}},
    Command{"hmget", -3, kRead | kFast, hmget, {1, 1, 1}},
    Command{"hgetall", 2, kRead, hgetall, {1, 1, 1}},
    Command{"hexists", 3, kRead | kFast, hexists, {1, 1, 1}},
    Command{"hincrby", 4, kWrite | kMayGrow | kFast, hincrby, {1, 1, 1}},
    Command{"hincrbyfloat", 4, kWrite | kMayGrow | kFast, hincrbyfloat, {1, 1, 1}},
    Command{"hscan", -3, kRead, hscan, {1, 1, 1}},
    Command{"hdel", -3, kWrite | kFast, hdel, {1, 1, 1}},
    Command{"hrandfield", -2, kRead, hrandfield, {1, 1, 1}},
    Command{"hlen", 2, kRead | kFast, hlen, {1, 1, 1}},
    Command{"hkeys", 2, kRead, hkeys, {1, 1, 1}},
    Command{"hvals", 2, kRead, hvals, {1, 1, 1}},
    Command{"hstrlen", 3, kRead | kFast, hstrlen, {1, 1, 1}},
};

}  // namespace
}  // namespace of_hashes

std::span<const Command> hash_commands() { return of_hashes::kCommands; }

}  // namespace picklock::redis
