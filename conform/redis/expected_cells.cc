// The cells of the coverage table that a run of the default length fills.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "conform/redis/coverage.h"

namespace picklock::conform::redis {
namespace {

// Of each command, the classes of its replies, and behind the colon the states in which it finds
// its key: missing, live, expired, of a wrong type, or `-`, where there is none to find.
struct Expected {
  std::string_view command;
  std::string_view cells;
};

constexpr Expected kExpected[] = {
    {"append", "ERR:ml OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"auth", "ERR:- WRONGPASS:- status:-"},
    {"client", "ERR:- array:- bulk:- integer:- nil:- queued:- status:- verbatim:-"},
    {"command", "ERR:- array:- integer:-"},
    {"config", "ERR:- array:- empty-array:- map:- queued:- status:-"},
    {"dbsize", "ERR:- integer:-"},
    {"debug", "ERR:- status:-"},
    {"decr", "ERR:-ml OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"decrby", "ERR:mlw OOM:mlw WRONGTYPE:w integer:mle queued:mlw"},
    {"del", "ERR:-ml integer:mle queued:ml"},
    {"discard", "ERR:- status:-"},
    {"echo", "ERR:- bulk:-"},
    {"eval",
     "ERR:- OOM:- WRONGTYPE:- array:- bulk:- empty-array:- integer:- nil:- other-error:- queued:- "
     "status:-"},
    {"eval_ro", "ERR:- WRONGTYPE:- array:- bulk:- empty-array:- integer:- nil:- other-error:-"},
    {"evalsha",
     "ERR:- NOSCRIPT:- WRONGTYPE:- array:- bulk:- empty-array:- integer:- nil:- other-error:-"},
    {"evalsha_ro", "ERR:- NOSCRIPT:- WRONGTYPE:- bulk:- integer:- nil:-"},
    {"exec", "ERR:- EXECABORT:- array:- empty-array:- nil:-"},
    {"exists", "ERR:-ml integer:mle queued:ml"},
    {"expire", "ERR:-mle integer:mle queued:ml"},
    {"expireat", "ERR:mle integer:mle queued:ml"},
    {"expiretime", "ERR:-ml integer:mle queued:ml"},
    {"flushall", "ERR:- status:-"},
    {"flushdb", "ERR:- status:-"},
    {"get", "ERR:-mlew WRONGTYPE:w bulk:l nil:me queued:mlw"},
    {"getdel", "ERR:-mlw WRONGTYPE:w bulk:l nil:me queued:mw"},
    {"getex", "ERR:-mlew WRONGTYPE:w bulk:l nil:me queued:mlw"},
    {"getrange", "ERR:mlew WRONGTYPE:w bulk:mle queued:m"},
    {"getset", "ERR:mlw OOM:mlw WRONGTYPE:w bulk:l nil:me queued:mw"},
    {"gett", "ERR:mle"},
    {"hdel", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"hello", "ERR:- NOPROTO:- WRONGPASS:- array:- map:-"},
    {"hexists", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"hget", "ERR:mlw WRONGTYPE:w bulk:l nil:mle queued:mw"},
    {"hgetall", "ERR:-mlw WRONGTYPE:w array:l empty-array:me map:ml queued:w"},
    {"hincrby", "ERR:mlew OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"hkeys", "ERR:-m WRONGTYPE:w array:l empty-array:me queued:mw"},
    {"hlen", "ERR:-mw WRONGTYPE:w integer:mle queued:mw"},
    {"hmget", "ERR:mw WRONGTYPE:w array:mle queued:mw"},
    {"hmset", "ERR:m OOM:mw WRONGTYPE:w status:mle"},
    {"hset", "ERR:-mlw OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"hsetnx", "ERR:mlw OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"hstrlen", "ERR:m WRONGTYPE:w integer:mle queued:w"},
    {"hvals", "ERR:mlw WRONGTYPE:w array:l empty-array:me queued:mw"},
    {"incr", "ERR:-ml OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"incrby", "ERR:mlw OOM:mlw WRONGTYPE:w integer:mle queued:mlw"},
    {"info", "bulk:- verbatim:-"},
    {"keys", "ERR:- array:- empty-array:-"},
    {"lindex", "ERR:mlw WRONGTYPE:w bulk:l nil:mle queued:mw"},
    {"llen", "ERR:mw WRONGTYPE:w integer:mle queued:mw"},
    {"lpop", "ERR:-mlw WRONGTYPE:w array:l bulk:l nil:me queued:mw"},
    {"lpush", "ERR:mw OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"lpushx", "ERR:m OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"lrange", "ERR:mlw WRONGTYPE:w array:l empty-array:mle queued:mw"},
    {"lrem", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"lset", "ERR:mlew OOM:mlw WRONGTYPE:w queued:mw status:l"},
    {"ltrim", "ERR:mlw WRONGTYPE:w queued:mw status:mle"},
    {"mget", "ERR:ml array:mle queued:ml"},
    {"mset", "ERR:ml OOM:ml queued:l status:mle"},
    {"msetnx", "ERR:ml OOM:ml integer:mle"},
    {"multi", "ERR:- status:-"},
    {"nosuch", "ERR:-"},
    {"persist", "ERR:-ml integer:mle queued:ml"},
    {"pexpire", "ERR:-mle integer:mle queued:ml"},
    {"pexpireat", "ERR:-mle integer:mle queued:ml"},
    {"pexpiretime", "ERR:-ml integer:mle queued:ml"},
    {"ping", "array:- bulk:- queued:- status:-"},
    {"psetex", "ERR:mle OOM:ml queued:ml status:mle"},
    {"psubscribe", "array:- push:- queued:-"},
    {"pttl", "ERR:-ml integer:mle queued:ml"},
    {"publish", "ERR:- integer:- queued:-"},
    {"pubsub", "ERR:- array:- empty-array:- integer:-"},
    {"punsubscribe", "array:- push:- queued:-"},
    {"quit", "status:-"},
    {"randomkey", "ERR:- bulk:- nil:-"},
    {"rename", "ERR:mle queued:ml status:l"},
    {"renamenx", "ERR:mle integer:l queued:ml"},
    {"reset", "status:-"},
    {"rpop", "ERR:-mlw WRONGTYPE:w array:l bulk:l nil:me queued:mw"},
    {"rpush", "ERR:-mlw OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"rpushx", "ERR:mw OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"sadd", "ERR:-mlw OOM:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"scan", "ERR:- array:- queued:-"},
    {"scard", "ERR:-mw WRONGTYPE:w integer:mle queued:mw"},
    {"script", "ERR:- NOTBUSY:- array:- bulk:- queued:- status:-"},
    {"select", "ERR:- status:-"},
    {"set", "ERR:-mle OOM:mle WRONGTYPE:l bulk:l nil:mle queued:mle status:mle"},
    {"setex", "ERR:mle OOM:ml queued:ml status:mle"},
    {"setnx", "ERR:ml OOM:ml integer:mle queued:ml"},
    {"setrange", "ERR:mlw OOM:mlw WRONGTYPE:w integer:mle queued:m"},
    {"sismember", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"smembers", "ERR:-mlw WRONGTYPE:w array:l empty-array:me queued:mw set:mle"},
    {"smismember", "ERR:mw WRONGTYPE:w array:mle queued:mw"},
    {"spop", "ERR:mlw WRONGTYPE:w array:l empty-array:mle queued:mw set:mle"},
    {"spublish", "ERR:- integer:-"},
    {"srem", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"ssubscribe", "array:- push:-"},
    {"strlen", "ERR:-ml WRONGTYPE:w integer:mle queued:m"},
    {"subscribe", "array:- push:- queued:-"},
    {"substr", "ERR:mlw WRONGTYPE:w bulk:mle"},
    {"sunsubscribe", "array:- push:-"},
    {"swapdb", "ERR:- status:-"},
    {"time", "ERR:- array:-"},
    {"touch", "ERR:l integer:mle queued:l"},
    {"ttl", "ERR:-ml integer:mle queued:ml"},
    {"type", "ERR:-ml queued:ml status:mle"},
    {"unlink", "ERR:ml integer:mle queued:l"},
    {"unsubscribe", "array:- push:- queued:-"},
    {"unwatch", "ERR:- status:-"},
    {"watch", "ERR:ml status:mle"},
    {"zadd", "ERR:-mlew OOM:mlw WRONGTYPE:w bulk:m integer:mle queued:mw"},
    {"zcard", "ERR:-mw WRONGTYPE:w integer:mle queued:mw"},
    {"zcount", "ERR:mlw WRONGTYPE:w integer:mle queued:m"},
    {"zincrby", "ERR:mlw OOM:mlw WRONGTYPE:w bulk:mle double:mle queued:mw"},
    {"zlexcount", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"zmscore", "ERR:m WRONGTYPE:w array:mle queued:mw"},
    {"zpopmax", "ERR:mlw WRONGTYPE:w array:l empty-array:me queued:mw"},
    {"zpopmin", "ERR:-mlw WRONGTYPE:w array:l empty-array:me queued:mw"},
    {"zrange", "ERR:-mlew WRONGTYPE:w array:l empty-array:mle queued:mw"},
    {"zrangebylex", "ERR:mlew WRONGTYPE:w array:l empty-array:mle queued:mw"},
    {"zrangebyscore", "ERR:mlew WRONGTYPE:w array:l empty-array:mle queued:mw"},
    {"zrank", "ERR:mw WRONGTYPE:w integer:l nil:mle queued:mw"},
    {"zrem", "ERR:mw WRONGTYPE:w integer:mle queued:mw"},
    {"zremrangebylex", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"zremrangebyrank", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"zremrangebyscore", "ERR:mlw WRONGTYPE:w integer:mle queued:mw"},
    {"zrevrange", "ERR:mlew WRONGTYPE:w array:l empty-array:mle queued:mw"},
    {"zrevrangebylex", "ERR:mlew WRONGTYPE:w array:l empty-array:mle queued:mw"},
    {"zrevrangebyscore", "ERR:mlew WRONGTYPE:w array:l empty-array:mle queued:mw"},
    {"zrevrank", "ERR:mw WRONGTYPE:w integer:l nil:mle queued:mw"},
    {"zscore", "ERR:mlw WRONGTYPE:w bulk:l nil:mle queued:mw"},
};

KeyState state_of(char letter) {
  switch (letter) {
    case 'm':
      return KeyState::missing;
    case 'l':
      return KeyState::live;
    case 'e':
      return KeyState::expired;
    case 'w':
      return KeyState::wrong_type;
    default:
      return KeyState::no_key;
  }
}

}  // namespace

std::vector<Coverage::Cell> Coverage::expected() {
  std::vector<Cell> cells;
  for (const Expected& row : kExpected) {
    std::string_view left = row.cells;
    while (!left.empty()) {
      const std::string_view part = left.substr(0, left.find(' '));
      left.remove_prefix(std::min(left.size(), part.size() + 1));
      const std::size_t colon = part.find(':');
      for (const char letter : part.substr(colon + 1))
        cells.push_back(
            {std::string(row.command), std::string(part.substr(0, colon)), state_of(letter)});
    }
  }
  return cells;
}

}  // namespace picklock::conform::redis
