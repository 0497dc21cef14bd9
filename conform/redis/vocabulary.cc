#include "conform/redis/vocabulary.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "conform/redis/sequence.h"

namespace picklock::conform::redis {
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
    {"STRLEN {key}", "string", 3},
    {"GETRANGE {key} {index} {index}", "string", 3},
    {"SUBSTR {key} {index} {index}", "string", 2},
    {"SETRANGE {key} {offset} {value}", "string", 3},
    {"MGET {key} {other-key*}", "", 3},
    {"MSET {key} {value} {key-value*}", "", 2},
    {"MSETNX {key} {value} {key-value*}", "", 2},
    // --- keys
    {"DEL {key} {other-key*}", "", 6},
    {"UNLINK {key} {other-key*}", "", 3},
    {"EXISTS {key} {other-key*}", "", 4},
    {"TOUCH {key} {other-key*}", "", 2},
    {"TYPE {key}", "", 4},
    {"RENAME {key} {other-key}", "", 4},
    {"RENAMENX {key} {other-key}", "", 3},
    {"KEYS {glob}", "", 3},
    {.pattern = "SCAN {scan-cursor} {scan-options}", .type = "", .weight = 4, .exact = true},
    {"DBSIZE", "", 3},
    {"FLUSHALL {flush}", "", 1},
    {"FLUSHDB {flush}", "", 1},
    {.pattern = "SELECT {database}", .type = "", .weight = 2, .connection = true},
    {.pattern = "SWAPDB {database} {database}", .type = "", .weight = 1},
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
    {"HSET {key} {field-value+}", "hash", 7},
    {"HMSET {key} {field-value+}", "hash", 2},
    {"HSTRLEN {key} {field}", "hash", 2},
    {"HSETNX {key} {field} {small-value}", "hash", 4},
    {"HGET {key} {field}", "hash", 4},
    {"HMGET {key} {field+}", "hash", 3},
    {"HGETALL {key}", "hash", 3},
    {"HEXISTS {key} {field}", "hash", 4},
    {"HINCRBY {key} {field} {integer}", "hash", 7},
    {"HDEL {key} {field+}", "hash", 4},
    {"HLEN {key}", "hash", 3},
    {"HKEYS {key}", "hash", 3},
    {"HVALS {key}", "hash", 3},
    // --- lists
    {"LPUSH {key} {value+}", "list", 4},
    {"RPUSH {key} {value+}", "list", 5},
    {"LPOP {key} {count?}", "list", 4},
    {"RPOP {key} {count?}", "list", 4},
    {"LINDEX {key} {index}", "list", 3},
    {"LRANGE {key} {index} {index}", "list", 4},
    {"LLEN {key}", "list", 3},
    {"LREM {key} {index} {element}", "list", 4},
    {"LPUSHX {key} {value+}", "list", 3},
    {"RPUSHX {key} {value+}", "list", 3},
    {"LSET {key} {index} {value}", "list", 3},
    {"LTRIM {key} {index} {index}", "list", 3},
    // --- sorted sets
    {"ZADD {key} {zadd-option*} {score-member+}", "zset", 8},
    {"ZREM {key} {member+}", "zset", 4},
    {"ZSCORE {key} {member}", "zset", 4},
    {"ZINCRBY {key} {score} {member}", "zset", 5},
    {"ZRANGE {key} {zrange}", "zset", 6},
    {"ZRANGEBYSCORE {key} {bound} {bound} {range-options}", "zset", 5},
    {"ZCARD {key}", "zset", 3},
    {"ZCOUNT {key} {bound} {bound}", "zset", 3},
    {"ZLEXCOUNT {key} {lex} {lex}", "zset", 3},
    {"ZMSCORE {key} {member+}", "zset", 3},
    {"ZRANK {key} {member}", "zset", 3},
    {"ZREVRANK {key} {member}", "zset", 3},
    {"ZREVRANGE {key} {index} {index} {scores}", "zset", 3},
    {"ZREVRANGEBYSCORE {key} {bound} {bound} {range-options}", "zset", 3},
    {"ZRANGEBYLEX {key} {lex} {lex} {limit}", "zset", 3},
    {"ZREVRANGEBYLEX {key} {lex} {lex} {limit}", "zset", 3},
    {"ZPOPMIN {key} {count?}", "zset", 3},
    {"ZPOPMAX {key} {count?}", "zset", 3},
    {"ZREMRANGEBYRANK {key} {index} {index}", "zset", 3},
    {"ZREMRANGEBYSCORE {key} {bound} {bound}", "zset", 3},
    {"ZREMRANGEBYLEX {key} {lex} {lex}", "zset", 3},
    // --- sets
    {"SADD {key} {member+}", "set", 6},
    {"SMEMBERS {key}", "set", 4},
    {"SISMEMBER {key} {member}", "set", 4},
    {"SREM {key} {member+}", "set", 4},
    {"SMISMEMBER {key} {member+}", "set", 3},
    {"SCARD {key}", "set", 3},
    // All or nothing: chance decides which member goes.
    {.pattern = "SPOP {key} {all}", .type = "set", .weight = 3, .exact = true},
    // --- messages
    {"PUBLISH {channel} {value}", "", 8},
    {.pattern = "SUBSCRIBE {channel+}", .type = "", .weight = 3, .connection = true},
    {.pattern = "UNSUBSCRIBE {channel*}", .type = "", .weight = 2, .connection = true},
    {.pattern = "PSUBSCRIBE {glob+}", .type = "", .weight = 2, .connection = true},
    {.pattern = "PUNSUBSCRIBE {glob*}", .type = "", .weight = 2, .connection = true},
    {"SPUBLISH {channel} {value}", "", 2},
    {.pattern = "SSUBSCRIBE {channel+}", .type = "", .weight = 1, .connection = true},
    {.pattern = "SUNSUBSCRIBE {channel*}", .type = "", .weight = 1, .connection = true},
    {"PUBSUB {pubsub}", "", 3},
    // --- transactions
    {.pattern = "MULTI", .type = "", .weight = 5, .connection = true},
    {.pattern = "EXEC", .type = "", .weight = 2, .connection = true},
    {.pattern = "DISCARD", .type = "", .weight = 2, .connection = true},
    {.pattern = "WATCH {key} {other-key*}", .type = "", .weight = 3, .connection = true},
    {.pattern = "UNWATCH", .type = "", .weight = 2, .connection = true},
    // --- the connection
    {"PING {value?}", "", 3},
    {"ECHO {value}", "", 3},
    {"TIME", "", 2, kTimed},
    {.pattern = "QUIT", .type = "", .weight = 1, .connection = true},
    {.pattern = "RESET", .type = "", .weight = 1, .connection = true},
    {.pattern = "AUTH {auth}", .type = "", .weight = 2, .connection = true},
    {.pattern = "HELLO {hello}", .type = "", .weight = 3, .exact = true, .connection = true},
    {.pattern = "CLIENT {client}", .type = "", .weight = 6, .exact = true, .connection = true},
    {.pattern = "CLIENT {client-pause}",
     .type = "",
     .timed = true,
     .exact = true,
     .connection = true},
    // --- scripts; the commands that run scripts are drawn elsewhere
    {.pattern = "SCRIPT {script}", .type = "", .weight = 3, .connection = true},
    // --- the server
    {.pattern = "CONFIG {config}", .type = "", .weight = 2, .exact = true, .connection = true},
    {.pattern = "CONFIG {config-set}",
     .type = "",
     .timed = true,
     .exact = true,
     .connection = true},
    {.pattern = "INFO {info}", .type = "", .weight = 1, .connection = true},
    {.pattern = "COMMAND {command}", .type = "", .weight = 3, .exact = true, .connection = true},
    {.pattern = "DEBUG {debug}",
     .type = "",
     .weight = 1,
     .timed = true,
     .exact = true,
     .connection = true},
    {.pattern = "NOSUCH {value+}", .type = "", .weight = 1},
    {.pattern = "GETT {key} {value+}", .type = "", .weight = 1},
};

// Keys, and the usual type of each.
struct Key {
  std::string_view name;
  std::string_view type;
};
constexpr Key kKeys[] = {
    {"k1", "string"}, {"k2", "hash"}, {"k3", "list"}, {"k4", "zset"}, {"k5", "set"}};
constexpr std::string_view kOddKeys[] = {"k6", "K1", "", std::string_view("a\r\n\0\xff", 5)};

constexpr std::string_view kIntegers[] = {"1", "1", "2", "-1", "0", "10", "100", "-3"};
// Texts that are almost integers, and the limits (R5, R102).
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
constexpr std::string_view kLexBounds[] = {"-",   "+",   "-",   "+",  "[m1",
                                           "(m1", "[m3", "(m2", "[1", "("};
constexpr std::string_view kBadLexBounds[] = {"", "m1", "++", "[-", "-inf"};
constexpr std::string_view kAll[] = {"100", "100", "100", "0"};
constexpr std::string_view kNotAll[] = {"-1", "abc", "", "9223372036854775808"};
constexpr std::string_view kIndexes[] = {"0", "1", "-1", "2", "-2", "100", "-100"};
constexpr std::string_view kChannels[] = {"c1", "c1", "c2", "d1", "", "c[1]"};
constexpr std::string_view kGlobs[] = {
    "*", "k*", "k?", "k[12]", "[^k]*", "k\\1", "nosuch", "",    "*1",   "k[1-3]", "k[3-1]",
    "[", "k[", "c*", "c?",    "c1",    "d*",   "**",     "k\\", "[k]?", "k[^12]", "?"};
constexpr std::string_view kOddWords[] = {
    "", "abc", "-1", "0", "9223372036854775807", "1.5", "NX", "k1", "GET", "\r\n", "KEEPTTL", "*"};

constexpr std::string_view kOffsets[] = {"0", "1", "3", "10"};
constexpr std::string_view kBadOffsets[] = {"-1", "536870912", "abc", "9223372036854775807"};
constexpr std::string_view kSetMemberOptions[] = {"NX", "XX", "GT", "LT", "CH", "INCR"};
constexpr std::string_view kCounts[] = {"0", "1", "2", "100", "-1"};
constexpr std::string_view kFirstCursor[] = {"0"};
constexpr std::string_view kBadCursors[] = {"abc", "", "1.5", " 0"};
constexpr std::string_view kDatabaseNumbers[] = {"0", "0", "0", "1", "15"};
constexpr std::string_view kBadDatabases[] = {"16", "-1", "abc", "", "99999999999999999999"};
constexpr std::string_view kElements[] = {"a", "b", "c", "", "1", "10"};
constexpr std::string_view kKeyNames[] = {"k1", "k2", "k3", "k4", "k5"};

// Holes filled with one of a few words, occasionally a bad one. A hole can be left empty, `{x?}`,
// or filled several times, `{x+}`, or both, `{x*}`.
struct Choice {
  std::string_view hole;
  std::span<const std::string_view> good;
  std::span<const std::string_view> bad;
};
constexpr Choice kChoices[] = {
    {"other-key", kKeyNames, kOddKeys},
    {"integer", kIntegers, kNearIntegers},
    {"field", kFields, {}},
    {"member", kMembers, {}},
    {"element", kElements, {}},
    {"score", kScores, kBadScores},
    {"bound", kBounds, kBadBounds},
    {"lex", kLexBounds, kBadLexBounds},
    {"all", kAll, kNotAll},
    {"index", kIndexes, kNearIntegers},
    {"offset", kOffsets, kBadOffsets},
    {"count", kCounts, kNearIntegers},
    {"zadd-option", kSetMemberOptions, {}},
    {"channel", kChannels, {}},
    {"glob", kGlobs, {}},
    {"scan-cursor", kFirstCursor, kBadCursors},
    {"database", kDatabaseNumbers, kBadDatabases},
};

constexpr std::string_view kZrangeForms[] = {"{index} {index}",
                                             "{index} {index} WITHSCORES",
                                             "{index} {index} REV",
                                             "{index} {index} REV WITHSCORES",
                                             "{bound} {bound} BYSCORE {range-options}",
                                             "{bound} {bound} BYSCORE REV {range-options}",
                                             "{index} {index} LIMIT 0 1",
                                             "{index} {index} {value}"};
constexpr std::string_view kRangeForms[] = {"",
                                            "",
                                            "WITHSCORES",
                                            "LIMIT 0 1",
                                            "LIMIT 1 2 WITHSCORES",
                                            "LIMIT {index} {index}",
                                            "LIMIT 0",
                                            "withscores limit 0 -1",
                                            "LIMIT {integer} {integer}",
                                            "ZZ"};
constexpr std::string_view kScoresForms[] = {"", "WITHSCORES", "withscores", "ZZ"};
constexpr std::string_view kLimitForms[] = {
    "", "", "LIMIT 0 1", "limit 1 -1", "LIMIT {index} {index}", "LIMIT 0", "WITHSCORES"};
constexpr std::string_view kScanForms[] = {"",
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
constexpr std::string_view kFlushForms[] = {"", "", "", "ASYNC", "sync", "ZZ", "SYNC SYNC"};
constexpr std::string_view kHelloForms[] = {"2",
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
                                            "2 SETNAME {value}",
                                            "3 AUTH default secret",
                                            "2 AUTH default secret SETNAME n1",
                                            "3 AUTH nobody secret",
                                            "3 AUTH default"};
constexpr std::string_view kClientForms[] = {"ID",
                                             "ID",
                                             "id more",
                                             "SETNAME n1",
                                             "SETNAME {value}",
                                             "GETNAME",
                                             "GETNAME",
                                             "INFO",
                                             "LIST",
                                             "LIST TYPE pubsub",
                                             "LIST TYPE normal",
                                             "LIST TYPE nosuch",
                                             "LIST ID {client-id} {client-id}",
                                             "LIST ID abc",
                                             "LIST ZZ",
                                             "KILL ID {client-id}",
                                             "KILL ID {client-id} SKIPME no",
                                             "KILL ID {client-id} TYPE normal",
                                             "KILL ID 0",
                                             "KILL ID abc",
                                             "KILL 127.0.0.1:1",
                                             "KILL ID",
                                             "KILL ADDR 127.0.0.1:1",
                                             "KILL TYPE pubsub",
                                             "KILL TYPE nosuch",
                                             "KILL SKIPME maybe",
                                             "KILL USER nobody",
                                             "NOPE",
                                             "",
                                             "UNPAUSE",
                                             "REPLY ON",
                                             "REPLY SKIP",
                                             "REPLY OFF",
                                             "REPLY ZZ",
                                             "NO-EVICT on",
                                             "NO-EVICT off",
                                             "NO-EVICT ZZ",
                                             "GETREDIR",
                                             "TRACKINGINFO",
                                             "UNBLOCK {client-id}",
                                             "UNBLOCK abc",
                                             "UNBLOCK 1 ZZ",
                                             "HELP"};
constexpr std::string_view kPauseForms[] = {"PAUSE abc", "PAUSE -1", "PAUSE 1 ZZ", "PAUSE"};
constexpr std::string_view kScriptForms[] = {
    "KILL", "NOPE", "", "LOAD", "FLUSH", "FLUSH sync", "FLUSH ASYNC", "FLUSH ZZ", "EXISTS", "HELP"};
constexpr std::string_view kConfigForms[] = {"GET maxmemory",
                                             "get MAXMEMORY",
                                             "GET maxmemory-policy databases",
                                             "GET busy-reply-threshold lua-time-limit",
                                             "GET requirepass",
                                             "GET nosuch",
                                             "GET appendonly save",
                                             "GET",
                                             "NOPE",
                                             "",
                                             "REWRITE",
                                             "HELP"};
constexpr std::string_view kConfigSetForms[] = {"SET maxmemory 0",
                                                "SET maxmemory 100mb",
                                                "SET maxmemory 1gb maxmemory-policy noeviction",
                                                "SET nosuch 1",
                                                "SET maxmemory",
                                                "SET maxmemory abc",
                                                "SET maxmemory-policy nosuch",
                                                "SET maxmemory 0 maxmemory 0",
                                                "SET databases 3",
                                                "SET busy-reply-threshold 5000",
                                                "SET busy-reply-threshold abc",
                                                "SET lua-time-limit -1",
                                                "SET requirepass secret",
                                                "SET requirepass {empty}",
                                                "RESETSTAT"};
constexpr std::string_view kInfoForms[] = {"",         "server", "nosuch", "REPLICATION",
                                           "keyspace", "all"};
constexpr std::string_view kCommandForms[] = {"COUNT",
                                              "NOPE",
                                              "INFO get set",
                                              "INFO nosuch hset",
                                              "info EVAL multi publish",
                                              "GETKEYS get k1",
                                              "GETKEYS mset k1 a k2 b",
                                              "GETKEYS eval x 2 k1 k2 a",
                                              "GETKEYS ping x",
                                              "GETKEYS nosuch x",
                                              "GETKEYS get k1 k2",
                                              "HELP"};
constexpr std::string_view kDebugForms[] = {"SLEEP 0", "SLEEP abc", "SET-ACTIVE-EXPIRE 0", "NOPE",
                                            ""};
constexpr std::string_view kAuthForms[] = {
    "secret", "secret", "default secret", "wrong", "nobody secret", "default wrong", "a b c", ""};
constexpr std::string_view kPubsubForms[] = {"CHANNELS",
                                             "CHANNELS {glob}",
                                             "NUMSUB",
                                             "NUMSUB {channel+}",
                                             "NUMPAT",
                                             "SHARDCHANNELS",
                                             "SHARDCHANNELS {glob}",
                                             "SHARDNUMSUB {channel+}",
                                             "HELP",
                                             "NOPE",
                                             ""};
constexpr std::string_view kKeyValueForms[] = {"{other-key} {value}"};
constexpr std::string_view kFieldValueForms[] = {"{field} {small-value}"};
constexpr std::string_view kScoreMemberForms[] = {"{score} {member}"};

// Holes filled with one of a few patterns, which have holes of their own.
struct Form {
  std::string_view hole;
  std::span<const std::string_view> patterns;
};
constexpr Form kForms[] = {
    {"key-value", kKeyValueForms},
    {"field-value", kFieldValueForms},
    {"score-member", kScoreMemberForms},
    {"zrange", kZrangeForms},
    {"range-options", kRangeForms},
    {"scan-options", kScanForms},
    {"scores", kScoresForms},
    {"limit", kLimitForms},
    {"flush", kFlushForms},
    {"hello", kHelloForms},
    {"auth", kAuthForms},
    {"pubsub", kPubsubForms},
    {"client", kClientForms},
    {"client-pause", kPauseForms},
    {"script", kScriptForms},
    {"config", kConfigForms},
    {"config-set", kConfigSetForms},
    {"info", kInfoForms},
    {"command", kCommandForms},
    {"debug", kDebugForms},
};

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
  static constexpr std::string_view kPatterns[] = {"SUBSCRIBE {channel+}", "UNSUBSCRIBE {channel*}",
                                                   "PSUBSCRIBE {glob+}",   "PUNSUBSCRIBE {glob*}",
                                                   "PING {value?}",        "UNSUBSCRIBE",
                                                   "PUNSUBSCRIBE"};
  if (one_in(30)) return {"QUIT"};
  return filled(one_of(kPatterns));
}

// Removes, adds or changes a word.
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

std::string Vocabulary::small_value() {
  if (one_in(2)) return number();
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
    // With a deadline in the past, a server that runs by its own clock could remove the key at any
    // time.
    if (!timed_ && option.ends_with("AT")) continue;
    fill_expiry(words, option);
  }
}

void Vocabulary::fill_getex_options(Words& words) {
  static constexpr std::string_view kOptions[] = {"PX", "EX", "PXAT", "EXAT", "PERSIST"};
  const std::uint64_t manner = below(24);
  for (std::uint64_t count = manner < 8 ? 0 : manner < 10 ? 2 : 1; count > 0; --count) {
    const std::string_view option = one_of(kOptions);
    if (timed_ || !option.ends_with("AT")) fill_expiry(words, option);
  }
  if (one_in(20)) words.emplace_back("ZZ");
}

void Vocabulary::fill_flags(Words& words) {
  static constexpr std::string_view kFlags[] = {"NX", "XX", "GT", "LT"};
  // GT and LT compare times that two moments have determined.
  static constexpr std::string_view kUntimed[] = {"NX", "XX"};
  if (below(5) < 3) return;
  const std::uint64_t count = one_in(4) ? 2 : 1;
  for (std::uint64_t i = 0; i < count; ++i)
    words.push_back(in_some_case(timed_ ? one_of(kFlags) : one_of(kUntimed)));
  if (one_in(10)) words.emplace_back("ZZ");
}

void Vocabulary::fill(Words& words, std::string_view hole, std::string_view type) {
  std::uint64_t count = 1;
  switch (hole.back()) {
    case '?':
      count = below(2);
      break;
    case '+':
      count = 1 + below(3);
      break;
    case '*':
      count = one_in(2) ? 0 : 1 + below(3);
      break;
    default:
      return fill_one(words, hole, type);
  }
  hole.remove_suffix(1);
  for (; count > 0; --count) fill_one(words, hole, type);
}

void Vocabulary::fill_one(Words& words, std::string_view hole, std::string_view type) {
  for (const Choice& choice : kChoices) {
    if (choice.hole != hole) continue;
    const bool bad = !choice.bad.empty() && one_in(12);
    words.emplace_back(one_of(bad ? choice.bad : choice.good));
    return;
  }
  for (const Form& form : kForms) {
    if (form.hole != hole) continue;
    const Words more = filled(one_of(form.patterns), type);
    words.insert(words.end(), more.begin(), more.end());
    return;
  }
  if (hole == "key") {
    words.push_back(key(type));
  } else if (hole == "value") {
    words.push_back(value());
  } else if (hole == "small-value") {
    words.push_back(small_value());
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
    fill_getex_options(words);
  } else if (hole == "expire-flags") {
    fill_flags(words);
  } else if (hole == "empty") {
    words.emplace_back();
  } else if (hole == "client-id") {
    words.push_back(id_word(static_cast<std::uint32_t>(below(connections_))));
  } else {
    throw std::logic_error("nothing fills the hole " + std::string(hole));
  }
}

}  // namespace picklock::conform::redis
