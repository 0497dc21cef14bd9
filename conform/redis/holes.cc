#include "conform/redis/holes.h"

namespace picklock::conform::redis {
namespace {

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
constexpr std::string_view kNoCount[] = {"abc", "", "9223372036854775808"};
constexpr std::string_view kIndexes[] = {"0", "1", "-1", "2", "-2", "100", "-100"};
constexpr std::string_view kChannels[] = {"c1", "c1", "c2", "d1", "", "c[1]"};
constexpr std::string_view kGlobs[] = {
    "*", "k*", "k?", "k[12]", "[^k]*", "k\\1", "nosuch", "",    "*1",   "k[1-3]", "k[3-1]",
    "[", "k[", "c*", "c?",    "c1",    "d*",   "**",     "k\\", "[k]?", "k[^12]", "?"};
constexpr std::string_view kOffsets[] = {"0", "1", "3", "10"};
constexpr std::string_view kBadOffsets[] = {"-1", "536870912", "abc", "9223372036854775807"};
constexpr std::string_view kSetMemberOptions[] = {"NX", "XX", "GT", "LT", "CH", "INCR"};
constexpr std::string_view kBitOffsets[] = {"0", "1", "7", "8", "100", "5000"};
constexpr std::string_view kBadBitOffsets[] = {"-1", "abc", "4294967296", "", "1.5"};
constexpr std::string_view kBits[] = {"0", "1"};
constexpr std::string_view kNoBits[] = {"2", "-1", "abc", ""};
constexpr std::string_view kFloats[] = {"1", "0.1",  "-0.1", "3.0e3", "1e-10", "1.5",
                                        "0", "-2.5", "0x1",  "1e17",  "-1e17", "5e-324"};
constexpr std::string_view kBadFloats[] = {"abc", "", " 1", "1 ", "nan", "inf", "-inf", "1e5000"};
constexpr std::string_view kEnds[] = {"LEFT", "right"};
constexpr std::string_view kNoEnds[] = {"MIDDLE", ""};
constexpr std::string_view kCounts[] = {"0", "1", "2", "100", "-1"};
constexpr std::string_view kFirstCursor[] = {"0"};
constexpr std::string_view kBadCursors[] = {"abc", "", "1.5", " 0"};
constexpr std::string_view kDatabaseNumbers[] = {"0", "0", "0", "1", "15"};
constexpr std::string_view kBadDatabases[] = {"16", "-1", "abc", "", "99999999999999999999"};
constexpr std::string_view kElements[] = {"a", "b", "c", "", "1", "10"};
// Not REFCOUNT: inside MULTI the queued command is a second one.
constexpr std::string_view kObjects[] = {"ENCODING", "encoding"};
constexpr std::string_view kNoObjects[] = {"NOSUCH", "", "HELP"};
constexpr std::string_view kKeyNames[] = {"k1", "k2", "k3", "k4", "k5"};
constexpr std::string_view kEvents[] = {"KEA", "KEAmn", "Kg$", "Elshz",
                                        "KEx", "A",     "mn",  "KE$gted"};
constexpr std::string_view kNoEvents[] = {"q", "KEq", "k"};
constexpr Choice kChoices[] = {
    {"events", kEvents, kNoEvents},
    {"other-key", kKeyNames, kOddKeys},
    {"integer", kIntegers, kNearIntegers},
    {"field", kFields, {}},
    {"member", kMembers, {}},
    {"element", kElements, {}},
    {"score", kScores, kBadScores},
    {"bound", kBounds, kBadBounds},
    {"lex", kLexBounds, kBadLexBounds},
    {"all", kAll, kNotAll},
    {"all-or-none", kAll, kNoCount},
    {"index", kIndexes, kNearIntegers},
    {"offset", kOffsets, kBadOffsets},
    {"bit-offset", kBitOffsets, kBadBitOffsets},
    {"bit", kBits, kNoBits},
    {"float", kFloats, kBadFloats},
    {"end", kEnds, kNoEnds},
    {"count", kCounts, kNearIntegers},
    {"zadd-option", kSetMemberOptions, {}},
    {"channel", kChannels, {}},
    {"glob", kGlobs, {}},
    {"object", kObjects, kNoObjects},
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
constexpr std::string_view kValuesForms[] = {"", "WITHVALUES", "withvalues", "ZZ"};
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
constexpr std::string_view kElementScanForms[] = {"COUNT 100",
                                                  "COUNT 100",
                                                  "MATCH {glob} COUNT 1000",
                                                  "COUNT 100 MATCH *",
                                                  "TYPE string COUNT 10",
                                                  "COUNT 0",
                                                  "COUNT abc",
                                                  "COUNT",
                                                  "ZZ"};
// With BY and ALPHA elements may be equal, and then come in any order.
constexpr std::string_view kSortForms[] = {"",
                                           "ALPHA",
                                           "ALPHA",
                                           "DESC",
                                           "desc alpha",
                                           "ALPHA LIMIT 0 2",
                                           "ALPHA LIMIT {index} {index}",
                                           "LIMIT {integer} {integer}",
                                           "BY k* LIMIT 0 3",
                                           "BY k* DESC",
                                           "BY k*->f1 GET # GET k*->f2",
                                           "ALPHA GET # GET k*",
                                           "ALPHA STORE {other-key}",
                                           "BY k* GET k* STORE {other-key}",
                                           "LIMIT 0",
                                           "GET",
                                           "ZZ"};
constexpr std::string_view kCopyForms[] = {
    "", "", "REPLACE", "replace", "DB {database}", "DB {database} REPLACE", "DB", "ZZ"};
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
                                             "GET notify-keyspace-events",
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
                                                "SET notify-keyspace-events {events}",
                                                "SET notify-keyspace-events {events}",
                                                "SET notify-keyspace-events {empty}",
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
constexpr Form kForms[] = {
    {"key-value", kKeyValueForms},
    {"field-value", kFieldValueForms},
    {"score-member", kScoreMemberForms},
    {"zrange", kZrangeForms},
    {"range-options", kRangeForms},
    {"scan-options", kScanForms},
    {"element-scan-options", kElementScanForms},
    {"copy-options", kCopyForms},
    {"sort-options", kSortForms},
    {"scores", kScoresForms},
    {"values", kValuesForms},
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

}  // namespace

std::span<const Choice> choices() { return kChoices; }

std::span<const Form> forms() { return kForms; }

}  // namespace picklock::conform::redis
