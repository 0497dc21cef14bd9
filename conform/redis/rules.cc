#include "conform/redis/rules.h"

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

}  // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* rule_of(std::string_view command) {
  for (const Rule& rule : kRules) {
    if (lower(rule.name()) == command) return &rule;
  }
  return nullptr;
}

}  // namespace picklock::conform::redis
