// The commands of the server model, as data: name, number of words, flags and function. Error texts
// are those of redis-server 7.0 (docs/facts/fidelity.md). Each group of commands has a file of its
// own.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "models/redis/config.h"
#include "models/redis/keyspace.h"
#include "models/redis/keyspace_events.h"
#include "models/redis/numbers.h"
#include "models/redis/parts.h"
#include "models/redis/session.h"
#include "picklock/redis.h"

namespace picklock::redis {

inline constexpr std::string_view kVersion = "7.0.15";  // of the server this models

using Argv = std::span<const std::string_view>;

// A command in execution.
struct Call {
  const Context& server;
  Keyspace& keys;
  Session& session;
  Argv argv;  // with the command's own name
  Reply& reply;
  bool written = false;     // the command has written its answer itself: `reply` is not used
  bool replicated = false;  // the command has called replicate() itself

  std::string_view operator[](std::size_t word) const { return argv[word]; }
  std::size_t words() const { return argv.size(); }
  // nullptr: there is no such key. A command that only reads notifies of that.
  Entry* live(std::string_view key) const {
    Entry* const entry = keys.live(session.database, key);
    if (entry == nullptr && publishes(EventClass::missed)) missed(key);
    return entry;
  }
  // The same for a command that writes, but only reads this key, or reads it first.
  Entry* read(std::string_view key) const {
    Entry* const entry = keys.live(session.database, key);
    if (entry == nullptr) notify(EventClass::missed, "keymiss", key);
    return entry;
  }
  // Whether keyspace notifications of this class are on.
  bool publishes(EventClass event_class) const {
    return server.config.events().include(event_class);
  }
  // Publishes a keyspace notification, if its class is on. Call it after the change.
  void notify(EventClass event_class, std::string_view event, std::string_view key) const {
    if (publishes(event_class)) publish(event, session.database, key);
  }
  void notify(EventClass event_class, std::string_view event, std::uint32_t database,
              std::string_view key) const {
    if (publishes(event_class)) publish(event, database, key);
  }
  // Kept out of line, because notifications are seldom on.
  [[gnu::cold]] void publish(std::string_view event, std::uint32_t database,
                             std::string_view key) const;
  bool replicates() const;  // whether a replica or the append-only file gets its effects
  // Sends `command` to replicas and the append-only file in its place (R30); may be called several
  // times.
  void replicate(std::span<const std::string_view> command);
  void replicate(std::initializer_list<std::string_view> command) {
    replicate(std::span(command.begin(), command.size()));
  }
  // The same for a command that has set the deadline which `absolute` names (R30).
  void replicate_deadline(std::span<const std::string_view> absolute);
  void replicate_deadline(std::initializer_list<std::string_view> absolute) {
    replicate_deadline(std::span(absolute.begin(), absolute.size()));
  }
  [[gnu::cold]] void missed(std::string_view key) const;
};

enum Flags : std::uint32_t {
  kRead = 1u << 0,
  kWrite = 1u << 1,         // changes the data; held back by CLIENT PAUSE WRITE (R107)
  kMayGrow = 1u << 2,       // refused when memory is full (R106)
  kNoScript = 1u << 3,      // scripts may not use it (R77)
  kWhileBusy = 1u << 4,     // answered even while a script runs for too long (R84)
  kSubscribed = 1u << 5,    // allowed to a subscribed RESP2 connection (R86)
  kOwnStack = 1u << 6,      // may run an interpreter or take time: runs on the server's own thread
  kNotQueued = 1u << 7,     // takes effect at once even inside MULTI
  kMayReplicate = 1u << 8,  // PUBLISH, scripts: not a write itself, but held back like one
  kNotInMulti = 1u << 9,
  kUngated = 1u << 10,     // needs no password
  kEndsMulti = 1u << 11,   // EXEC, DISCARD and the like: never refused for lack of memory
  kRunsQueue = 1u << 12,   // EXEC: has the flags of the queued commands too
  kRunsScript = 1u << 13,  // EVAL: has the flags that its script declares
  // Only reported by COMMAND.
  kAdmin = 1u << 16,
  kPubsub = 1u << 17,
  kBlocking = 1u << 18,
  kLoading = 1u << 19,
  kStale = 1u << 20,
  kFast = 1u << 21,
  kNoAsyncLoading = 1u << 22,
};

// First key, last key (negative: counted from the end) and step, as COMMAND reports them.
struct KeyPositions {
  int first = 0;
  int last = 0;
  int step = 0;
};

struct Command {
  std::string_view name;  // lower case; a subcommand's begins with its container's: `client|id`
  int arity = 0;          // the number of words; negative: the least number
  std::uint32_t flags = 0;
  void (*run)(Call& call) = nullptr;  // nullptr: not modeled, and unknown outside scripts
  KeyPositions keys{};
  std::span<const Command> subcommands{};

  bool is(Flags flag) const { return (flags & flag) != 0; }
  bool takes(std::size_t words) const {
    return arity > 0 ? words == static_cast<std::size_t>(arity)
                     : words >= static_cast<std::size_t>(-arity);
  }
  bool known() const {
    return run != nullptr || (!subcommands.empty() && subcommands.front().run != nullptr);
  }
};

// Case does not matter; nullptr: unknown.
const Command* command_named(std::string_view name);
// The command that these words call, or its subcommand if it has any; nullptr: unknown.
const Command* command_called(Argv argv);
// Every command, in the order of the groups; subcommands follow their container.
std::span<const Command* const> all_commands();

// The flags of a command that runs a script: if the script's first line declares flags, those
// replace the command's defaults for scripts.
std::uint32_t flags_with_script(ScriptRunner& scripts, const Command& command, Argv argv);

// The groups.
std::span<const Command> cluster_commands();
std::span<const Command> connection_commands();
std::span<const Command> key_commands();
std::span<const Command> hash_commands();
std::span<const Command> list_commands();
std::span<const Command> set_commands();
std::span<const Command> sorted_set_commands();
std::span<const Command> persistence_commands();
std::span<const Command> pubsub_commands();
std::span<const Command> script_commands();
std::span<const Command> server_commands();
std::span<const Command> replication_commands();
std::span<const Command> string_commands();
std::span<const Command> transaction_commands();

// ---------------------------------------------------------------- what commands have in common

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
}

// Compares an option, which ends at the first zero byte like a C string.
constexpr bool same_word(std::string_view word, std::string_view lower_case) {
  if (word.size() < lower_case.size()) return false;
  if (word.size() > lower_case.size() && word[lower_case.size()] != '\0') return false;
  for (std::size_t i = 0; i < lower_case.size(); ++i) {
    if (lower(word[i]) != lower_case[i]) return false;
  }
  return true;
}

inline std::string_view until_zero(std::string_view text) {
  return text.substr(0, text.find('\0'));
}

// A user's word as errors show it: cut to `longest`, and at the first zero byte (R104).
inline constexpr std::size_t kLongestShown = 128;
inline std::string_view shown(std::string_view word, std::size_t longest = kLongestShown) {
  return until_zero(word.substr(0, longest));
}

std::string upper(std::string_view word);

inline constexpr std::string_view kOutOfMemory =
    "OOM command not allowed when used memory > 'maxmemory'.";

inline constexpr std::string_view kReadOnly =
    "READONLY You can't write against a read only replica.";
inline constexpr std::string_view kBusy =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
inline constexpr std::string_view kTooFewReplicas = "NOREPLICAS Not enough good replicas to write.";

inline void wrong_type(Reply& reply) {
  reply.set_error("WRONGTYPE Operation against a key holding the wrong kind of value");
}
inline void syntax_error(Reply& reply) { reply.set_error("ERR syntax error"); }
inline void not_an_integer(Reply& reply) {
  reply.set_error("ERR value is not an integer or out of range");
}
inline void no_such_key(Reply& reply) { reply.set_error("ERR no such key"); }
inline void wrong_arity(Reply& reply, std::string_view command) {
  reply.set_error("ERR wrong number of arguments for '" + std::string(command) + "' command");
}
inline void invalid_expire(Reply& reply, std::string_view command) {
  reply.set_error("ERR invalid expire time in '" + std::string(command) + "' command");
}

// Sets the error for a subcommand with a wrong number of words.
void wrong_subcommand(Call& call);
// Sets the answer of a container to HELP.
void set_help(Reply& reply, std::initializer_list<std::string_view> lines);

// Reads an integer argument. False: it is none, and the reply says so.
inline bool integer(std::string_view text, std::int64_t& value, Reply& reply) {
  if (strict_integer(text, value)) return true;
  not_an_integer(reply);
  return false;
}

// False: the key exists and has another type, and the reply says so.
inline bool has_type(const Call& call, const Entry* entry, Type type) {
  if (entry == nullptr || entry->value.type() == type) return true;
  wrong_type(call.reply);
  return false;
}

// Finds the entry of a key, which must be of this type if it exists. False: it has another type,
// and the reply says so.
inline bool live_of(const Call& call, std::string_view key, Type type, Entry*& entry) {
  entry = call.live(key);
  return has_type(call, entry, type);
}

[[gnu::cold]] Value& put_and_publish(const Call& call, std::string_view key, Type type,
                                     std::int64_t deadline);

// Sets a key anew, regardless of its old value: empty, of this type.
inline Value& put_key(const Call& call, std::string_view key, Type type,
                      std::int64_t deadline = kNoDeadline) {
  if (call.publishes(EventClass::created)) return put_and_publish(call, key, type, deadline);
  return call.keys.put(call.session.database, key, type, deadline);
}

// The value of a key, to be changed; created if there is none.
inline Value& to_change(const Call& call, std::string_view key, Type type, Entry* entry) {
  if (entry == nullptr) return put_key(call, key, type);
  call.keys.altered(*entry);
  return entry->value;
}

// Removes a key as DEL does.
inline void remove_key(const Call& call, Entry& entry) {
  call.keys.remove(entry);
  call.notify(EventClass::generic, "del", entry.key);
}

// Call after elements were removed from the value, which is an event: a key without elements is
// removed too (R101).
inline void taken_from(const Call& call, Entry& entry, EventClass event_class,
                       std::string_view event) {
  call.notify(event_class, event, entry.key);
  if (entry.value.empty()) {
    remove_key(call, entry);
  } else {
    call.keys.altered(entry);
  }
}

// Adds to a stored number. False: the sum does not fit, and the reply says so.
inline bool add_to(std::int64_t& number, std::int64_t by, Reply& reply) {
  if (!__builtin_add_overflow(number, by, &number)) return true;
  reply.set_error("ERR increment or decrement would overflow");
  return false;
}

// The number of elements, in the type of replies.
template <typename Elements>
std::int64_t count_of(const Elements& elements) {
  return static_cast<std::int64_t>(elements.size());
}

// Reads a count of elements to take. False: it is none, and the reply says so.
inline bool positive_count(std::string_view text, std::int64_t& count, Reply& reply) {
  if (strict_integer(text, count) && count >= 0) return true;
  reply.set_error("ERR value is out of range, must be positive");
  return false;
}

// Places among `size` elements, from `first` to `last`, both inclusive; negative ones count from
// the end.
struct Places {
  std::size_t first = 0;
  std::size_t count = 0;  // 0: none

  Places(std::int64_t from, std::int64_t to, std::int64_t size) {
    if (from < 0) from = from + size > 0 ? from + size : 0;
    if (to < 0) to += size;
    if (to >= size) to = size - 1;
    if (from > to) return;
    first = static_cast<std::size_t>(from);
    count = static_cast<std::size_t>(to - from + 1);
  }
};

enum class Unit : std::uint8_t { milliseconds, seconds };

// Converts an expiry argument to a deadline in milliseconds of the server's clock. False: out of
// range.
inline bool deadline_of(std::int64_t value, Unit unit, bool absolute, std::int64_t now_ms,
                        std::int64_t& deadline) {
  deadline = value;
  if (unit == Unit::seconds && __builtin_mul_overflow(deadline, std::int64_t{1000}, &deadline))
    return false;
  if (!absolute && __builtin_add_overflow(deadline, now_ms, &deadline)) return false;
  return true;
}

}  // namespace picklock::redis
