#include "models/redis/conform/vocabulary.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "models/redis/conform/sequence.h"

namespace picklock::models::redis::conform {
namespace {

constexpr bool kTimed = true;

constexpr Rule kRules[] = {
    // --- strings
    {"SET {key} {value}", "", 6},
    {"SET {key} {value} {set-options}", "", 16},
    {"SET {key} {value} NX PX {ms}", "", 6},
    {"SETNX {key} {value}", "", 4},
    {"SETEX {key} {seconds} {value}", "", 4},
    {"PSETEX {key} {ms} {value}", "", 4},
    {"GET {key}", "string", 8},
    {"GETSET {key} {value}", "string", 4},
    {"GETDEL {key}", "string", 4},
    {"GETEX {key} {getex-options}", "string", 6},
    {"APPEND {key} {value}", "string", 4},
    {"INCR {key}", "string", 4},
    {"INCRBY {key} {integer}", "string", 4},
    {"DECR {key}", "string", 4},
    {"DECRBY {key} {integer}", "string", 4},
    // --- keys
    {"DEL {keys}", "", 6},
    {"UNLINK {keys}", "", 3},
    {"EXISTS {keys}", "", 4},
    {"TYPE {key}", "", 4},
    {"RENAME {key} {other-key}", "", 4},
    {"KEYS {glob}", "", 3},
    {.pattern = "SCAN {scan-cursor} {scan-options}", .type = "", .weight = 4, .exact = true},
    {"DBSIZE", "", 3},
    {"FLUSHALL {flush}", "", 1},
    {"FLUSHDB {flush}", "", 1},
    {.pattern = "SELECT {database}", .type = "", .weight = 2, .connection = true},
    {"EXPIRE {key} {seconds} {expire-flags}", "", 5},
    {"PEXPIRE {key} {ms} {expire-flags}", "", 7},
    {"EXPIREAT {key} {at-seconds} {expire-flags}", "", 5, kTimed},
    {"PEXPIREAT {key} {at-ms} {expire-flags}", "", 6, kTimed},
    {"TTL {key}", "", 4, kTimed},
    {"PTTL {key}", "", 5, kTimed},
    {"EXPIRETIME {key}", "", 4, kTimed},
    {"PEXPIRETIME {key}", "", 4, kTimed},
    {"PERSIST {key}", "", 4},
    // --- hashes
    {"HSET {key} {field-values}", "hash", 7},
    {"HSETNX {key} {field} {small-value}", "hash", 4},
    {"HGET {key} {field}", "hash", 4},
    {"HMGET {key} {fields}", "hash", 3},
    {"HGETALL {key}", "hash", 3},
    {"HEXISTS {key} {field}", "hash", 4},
    {"HINCRBY {key} {field} {integer}", "hash", 7},
    {"HDEL {key} {fields}", "hash", 4},
    {"HLEN {key}", "hash", 3},
    {"HKEYS {key}", "hash", 3},
    {"HVALS {key}", "hash", 3},
    // --- lists
    {"LPUSH {key} {values}", "list", 4},
    {"RPUSH {key} {values}", "list", 5},
    {"LPOP {key} {count?}", "list", 4},
    {"RPOP {key} {count?}", "list", 4},
    {"LINDEX {key} {index}", "list", 3},
    {"LRANGE {key} {index} {index}", "list", 4},
    {"LLEN {key}", "list", 3},
    {"LREM {key} {index} {list-value}", "list", 4},
    // --- sorted sets
    {"ZADD {key} {zadd-options} {score-members}", "zset", 8},
    {"ZREM {key} {members}", "zset", 4},
    {"ZSCORE {key} {member}", "zset", 4},
    {"ZINCRBY {key} {score} {member}", "zset", 5},
    {"ZRANGE {key} {zrange}", "zset", 6},
    {"ZRANGEBYSCORE {key} {bound} {bound} {range-options}", "zset", 5},
    {"ZCARD {key}", "zset", 3},
    // --- sets
    {"SADD {key} {members}", "set", 6},
    {"SMEMBERS {key}", "set", 4},
    {"SISMEMBER {key} {member}", "set", 4},
    {"SREM {key} {members}", "set", 4},
    // --- messages
    {"PUBLISH {channel} {value}", "", 8},
    {.pattern = "SUBSCRIBE {channels}", .type = "", .weight = 3, .connection = true},
    {.pattern = "UNSUBSCRIBE {channels?}", .type = "", .weight = 2, .connection = true},
    {.pattern = "PSUBSCRIBE {globs}", .type = "", .weight = 2, .connection = true},
    {.pattern = "PUNSUBSCRIBE {globs?}", .type = "", .weight = 2, .connection = true},
    // --- transactions
    {.pattern = "MULTI", .type = "", .weight = 5, .connection = true},
    {.pattern = "EXEC", .type = "", .weight = 2, .connection = true},
    {.pattern = "DISCARD", .type = "", .weight = 2, .connection = true},
    {.pattern = "WATCH {keys}", .type = "", .weight = 3, .connection = true},
    {.pattern = "UNWATCH", .type = "", .weight = 2, .connection = true},
    // --- the connection
    {"PING {value?}", "", 3},
    {"ECHO {value}", "", 3},
    {"TIME", "", 2, kTimed},
    {.pattern = "QUIT", .type = "", .weight = 1, .connection = true},
    {.pattern = "HELLO {hello}", .type = "", .weight = 3, .exact = true, .connection = true},
    {.pattern = "CLIENT {client}", .type = "", .weight = 6, .exact = true, .connection = true},
    // --- scripts; those that run some are drawn elsewhere
    {.pattern = "SCRIPT {script}", .type = "", .weight = 3, .connection = true},
    // --- the server
    {.pattern = "CONFIG {config}", .type = "", .weight = 3, .exact = true, .connection = true},
    {.pattern = "INFO {info}", .type = "", .weight = 1, .connection = true},
    {.pattern = "COMMAND {command}", .type = "", .weight = 1, .exact = true, .connection = true},
    {.pattern = "DEBUG {debug}",
     .type = "",
     .weight = 1,
     .timed = true,
     .exact = true,
     .connection = true},
    {.pattern = "NOSUCH {values}", .type = "", .weight = 1},
    {.pattern = "GETT {key} {values}", .type = "", .weight = 1},
};

// Keys, and the type that each mostly has.
struct Key {
  std::string_view name;
  std::string_view type;
};
constexpr Key kKeys[] = {
    {"k1", "string"}, {"k2", "hash"}, {"k3", "list"}, {"k4", "zset"}, {"k5", "set"}};
constexpr std::string_view kOddKeys[] = {"k6", "K1", "", std::string_view("a\r\n\0\xff", 5)};

constexpr std::string_view kIntegers[] = {"1", "1", "2", "-1", "0", "10", "100", "-3"};
// What is none, and what is the last (R5, R102).
constexpr std::string_view kNearIntegers[] = {"9223372036854775807",
                                              "-9223372036854775808",
                                              "9223372036854775808",
                                              "-9223372036854775809",
                                              "abc",
                                              "1.0",
                                              "1.5",
                                              " 1",
                                              "1 ",
                                              "+1",
                                              "01",
                                              "-0",
                                              "-01",
                                              "0x10",
                                              "1e3",
                                              ""};
constexpr std::string_view kValues[] = {"a", "b", "hello world", "", "token-1", "token-2"};
constexpr std::string_view kBinary[] = {"\r\n", std::string_view("a\0b", 3), "\xff\xfe\x80",
                                        "$5\r\nx", "'quoted' \"twice\" \\"};
constexpr std::string_view kFields[] = {"f1", "f2", "f3", "f4", "", std::string_view("f\0", 2)};
constexpr std::string_view kMembers[] = {"m1", "m2", "m3", "1", "2", "-5", "300", "70000", ""};
constexpr std::string_view kScores[] = {"1",
                                        "2",
                                        "3",
                                        "-1",
                                        "1.5",
                                        "0",
                                        "-0",
                                        "inf",
                                        "-inf",
                                        "+inf",
                                        "0.1",
                                        "1e300",
                                        "1e-10",
                                        "3.0",
                                        "12345678901234567",
                                        "17179869184.5"};
constexpr std::string_view kBadScores[] = {"nan", "abc", "", "1 ", " 1", "1,5", "1e400"};
constexpr std::string_view kBounds[] = {"-inf", "+inf", "inf", "0",   "1",  "(1",
                                        "2",    "(2",   "3",   "(-1", "-1", "1.5"};
constexpr std::string_view kBadBounds[] = {"abc", "[1", "", "(", "nan", "((1"};
constexpr std::string_view kIndexes[] = {"0", "1", "-1", "2", "-2", "100", "-100"};
constexpr std::string_view kChannels[] = {"c1", "c1", "c2", "d1", "", "c[1]"};
constexpr std::string_view kGlobs[] = {
    "*", "k*", "k?", "k[12]", "[^k]*", "k\\1", "nosuch", "",    "*1",   "k[1-3]", "k[3-1]",
    "[", "k[", "c*", "c?",    "c1",    "d*",   "**",     "k\\", "[k]?", "k[^12]", "?"};
constexpr std::string_view kOddWords[] = {
    "", "abc", "-1", "0", "9223372036854775807", "1.5", "NX", "k1", "GET", "\r\n", "KEEPTTL", "*"};

template <std::size_t Size>
constexpr int total_weight(const Rule (&rules)[Size]) {
  int all = 0;
  for (const Rule& rule : rules) all += rule.weight;
  return all;
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* rule_of(std::string_view command) {
  for (const Rule& rule : kRules) {
    if (lower(rule.name()) == command) return &rule;
  }
  return nullptr;
}

// ---------------------------------------------------------------- commands

const Rule& Vocabulary::drawn_rule(bool for_script, bool with_key) {
  for (;;) {
    auto left = static_cast<int>(below(static_cast<std::uint64_t>(total_weight(kRules))));
    const Rule* rule = std::begin(kRules);
    while (left >= rule->weight) left -= (rule++)->weight;
    if (rule->timed && !timed_) continue;
    if (with_key && !rule->has_key()) continue;
    if (for_script && rule->connection && !one_in(8)) continue;
    return *rule;
  }
}

Words Vocabulary::command(bool for_script) {
  const Rule& rule = drawn_rule(for_script, false);
  Words words = filled(rule.pattern, rule.type);
  if (!rule.exact && one_in(18)) spoil(words);
  words[0] = in_some_case(words[0]);
  return words;
}

Words Vocabulary::command_on(std::string_view key) {
  forced_key_ = key;
  const Rule& rule = drawn_rule(false, true);
  Words words = filled(rule.pattern, rule.type);
  forced_key_ = {};
  return words;
}

Words Vocabulary::listening() {
  static constexpr std::string_view kPatterns[] = {
      "SUBSCRIBE {channels}",  "UNSUBSCRIBE {channels?}", "PSUBSCRIBE {globs}",
      "PUNSUBSCRIBE {globs?}", "PING {value?}",           "UNSUBSCRIBE",
      "PUNSUBSCRIBE"};
  if (one_in(30)) return {"QUIT"};
  return filled(one_of(kPatterns));
}

// A word missing, too many, or wrong.
void Vocabulary::spoil(Words& words) {
  switch (below(4)) {
    case 0:
      if (words.size() > 1) words.pop_back();
      break;
    case 1:
      words.resize(1);
      break;
    case 2:
      words.emplace_back(one_of(kOddWords));
      break;
    default:
      if (words.size() > 1) words[1 + below(words.size() - 1)] = one_of(kOddWords);
  }
}

Words Vocabulary::filled(std::string_view pattern, std::string_view type) {
  Words words;
  while (!pattern.empty()) {
    const std::string_view word = pattern.substr(0, pattern.find(' '));
    pattern.remove_prefix(std::min(pattern.size(), word.size() + 1));
    if (word.starts_with('{')) {
      fill(words, word.substr(1, word.size() - 2), type);
    } else {
      words.emplace_back(word);
    }
  }
  return words;
}

std::string Vocabulary::in_some_case(std::string_view word) {
  std::string text(word);
  const std::uint64_t manner = below(8);
  if (manner == 0) return lower(word);
  if (manner == 1) {
    for (char& letter : text) {
      if (below(2) == 0) letter = lower(std::string_view(&letter, 1))[0];
    }
  }
  return text;
}

// ---------------------------------------------------------------- words

std::string Vocabulary::key(std::string_view type) {
  if (!forced_key_.empty()) return std::string(forced_key_);
  const std::uint64_t manner = below(20);
  if (manner == 0) return std::string(one_of(kOddKeys));
  if (manner < 13 && !type.empty()) {
    for (const Key& one : kKeys) {
      if (one.type == type) return std::string(one.name);
    }
  }
  return std::string(one_of(kKeys).name);
}

std::string Vocabulary::number() {
  return std::string(one_in(4) ? one_of(kNearIntegers) : one_of(kIntegers));
}

std::string Vocabulary::value() {
  const std::uint64_t manner = below(10);
  if (manner == 0) return std::string(one_of(kBinary));
  if (manner == 1) return std::string(300, 'x');
  if (manner < 5) return number();
  return std::string(one_of(kValues));
}

std::string Vocabulary::milliseconds() {
  static constexpr std::string_view kSane[] = {"1",   "2",    "5",     "100",
                                               "500", "1499", "20000", "100000"};
  static constexpr std::string_view kOdd[] = {"0", "-1", "9223372036854775807",
                                              "9000000000000000000", "-9223372036854775808"};
  static constexpr std::string_view kUntimed[] = {"1000000", "3600000", "86400000"};
  if (one_in(8)) return std::string(one_of(kNearIntegers));
  if (one_in(6)) return std::string(one_of(kOdd));
  return std::string(timed_ ? one_of(kSane) : one_of(kUntimed));
}

std::string Vocabulary::seconds() {
  static constexpr std::string_view kSane[] = {"1", "2", "10", "20", "100", "100000"};
  static constexpr std::string_view kOdd[] = {"0",
                                              "-1",
                                              "9223372036854775",
                                              "9223372036854776",
                                              "9000000000000000",
                                              "-9223372036854775",
                                              "-9223372036854776",
                                              "-9223372036854775808"};
  static constexpr std::string_view kUntimed[] = {"1000", "3600", "86400"};
  if (one_in(8)) return std::string(one_of(kNearIntegers));
  if (one_in(6)) return std::string(one_of(kOdd));
  return std::string(timed_ ? one_of(kSane) : one_of(kUntimed));
}

std::string Vocabulary::at_milliseconds() {
  static constexpr std::int64_t kAround[] = {0, 1, -1, 2, 100, 1000, 20000, 1499};
  if (one_in(8)) return number();
  if (one_in(6)) return milliseconds();
  return std::to_string(now_ms_ + one_of(kAround));
}

std::string Vocabulary::at_seconds() {
  static constexpr std::int64_t kAround[] = {0, 1, -1, 2, 10, 100, 20000};
  if (one_in(8)) return number();
  if (one_in(6)) return seconds();
  return std::to_string(now_ms_ / 1000 + one_of(kAround));
}

void Vocabulary::fill_expiry(Words& words, std::string_view option) {
  words.push_back(in_some_case(option));
  if (one_in(25)) return;
  if (option == "PX") {
    words.push_back(milliseconds());
  } else if (option == "EX") {
    words.push_back(seconds());
  } else if (option == "PXAT") {
    words.push_back(at_milliseconds());
  } else if (option == "EXAT") {
    words.push_back(at_seconds());
  }
}

void Vocabulary::fill_set_options(Words& words) {
  static constexpr std::string_view kOptions[] = {"NX", "XX", "GET",  "KEEPTTL",
                                                  "PX", "EX", "PXAT", "EXAT"};
  const std::uint64_t count = 1 + below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (one_in(30)) {
      words.emplace_back(one_of(kOddWords));
      continue;
    }
    const std::string_view option = one_of(kOptions);
    // A deadline in the past would let a server that runs by itself forget the key at its leisure.
    if (!timed_ && option.ends_with("AT")) continue;
    fill_expiry(words, option);
  }
}

void Vocabulary::fill_flags(Words& words) {
  static constexpr std::string_view kFlags[] = {"NX", "XX", "GT", "LT"};
  if (below(5) < 3) return;
  const std::uint64_t count = one_in(4) ? 2 : 1;
  for (std::uint64_t i = 0; i < count; ++i) words.push_back(in_some_case(one_of(kFlags)));
  if (one_in(10)) words.emplace_back("ZZ");
}

void Vocabulary::fill(Words& words, std::string_view hole, std::string_view type) {
  const auto several = [&](const auto& values) {
    const std::uint64_t count = 1 + below(3);
    for (std::uint64_t i = 0; i < count; ++i) words.emplace_back(one_of(values));
  };
  // Of whole forms, one.
  const auto form = [&](const auto& forms) {
    const std::string_view chosen = one_of(forms);
    const Words more = filled(chosen, type);
    words.insert(words.end(), more.begin(), more.end());
  };

  if (hole == "key") {
    words.push_back(key(type));
  } else if (hole == "keys") {
    words.push_back(key(type));
    while (one_in(3)) words.emplace_back(one_of(kKeys).name);
  } else if (hole == "key-again") {
    words.push_back(words.back());
  } else if (hole == "other-key") {
    words.emplace_back(one_in(12) ? one_of(kOddKeys) : one_of(kKeys).name);
  } else if (hole == "value") {
    words.push_back(value());
  } else if (hole == "value?") {
    if (one_in(2)) words.push_back(value());
  } else if (hole == "values") {
    const std::uint64_t count = 1 + below(3);
    for (std::uint64_t i = 0; i < count; ++i) words.push_back(value());
  } else if (hole == "list-value") {
    words.emplace_back(one_in(2) ? one_of(kValues) : one_of(kIntegers));
  } else if (hole == "small-value") {
    words.push_back(one_in(2) ? number() : std::string(one_of(kValues)));
  } else if (hole == "integer") {
    words.push_back(number());
  } else if (hole == "field") {
    words.emplace_back(one_of(kFields));
  } else if (hole == "fields") {
    several(kFields);
  } else if (hole == "field-values") {
    const std::uint64_t count = 1 + below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      words.emplace_back(one_of(kFields));
      words.push_back(one_in(2) ? number() : std::string(one_of(kValues)));
    }
  } else if (hole == "member") {
    words.emplace_back(one_of(kMembers));
  } else if (hole == "members") {
    several(kMembers);
  } else if (hole == "score") {
    words.emplace_back(one_in(8) ? one_of(kBadScores) : one_of(kScores));
  } else if (hole == "score-members") {
    const std::uint64_t count = 1 + below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      words.emplace_back(one_in(15) ? one_of(kBadScores) : one_of(kScores));
      words.emplace_back(one_of(kMembers));
    }
  } else if (hole == "zadd-options") {
    static constexpr std::string_view kOptions[] = {"NX", "XX", "GT", "LT", "CH", "INCR"};
    while (one_in(4)) words.push_back(in_some_case(one_of(kOptions)));
  } else if (hole == "zrange") {
    static constexpr std::string_view kForms[] = {"{index} {index}",
                                                  "{index} {index} WITHSCORES",
                                                  "{index} {index} REV",
                                                  "{index} {index} REV WITHSCORES",
                                                  "{bound} {bound} BYSCORE {range-options}",
                                                  "{bound} {bound} BYSCORE REV {range-options}",
                                                  "{index} {index} LIMIT 0 1",
                                                  "{index} {index} {value}"};
    form(kForms);
  } else if (hole == "bound") {
    words.emplace_back(one_in(12) ? one_of(kBadBounds) : one_of(kBounds));
  } else if (hole == "range-options") {
    static constexpr std::string_view kForms[] = {"",
                                                  "",
                                                  "WITHSCORES",
                                                  "LIMIT 0 1",
                                                  "LIMIT 1 2 WITHSCORES",
                                                  "LIMIT {index} {index}",
                                                  "LIMIT 0",
                                                  "withscores limit 0 -1",
                                                  "LIMIT {integer} {integer}",
                                                  "ZZ"};
    form(kForms);
  } else if (hole == "index") {
    words.emplace_back(one_in(15) ? one_of(kNearIntegers) : one_of(kIndexes));
  } else if (hole == "count?") {
    static constexpr std::string_view kCounts[] = {"0", "1", "2", "100", "-1"};
    if (one_in(2)) words.push_back(one_in(6) ? number() : std::string(one_of(kCounts)));
  } else if (hole == "ms") {
    words.push_back(milliseconds());
  } else if (hole == "seconds") {
    words.push_back(seconds());
  } else if (hole == "at-ms") {
    words.push_back(at_milliseconds());
  } else if (hole == "at-seconds") {
    words.push_back(at_seconds());
  } else if (hole == "set-options") {
    fill_set_options(words);
  } else if (hole == "getex-options") {
    static constexpr std::string_view kOptions[] = {"PX", "EX", "PXAT", "EXAT", "PERSIST"};
    const std::uint64_t count = one_in(3) ? 0 : one_in(8) ? 2 : 1;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string_view option = one_of(kOptions);
      if (timed_ || !option.ends_with("AT")) fill_expiry(words, option);
    }
    if (one_in(20)) words.emplace_back("ZZ");
  } else if (hole == "expire-flags") {
    fill_flags(words);
  } else if (hole == "channel") {
    words.emplace_back(one_of(kChannels));
  } else if (hole == "channels") {
    several(kChannels);
  } else if (hole == "channels?") {
    if (one_in(2)) several(kChannels);
  } else if (hole == "glob") {
    words.emplace_back(one_of(kGlobs));
  } else if (hole == "globs") {
    several(kGlobs);
  } else if (hole == "globs?") {
    if (one_in(2)) several(kGlobs);
  } else if (hole == "scan-cursor") {
    static constexpr std::string_view kBad[] = {"abc", "-1", "", "1.5", " 0"};
    words.emplace_back(one_in(12) ? one_of(kBad) : "0");
  } else if (hole == "scan-options") {
    static constexpr std::string_view kForms[] = {"",
                                                  "",
                                                  "COUNT 100",
                                                  "MATCH {glob}",
                                                  "MATCH {glob} COUNT 1000",
                                                  "TYPE string",
                                                  "TYPE HASH",
                                                  "TYPE nosuch COUNT 10",
                                                  "COUNT 0",
                                                  "COUNT -1",
                                                  "COUNT abc",
                                                  "COUNT",
                                                  "ZZ",
                                                  "MATCH"};
    form(kForms);
  } else if (hole == "database") {
    static constexpr std::string_view kDatabases[] = {"0", "0", "0", "1", "15"};
    static constexpr std::string_view kBad[] = {"16", "-1", "abc", "", "99999999999999999999"};
    words.emplace_back(one_in(6) ? one_of(kBad) : one_of(kDatabases));
  } else if (hole == "flush") {
    static constexpr std::string_view kForms[] = {"", "", "", "ASYNC", "sync", "ZZ", "SYNC SYNC"};
    form(kForms);
  } else if (hole == "hello") {
    static constexpr std::string_view kForms[] = {"2",
                                                  "3",
                                                  "3",
                                                  "",
                                                  "4",
                                                  "1",
                                                  "abc",
                                                  "3 SETNAME n1",
                                                  "2 SETNAME n2",
                                                  "3 SETNAME",
                                                  "3 ZZ",
                                                  "2 SETNAME {value}"};
    form(kForms);
  } else if (hole == "client") {
    static constexpr std::string_view kForms[] = {"ID",
                                                  "ID",
                                                  "id more",
                                                  "SETNAME n1",
                                                  "SETNAME {value}",
                                                  "GETNAME",
                                                  "GETNAME",
                                                  "KILL ID {client-id}",
                                                  "KILL ID {client-id} SKIPME no",
                                                  "KILL ID 0",
                                                  "KILL ID abc",
                                                  "KILL 127.0.0.1:1",
                                                  "KILL ID",
                                                  "KILL ADDR 127.0.0.1:1",
                                                  "KILL TYPE pubsub",
                                                  "KILL TYPE nosuch",
                                                  "KILL SKIPME maybe",
                                                  "LIST",
                                                  "NOPE",
                                                  "",
                                                  "UNPAUSE"};
    static constexpr std::string_view kTimedForms[] = {"PAUSE abc", "PAUSE -1", "PAUSE 1 ZZ",
                                                       "PAUSE"};
    if (timed_ && one_in(10)) {
      form(kTimedForms);
    } else {
      form(kForms);
    }
  } else if (hole == "client-id") {
    words.push_back(fmt::format("{}{}", kIdWord, 1 + below(connections_)));
  } else if (hole == "script") {
    static constexpr std::string_view kForms[] = {
        "KILL", "NOPE", "", "LOAD", "FLUSH", "FLUSH sync", "FLUSH ASYNC", "FLUSH ZZ", "EXISTS"};
    form(kForms);
  } else if (hole == "config") {
    static constexpr std::string_view kForms[] = {"GET maxmemory", "get MAXMEMORY", "GET nosuch",
                                                  "GET",           "NOPE",          ""};
    static constexpr std::string_view kOwnForms[] = {"SET maxmemory 0", "SET maxmemory 100mb",
                                                     "SET nosuch 1", "SET maxmemory",
                                                     "SET maxmemory abc"};
    if (timed_ && one_in(3)) {
      form(kOwnForms);
    } else {
      form(kForms);
    }
  } else if (hole == "info") {
    static constexpr std::string_view kForms[] = {"", "server", "nosuch", "REPLICATION"};
    form(kForms);
  } else if (hole == "command") {
    static constexpr std::string_view kForms[] = {"COUNT", "NOPE"};
    form(kForms);
  } else if (hole == "debug") {
    static constexpr std::string_view kForms[] = {"SLEEP 0", "SET-ACTIVE-EXPIRE 0"};
    form(kForms);
  }
}

}  // namespace picklock::models::redis::conform
