// Strings: GET, SET and their kin, the counters INCR and DECR, and single bits.
#include <algorithm>
#include <array>
#include <vector>

#include "models/redis/commands.h"

namespace picklock::redis {
namespace of_strings {
namespace {

constexpr std::int64_t kLongestString = 512 << 20;  // proto-max-bulk-len

// The options of SET and GETEX that give the key a deadline.
struct Expiry {
  std::string_view word;
  Unit unit;
  bool absolute;
};
constexpr std::array kExpiries = {
    Expiry{"px", Unit::milliseconds, false}, Expiry{"ex", Unit::seconds, false},
    Expiry{"pxat", Unit::milliseconds, true}, Expiry{"exat", Unit::seconds, true}};
constexpr const Expiry& kPx = kExpiries[0];
constexpr const Expiry& kEx = kExpiries[1];

const Expiry* expiry_named(std::string_view word) {
  for (const Expiry& expiry : kExpiries) {
    if (same_word(word, expiry.word)) return &expiry;
  }
  return nullptr;
}

struct Options {
  bool nx = false;
  bool xx = false;
  bool get = false;
  bool keep_ttl = false;
  bool persist = false;
  const Expiry* expiry = nullptr;
  std::string_view amount;  // of the expiry
};

enum class Of : std::uint8_t { set, getex };

// Reads the words from `first` on. False: they make no sense, and the reply says so.
bool read_options(const Call& call, std::size_t first, Of of, Options& options) {
  const bool set = of == Of::set;
  for (std::size_t i = first; i < call.words(); ++i) {
    const std::string_view word = call[i];
    if (set && same_word(word, "nx") && !options.xx) {
      options.nx = true;
    } else if (set && same_word(word, "xx") && !options.nx) {
      options.xx = true;
    } else if (set && same_word(word, "get")) {
      options.get = true;
    } else if (set && same_word(word, "keepttl") && options.expiry == nullptr) {
      options.keep_ttl = true;
    } else if (!set && same_word(word, "persist") && options.expiry == nullptr) {
      options.persist = true;
    } else if (const Expiry* const named = expiry_named(word);
               named != nullptr && (options.expiry == nullptr || options.expiry == named) &&
               !options.keep_ttl && !options.persist && i + 1 < call.words()) {
      options.expiry = named;  // the last one counts
      options.amount = call[++i];
    } else {
      syntax_error(call.reply);
      return false;
    }
  }
  return true;
}

// Reads a deadline. False: it is none, and the reply says so.
bool read_deadline(const Call& call, const Expiry& expiry, std::string_view amount,
                   std::string_view command, std::int64_t& deadline) {
  std::int64_t value = 0;
  if (!integer(amount, value, call.reply)) return false;
  if (value > 0 &&
      deadline_of(value, expiry.unit, expiry.absolute, call.keys.clock().ms(), deadline))
    return true;
  invalid_expire(call.reply, command);
  return false;
}

void set_text(const Call& call, std::string_view key, std::string_view text,
              std::int64_t deadline = kNoDeadline) {
  put_key(call, key, Type::string, deadline).text().assign(text);
  call.notify(EventClass::string, "set", key);
}

// Sets the reply of GET. False: the key holds another type.
bool answer_text(const Call& call, Entry*& entry) {
  entry = call.read(call[1]);
  if (!has_type(call, entry, Type::string)) return false;
  if (entry == nullptr) {
    call.reply.set(Reply::Kind::nil);
  } else {
    call.reply.set_bulk(entry->value.text());
  }
  return true;
}

// Leaves out the conditions, because they were met (R30).
void replicate_set(Call& call, std::string_view value, std::int64_t deadline) {
  if (!call.replicates()) return;
  call.replicate_deadline({"SET", call[1], value, "PXAT", Digits(deadline).view()});
}

void replicate_without_get(Call& call) {
  if (!call.replicates()) return;
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < call.words(); ++i) {
    if (i < 3 || !same_word(call[i], "get")) words.push_back(call[i]);
  }
  call.replicate(words);
}

void set(Call& call) {
  Options options;
  if (!read_options(call, 3, Of::set, options)) return;
  std::int64_t deadline = kNoDeadline;
  // Checked before NX: a bad time is an error even on a held key (R4).
  if (options.expiry != nullptr &&
      !read_deadline(call, *options.expiry, options.amount, "set", deadline))
    return;
  Entry* held = nullptr;
  if (options.get) {
    if (!answer_text(call, held)) return;
  } else {
    held = call.live(call[1]);
    call.reply.set(Reply::Kind::nil);
  }
  if ((options.nx && held != nullptr) || (options.xx && held == nullptr)) return;
  if (options.keep_ttl && held != nullptr) deadline = held->deadline_ms;
  set_text(call, call[1], call[2], deadline);
  if (options.expiry != nullptr) {
    call.notify(EventClass::generic, "expire", call[1]);
    replicate_set(call, call[2], deadline);
  } else if (options.get) {
    replicate_without_get(call);
  }
  if (!options.get) call.reply.set_status("OK");
}

void setnx(Call& call) {
  const bool free = call.live(call[1]) == nullptr;
  if (free) set_text(call, call[1], call[2]);
  call.reply.set_integer(free ? 1 : 0);
}

void set_with(Call& call, const Expiry& expiry, std::string_view command) {
  std::int64_t deadline = kNoDeadline;
  if (!read_deadline(call, expiry, call[2], command, deadline)) return;
  set_text(call, call[1], call[3], deadline);
  call.notify(EventClass::generic, "expire", call[1]);
  replicate_set(call, call[3], deadline);
  call.reply.set_status("OK");
}
void setex(Call& call) { set_with(call, kEx, "setex"); }
void psetex(Call& call) { set_with(call, kPx, "psetex"); }

void get(Call& call) {
  Entry* entry = nullptr;
  answer_text(call, entry);
}

void getset(Call& call) {
  Entry* entry = nullptr;
  if (!answer_text(call, entry)) return;
  set_text(call, call[1], call[2]);
  call.replicate({"SET", call[1], call[2]});
}

void getdel(Call& call) {
  Entry* entry = nullptr;
  if (!answer_text(call, entry) || entry == nullptr) return;
  remove_key(call, *entry);
  call.replicate({"DEL", call[1]});
}

void getex(Call& call) {
  Options options;
  if (!read_options(call, 2, Of::getex, options)) return;
  Entry* const entry = call.read(call[1]);
  if (!has_type(call, entry, Type::string)) return;
  if (entry == nullptr) {
    call.reply.set(Reply::Kind::nil);
    return;
  }
  std::int64_t deadline = kNoDeadline;
  // Checked only now: without a key even a bad time is no error (R7).
  if (options.expiry != nullptr &&
      !read_deadline(call, *options.expiry, options.amount, "getex", deadline))
    return;
  call.reply.set_bulk(entry->value.text());
  if (options.expiry != nullptr && options.expiry->absolute && deadline <= call.keys.clock().ms()) {
    remove_key(call, *entry);
    call.replicate({"DEL", call[1]});
  } else if (options.expiry != nullptr) {
    call.keys.set_deadline(*entry, deadline);
    call.notify(EventClass::generic, "expire", call[1]);
    call.replicate_deadline({"PEXPIREAT", call[1], Digits(deadline).view()});
  } else if (options.persist && entry->has_deadline()) {
    call.keys.set_deadline(*entry, kNoDeadline);
    call.notify(EventClass::generic, "persist", call[1]);
    call.replicate({"PERSIST", call[1]});
  }
}

bool fits(std::int64_t size, std::int64_t more, Reply& reply) {
  std::int64_t all = 0;
  if (!__builtin_add_overflow(size, more, &all) && all <= kLongestString) return true;
  reply.set_error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
  return false;
}

std::int64_t length(std::string_view text) { return static_cast<std::int64_t>(text.size()); }

void append(Call& call) {
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  if (entry != nullptr && !fits(length(entry->value.text()), length(call[2]), call.reply)) return;
  Value& value = to_change(call, call[1], Type::string, entry);
  std::string& text = value.text();
  if (entry != nullptr) value.set_text_form(Value::TextForm::altered);
  text.append(call[2]);
  call.notify(EventClass::string, "append", call[1]);
  call.reply.set_integer(length(text));
}

void strlen(Call& call) {
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  call.reply.set_integer(entry == nullptr ? 0 : length(entry->value.text()));
}

void getrange(Call& call) {
  std::int64_t first = 0, last = 0;
  if (!integer(call[2], first, call.reply) || !integer(call[3], last, call.reply)) return;
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  call.reply.set_bulk("");
  if (entry == nullptr || (first < 0 && last < 0 && first > last)) return;
  const std::string_view text = entry->value.text();
  const std::int64_t size = length(text);
  // Unlike a range of a list, a range that ends before the string begins has the first byte.
  if (first < 0) first = std::max<std::int64_t>(first + size, 0);
  if (last < 0) last = std::max<std::int64_t>(last + size, 0);
  last = std::min(last, size - 1);
  if (first > last) return;
  call.reply.set_bulk(
      text.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first + 1)));
}

void setrange(Call& call) {
  std::int64_t offset = 0;
  if (!integer(call[2], offset, call.reply)) return;
  if (offset < 0) {
    call.reply.set_error("ERR offset is out of range");
    return;
  }
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  const std::string_view piece = call[3];
  if (piece.empty()) {
    call.reply.set_integer(entry == nullptr ? 0 : length(entry->value.text()));
    return;
  }
  if (!fits(offset, length(piece), call.reply)) return;
  Value& value = to_change(call, call[1], Type::string, entry);
  std::string& text = value.text();
  value.set_text_form(Value::TextForm::altered);
  const auto begin = static_cast<std::size_t>(offset);
  if (text.size() < begin + piece.size()) text.resize(begin + piece.size());
  text.replace(begin, piece.size(), piece);
  call.notify(EventClass::string, "setrange", call[1]);
  call.reply.set_integer(length(text));
}

void mget(Call& call) {
  call.reply.set(Reply::Kind::array);
  for (std::string_view key : call.argv.subspan(1)) {
    Entry* entry = call.live(key);
    Reply& element = call.reply.add();
    if (entry != nullptr && entry->value.type() == Type::string)
      element.set_bulk(entry->value.text());
  }
}

void set_all(const Call& call) {
  for (std::size_t i = 1; i < call.words(); i += 2) set_text(call, call[i], call[i + 1]);
}

void mset(Call& call) {
  if (call.words() % 2 == 0) {
    wrong_arity(call.reply, "mset");
    return;
  }
  set_all(call);
  call.reply.set_status("OK");
}

void msetnx(Call& call) {
  if (call.words() % 2 == 0) {
    wrong_arity(call.reply, "msetnx");
    return;
  }
  bool free = true;
  for (std::size_t i = 1; free && i < call.words(); i += 2) free = call.live(call[i]) == nullptr;
  if (free) set_all(call);
  call.reply.set_integer(free ? 1 : 0);
}

void count(const Call& call, std::int64_t by) {
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  std::int64_t number = 0;
  if (entry != nullptr && !integer(entry->value.text(), number, call.reply)) return;
  if (!add_to(number, by, call.reply)) return;
  Value& value = to_change(call, call[1], Type::string, entry);
  value.text().assign(Digits(number).view());
  value.set_text_form(Value::TextForm::by_content);
  call.notify(EventClass::string, "incrby", call[1]);
  call.reply.set_integer(number);
}

void incr(Call& call) { count(call, 1); }
void decr(Call& call) { count(call, -1); }

void incrby(Call& call) {
  std::int64_t by = 0;
  if (integer(call[2], by, call.reply)) count(call, by);
}

void decrby(Call& call) {
  std::int64_t by = 0;
  if (!integer(call[2], by, call.reply)) return;
  if (by == INT64_MIN) {
    call.reply.set_error("ERR decrement would overflow");
    return;
  }
  count(call, -by);
}

void incrbyfloat(Call& call) {
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  long double number = 0;
  long double by = 0;
  if ((entry != nullptr && !strict_long_double(entry->value.text(), number)) ||
      !strict_long_double(call[2], by)) {
    call.reply.set_error("ERR value is not a valid float");
    return;
  }
  number += by;
  if (!is_finite(number)) {
    call.reply.set_error("ERR increment would produce NaN or Infinity");
    return;
  }
  Value& value = to_change(call, call[1], Type::string, entry);
  write_long_double(number, value.text());
  value.set_text_form(Value::TextForm::text);
  call.notify(EventClass::string, "incrbyfloat", call[1]);
  call.reply.set_bulk(value.text());
  call.replicate({"SET", call[1], call.reply.text, "KEEPTTL"});
}

// ---------------------------------------------------------------- bits

// False: it is none, and the reply says so.
bool read_bit_offset(const Call& call, std::uint64_t& offset) {
  std::int64_t number = 0;
  if (strict_integer(call[2], number) && number >= 0 && number / 8 < kLongestString) {
    offset = static_cast<std::uint64_t>(number);
    return true;
  }
  call.reply.set_error("ERR bit offset is not an integer or out of range");
  return false;
}

// The first bit of a byte is its highest.
unsigned mask_of(std::uint64_t offset) { return 0x80U >> (offset % 8); }

bool bit_of(std::string_view text, std::uint64_t offset) {
  const std::uint64_t byte = offset / 8;
  return byte < text.size() && (static_cast<unsigned char>(text[byte]) & mask_of(offset)) != 0;
}

void setbit(Call& call) {
  std::uint64_t offset = 0;
  if (!read_bit_offset(call, offset)) return;
  if (call[3] != "0" && call[3] != "1") {
    call.reply.set_error("ERR bit is not an integer or out of range");
    return;
  }
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  const bool on = call[3] == "1";
  const std::size_t byte = offset / 8;
  const bool was = entry != nullptr && bit_of(entry->value.text(), offset);
  call.reply.set_integer(was ? 1 : 0);
  if (entry != nullptr) entry->value.set_text_form(Value::TextForm::altered);
  // One that changes nothing is no change.
  if (entry != nullptr && byte < entry->value.text().size() && was == on) return;
  Value& value = to_change(call, call[1], Type::string, entry);
  std::string& text = value.text();
  value.set_text_form(Value::TextForm::altered);
  if (text.size() <= byte) text.resize(byte + 1);
  const auto old = static_cast<unsigned char>(text[byte]);
  text[byte] = static_cast<char>(on ? old | mask_of(offset) : old & ~mask_of(offset));
  call.notify(EventClass::string, "setbit", call[1]);
}

void getbit(Call& call) {
  std::uint64_t offset = 0;
  if (!read_bit_offset(call, offset)) return;
  Entry* entry = nullptr;
  if (!live_of(call, call[1], Type::string, entry)) return;
  call.reply.set_integer(entry != nullptr && bit_of(entry->value.text(), offset) ? 1 : 0);
}

constexpr std::array kCommands = {
    Command{"set", -3, kWrite | kMayGrow, set, {1, 1, 1}},
    Command{"setnx", 3, kWrite | kMayGrow | kFast, setnx, {1, 1, 1}},
    Command{"setex", 4, kWrite | kMayGrow, setex, {1, 1, 1}},
    Command{"psetex", 4, kWrite | kMayGrow, psetex, {1, 1, 1}},
    Command{"get", 2, kRead | kFast, get, {1, 1, 1}},
    Command{"getset", 3, kWrite | kMayGrow | kFast, getset, {1, 1, 1}},
    Command{"getdel", 2, kWrite | kFast, getdel, {1, 1, 1}},
    Command{"getex", -2, kWrite | kFast, getex, {1, 1, 1}},
    Command{"append", 3, kWrite | kMayGrow | kFast, append, {1, 1, 1}},
    Command{"strlen", 2, kRead | kFast, strlen, {1, 1, 1}},
    Command{"getrange", 4, kRead, getrange, {1, 1, 1}},
    Command{"substr", 4, kRead, getrange, {1, 1, 1}},
    Command{"setrange", 4, kWrite | kMayGrow, setrange, {1, 1, 1}},
    Command{"mget", -2, kRead | kFast, mget, {1, -1, 1}},
    Command{"mset", -3, kWrite | kMayGrow, mset, {1, -1, 2}},
    Command{"msetnx", -3, kWrite | kMayGrow, msetnx, {1, -1, 2}},
    Command{"incr", 2, kWrite | kMayGrow | kFast, incr, {1, 1, 1}},
    Command{"incrby", 3, kWrite | kMayGrow | kFast, incrby, {1, 1, 1}},
    Command{"decr", 2, kWrite | kMayGrow | kFast, decr, {1, 1, 1}},
    Command{"incrbyfloat", 3, kWrite | kMayGrow | kFast, incrbyfloat, {1, 1, 1}},
    Command{"setbit", 4, kWrite | kMayGrow, setbit, {1, 1, 1}},
    Command{"getbit", 3, kRead | kFast, getbit, {1, 1, 1}},
    Command{"decrby", 3, kWrite | kMayGrow | kFast, decrby, {1, 1, 1}},
};

}  // namespace
}  // namespace of_strings

std::span<const Command> string_commands() { return of_strings::kCommands; }

}  // namespace picklock::redis
