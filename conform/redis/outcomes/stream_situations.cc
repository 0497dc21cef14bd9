#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "conform/redis/outcomes/situations.h"
#include "sim/digest.h"
#include "sim/random.h"

namespace picklock::conform::redis::outcomes {
namespace {

using std::chrono::milliseconds;

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

Words split(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    words.emplace_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return words;
}

std::vector<Words> commands(const std::vector<std::string_view>& texts) {
  std::vector<Words> all;
  all.reserve(texts.size());
  for (const std::string_view text : texts) all.push_back(split(text));
  return all;
}

Words eval(std::string_view body) { return {"EVAL", std::string(body), "0"}; }

// Without it the server itself deletes an expired key before the command that is asked about does,
// once in some thirty times on a busy machine.
Ask without_active_expiry() { return {"A", "master", {"DEBUG", "SET-ACTIVE-EXPIRE", "0"}}; }

// An expired key, and a command on it.
Situation expiry_of(const std::string& title, const Words& command) {
  const std::string text = joined(command);
  return {.title = title,
          .facts = "R30",
          .group = {.clocks_stand = true},
          .steps = {
              without_active_expiry(),
              Do{Deed::listen, "master"},
              Ask{"A", "master", {"SET", "k", "v", "PX", "100"}},
              Heard{"master", "SET k v PX 100"},
              Skew{"", milliseconds(101)},
              Heard{"master", "100 ms later"},
              Ask{"A", "master", command, text},
              Heard{"master", text + " sends"},
          }};
}

}  // namespace

Situation stream_of(const std::string& title, const std::string& facts,
                    const std::vector<Words>& commands) {
  Situation situation{.title = title, .facts = facts, .group = {.clocks_stand = true}, .steps = {}};
  situation.steps.emplace_back(without_active_expiry());
  situation.steps.emplace_back(Do{Deed::listen, "master"});
  for (const Words& command : commands) {
    situation.steps.emplace_back(Ask{"A", "master", command});
    situation.steps.emplace_back(Heard{"master", joined(command)});
  }
  return situation;
}

std::vector<Situation> stream_situations() {
  std::vector<Situation> all;
  all.push_back(stream_of("Expiries travel as instants", "R30",
                          commands({"SET k v PX 1000",
                                    "SET k v EX 2",
                                    "SET k v PXAT 1735689605000",
                                    "SET k v NX",
                                    "SET n v NX",
                                    "SET m v NX PX 1000",
                                    "SET m w XX KEEPTTL",
                                    "SET m w XX GET PX 700",
                                    "SETEX k 3 v",
                                    "PSETEX k 1500 v",
                                    "SETNX k v",
                                    "SETNX s v",
                                    "PEXPIRE s 1000",
                                    "EXPIRE s 1",
                                    "PEXPIRE s 2000 NX",
                                    "PEXPIRE s 2000 GT",
                                    "PEXPIREAT s 1735689603000",
                                    "EXPIREAT s 1735689604",
                                    "GETEX s PX 500",
                                    "GETEX s EX 5",
                                    "GETEX s PERSIST",
                                    "GETEX s PERSIST",
                                    "GETEX s",
                                    "PERSIST s",
                                    "PERSIST m",
                                    "PEXPIRE s -1",
                                    "SET p v PXAT 1",
                                    "EXISTS p",
                                    "GETDEL k",
                                    "GETDEL k",
                                    "SET g v PX 900",
                                    "PEXPIREAT g 1000"})));
  all.push_back(
      stream_of("Floating-point sums and blocking commands are sent as what came of them", "R30",
                commands({"INCRBYFLOAT c 0.5", "HINCRBYFLOAT h f 1", "RPUSH l 1 2", "BLPOP l 1",
                          "LMOVE l l2 LEFT RIGHT", "BLMOVE l2 l LEFT RIGHT 1", "SET y 1",
                          "COPY y yy", "SETBIT b 0 1", "PFADD hl a", "PFADD hl a", "MOVE y 5"})));
  all.push_back(stream_of("What changes nothing is not sent, and what does is sent as it is",
                          "R31 R30", commands({"DEL none",        "PEXPIRE none 1000",
                                               "PERSIST none",    "GET none",
                                               "INCR c",          "INCRBY c 4",
                                               "DECR c",          "APPEND a x",
                                               "SETRANGE a 1 yz", "GETSET a b",
                                               "MSET x 1 y 2",    "MSETNX x 1 z 2",
                                               "MSETNX z 3 zz 4", "HSET h f 1 g 2",
                                               "HSETNX h f 2",    "HSETNX h i 2",
                                               "HINCRBY h f 2",   "HDEL h none",
                                               "HDEL h f g none", "SADD s 1",
                                               "SADD s 1",        "SPOP s",
                                               "SPOP s",          "SADD s 2 3",
                                               "SPOP s 5",        "SADD s 5 6 7",
                                               "SREM s 5 none",   "SREM s none",
                                               "ZADD zs 3 c",     "ZADD zs NX 1 c",
                                               "ZADD zs 1 a 2 b", "ZADD zs NX 5 a",
                                               "ZINCRBY zs 2 a",  "ZPOPMIN zs",
                                               "ZREM zs none",    "ZREM zs b",
                                               "ZREM zs a",       "RPUSH l 1 2 3",
                                               "LPUSH l 0",       "LPOP l",
                                               "LPOP l 2",        "RPOP none",
                                               "LPUSHX l 1",      "LPUSH l 2",
                                               "LREM l 0 none",   "LTRIM l 0 0",
                                               "DEL l none",      "UNLINK h",
                                               "RENAME x xx",     "RENAMENX xx y",
                                               "EXPIRE y 10",     "PUBLISH c m",
                                               "SELECT 3",        "GET k",
                                               "SET k v",         "SELECT 0",
                                               "SET k v",         "SWAPDB 0 1",
                                               "FLUSHDB",         "FLUSHALL",
                                               "SCRIPT FLUSH"})));
  all.push_back(stream_of(
      "A block of writes is sent whole, and one write alone bare", "R32",
      {{"MULTI"},
       {"SET", "k", "v", "PX", "1000"},
       {"GET", "k"},
       {"EXEC"},
       {"MULTI"},
       {"SET", "k", "v", "PX", "1000"},
       {"INCR", "c"},
       {"EXEC"},
       {"MULTI"},
       {"GET", "k"},
       {"EXEC"},
       {"MULTI"},
       {"SET", "k", "v"},
       {"PUBLISH", "c", "m"},
       {"EXEC"},
       {"MULTI"},
       {"SELECT", "2"},
       {"SET", "k", "v"},
       {"SELECT", "0"},
       {"SET", "k", "v"},
       {"EXEC"},
       {"MULTI"},
       {"SET", "k", "v"},
       {"DISCARD"},
       {"EVAL", "return redis.call('get', KEYS[1])", "1", "k"},
       eval("return redis.call('set', 'k', 'w', 'PX', 1000)"),
       eval("redis.call('set', 'k', 'v') return redis.call('incr', 'c')"),
       eval("redis.call('del', 'none') return redis.call('incr', 'c')"),
       eval("redis.call('del', 'k') return redis.call('publish', 'c', 'm')"),
       eval("return redis.call('publish', 'c', 'm')"),
       eval("redis.call('set', 'k', 'v') return redis.call('incr', 'k')"),
       eval("redis.call('set', 'k', 'v') redis.call('set', 'l', 'v') return redis.call('nope')"),
       eval("redis.call('select', 4) return redis.call('set', 'k', 'v')"),
       {"SET", "k", "v"},
       {"MULTI"},
       eval("redis.call('set', 'k', 'v') return redis.call('incr', 'c')"),
       {"SET", "k", "v"},
       {"EXEC"},
       {"SCRIPT", "LOAD", "return 1"}}));
  all.push_back(expiry_of("Who reads a key that is due deletes it everywhere", {"GET", "k"}));
  all.push_back(expiry_of("Who asks whether a key that is due exists deletes it everywhere",
                          {"EXISTS", "k"}));
  all.push_back(expiry_of("A grant over a key that is due deletes it first",
                          {"SET", "k", "w", "NX", "PX", "100"}));
  all.push_back(expiry_of("A script that reads a key that is due deletes it everywhere",
                          eval("return redis.call('get', 'k')")));
  all.push_back(expiry_of("A script that renews a key that is due deletes it everywhere",
                          eval("return redis.call('pexpire', 'k', 1000)")));
  all.push_back(
      {.title = "A key that is due is deleted by the server itself",
       .facts = "R30",
       .group = {.clocks_stand = true},
       .steps = {
           Do{Deed::listen, "master"},
           Ask{"A", "master", {"SET", "k", "v", "PX", "100"}},
           Heard{"master", "SET k v PX 100"},
           Skew{"", milliseconds(101)},
           Repeat{.client = "A", .node = "master", .words = {"DBSIZE"}, .until = "0", .as = "keys"},
           Heard{"master", "then"},
       }});
  return all;
}

std::vector<Words> random_writes(std::uint64_t seed, int count) {
  static const std::vector<std::string_view> kTemplates = {
      "SET s# v PX $00",
      "SET s# v NX PX $00",
      "SET s# w XX",
      "SETNX s# v",
      "DEL s# h#",
      "PEXPIRE s# $00",
      "PEXPIRE s# -$",
      "PEXPIRE h# $00 XX",
      "PERSIST s#",
      "GETDEL s#",
      "GETEX s# PX $00",
      "GETEX s# PERSIST",
      "HINCRBY h# f$ 1",
      "HDEL h# f$",
      "HSETNX h# f$ 1",
      "SADD e# $",
      "SREM e# $",
      "SADD one# m",
      "SPOP one#",
      "ZADD z# $ m$",
      "ZADD z# NX $ m$",
      "ZPOPMIN z#",
      "RPUSH l# $",
      "LPOP l#",
      "INCR c#",
      "SELECT #",
      "PUBLISH ch $",
      "SETEX s# $ v",
      "RENAMENX s# t#",
      "APPEND s# $",
      "MSETNX s# $ t# $",
      "EXPIRE t# $ GT",
      "UNLINK t#",
      "MULTI",
      "EXEC",
      "EXEC",
      "EXEC",
      "SET t# v KEEPTTL",
      "SET t# $ EX $ GET",
      "PEXPIREAT s# 173568960$500",
      "PEXPIRE s# $00 LT",
      "EXPIRE t# 1 NX",
      "PSETEX t# $00 v",
      "GETSET t# $",
      "DISCARD",
      "HSET h# f$ $ f$ $",
      "HSETNX h# f$ $",
      "LPUSH l# $ $",
      "LREM l# 0 $",
      "LTRIM l# 0 1",
      "ZREM z# m$ m$",
      "ZADD z# GT CH $ m$",
      "ZINCRBY z# $ m$",
      "INCRBY c# $",
      "DECR c#",
      "MSET s# $ t# $",
      "RENAME t# s#",
      "SWAPDB 0 #",
      "GET t#",
      "EXISTS s# t#",
      "TYPE s#",
      "EVAL return(redis.call('set','s#','v','nx','px','$00')) 0",
      "EVAL if(redis.call('get','s#')=='v')then(redis.call)('del','s#')end 0",
      "EVAL if(redis.call('get','s#')=='v')then(redis.call)('pexpire','s#','$00')end 0",
      "EVAL redis.call('incr','c#')return(redis.call('hincrby','h#','f$',1)) 0",
      "EVAL redis.call('set','t#','v')redis.call('publish','ch','$')redis.pcall('incr','t#') 0"};
  sim::Random chance(seed, sim::fingerprint("random writes"));
  std::vector<Words> all;
  for (int i = 0; i < count; ++i) {
    std::string text;
    for (const char c : kTemplates[chance.below(kTemplates.size())]) {
      if (c == '#') {
        text += std::to_string(chance.below(3));
      } else if (c == '$') {
        text += std::to_string(1 + chance.below(9));
      } else {
        text += c;
      }
    }
    all.push_back(split(text));
  }
  return all;
}

Situation random_stream(std::uint64_t seed, int count) {
  Situation situation = stream_of("Random writes are sent as what they come to", "R30 R31 R32",
                                  random_writes(seed, count));
  sim::Random chance(seed, sim::fingerprint("passing time"));
  Duration passed(0);
  std::vector<Step> steps;
  for (Step& step : situation.steps) {
    if (std::holds_alternative<Ask>(step) && chance.below(4) == 0) {
      passed += Duration(static_cast<std::int64_t>(chance.below(500)));
      steps.emplace_back(Skew{"", passed});
    }
    steps.push_back(std::move(step));
  }
  situation.steps = std::move(steps);
  return situation;
}

}  // namespace picklock::conform::redis::outcomes
