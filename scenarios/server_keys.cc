#include "scenarios/keys.h"

#include "scenarios/key_kinds.h"

namespace picklock::scenarios {

const Keys<GcProfile>& gc_keys() {
  static const Keys<GcProfile> keys = {
      duration<GcProfile>(
          "every", Sign::not_negative, [](auto& gc) -> auto& { return gc.every; },
          "mean time between two pauses; 0s: no collector"),
      duration<GcProfile>(
          "low", Sign::positive, [](auto& gc) -> auto& { return gc.low; },
          "length of the shortest pause; longer ones double it, ever more rarely"),
      duration<GcProfile>(
          "high", Sign::positive, [](auto& gc) -> auto& { return gc.high; },
          "length of the longest pause"),
  };
  return keys;
}

namespace {

const Keys<RedisSpec>& redis_keys() {
  static const Keys<RedisSpec> keys = {
      integer<RedisSpec>(
          "masters", 1, 99, [](auto& redis) -> auto& { return redis.masters; },
          "how many independent servers there are: redis-1, redis-2 and so on"),
      duration<RedisSpec>(
          "service", Sign::not_negative, [](auto& redis) -> auto& { return redis.service; },
          "time that a server needs for one command"),
      duration<RedisSpec>(
          "clock_offset", Sign::any, [](auto& redis) -> auto& { return redis.clock_offset; },
          "how far their wall clocks are ahead of true time"),
      integer<RedisSpec>(
          "clock_rate_ppb", -999'000'000, 999'000'000'000,
          [](auto& redis) -> auto& { return redis.clock_rate_ppb; },
          "how much faster than true time their clocks run, in parts per billion"),
      table<RedisSpec>(
          "gc", gc_keys(), [](auto& redis) -> auto& { return redis.gc; },
          "Stop-the-world pauses of the servers."),
  };
  return keys;
}

const Keys<ResourceSpec>& resource_keys() {
  static const Keys<ResourceSpec> keys = {
      word<ResourceSpec>(
          "fencing", {"none", "after", "in-script", "ideal"},
          [](auto& resource) -> auto& { return resource.fencing; },
          "the resource refuses a write of an older grant than it has seen, told by a token: of a "
          "command after the grant, of the very script that grants, or of the simulator's own "
          "order "
          "of grants"),
      duration<ResourceSpec>(
          "service", Sign::not_negative, [](auto& resource) -> auto& { return resource.service; },
          "time that the resource needs for one write"),
  };
  return keys;
}

}  // namespace

const Keys<ServersSpec>& servers_keys() {
  static const Keys<ServersSpec> keys = {
      table<ServersSpec>(
          "redis", redis_keys(), [](auto& servers) -> auto& { return servers.redis; },
          "The lock servers, processes `redis-1` to `redis-N`."),
      table<ServersSpec>(
          "resource", resource_keys(), [](auto& servers) -> auto& { return servers.resource; },
          "What the lock protects, process `resource`."),
  };
  return keys;
}

}  // namespace picklock::scenarios
