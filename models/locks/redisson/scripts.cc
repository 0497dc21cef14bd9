#include "models/locks/redisson/scripts.h"

#include <fmt/format.h>

#include <charconv>

namespace picklock::models::locks::redisson {

using redis::Script;

const Script& take() {
  static const Script script(R"(
local free = redis.call('exists', KEYS[1]) == 0
if free or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])
)");
  return script;
}

const Script& take_fenced() {
  static const Script script(R"(
local free = redis.call('exists', KEYS[1]) == 0
if free or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  local token = redis.call('incr', KEYS[2])
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return {-1, token}
end
return {redis.call('pttl', KEYS[1]), -1}
)");
  return script;
}

const Script& give_back() {
  static const Script script(R"(
local answered = redis.call('get', KEYS[3])
if answered then return tonumber(answered) end
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[3], -1) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('set', KEYS[3], 0, 'px', ARGV[4])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], ARGV[1])
redis.call('set', KEYS[3], 1, 'px', ARGV[4])
return 1
)");
  return script;
}

const Script& give_back_without_latch() {
  static const Script script(R"(
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[3], -1) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], ARGV[1])
return 1
)");
  return script;
}

const Script& give_back_silently() {
  static const Script script(R"(
local answered = redis.call('get', KEYS[2])
if answered then return tonumber(answered) end
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[2], -1) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  redis.call('set', KEYS[2], 0, 'px', ARGV[3])
  return 0
end
redis.call('del', KEYS[1])
redis.call('set', KEYS[2], 1, 'px', ARGV[3])
return 1
)");
  return script;
}

const Script& extend() {
  static const Script script(R"(
local extended = {}
for i, name in ipairs(KEYS) do
  if redis.call('hexists', name, ARGV[i + 1]) == 1 then
    redis.call('pexpire', name, ARGV[1])
    extended[i] = 1
  else
    extended[i] = 0
  end
end
return extended
)");
  return script;
}

const Script& force_open() {
  static const Script script(R"(
if redis.call('del', KEYS[1]) == 0 then return 0 end
redis.call('publish', KEYS[2], ARGV[1])
return 1
)");
  return script;
}

const Script& force_open_of() {
  static const Script script(R"(
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], ARGV[1])
return 1
)");
  return script;
}

namespace {

// Removes expired places from the head of the queue.
constexpr std::string_view kDropTheLate = R"(
local function drop_the_late(now)
  while true do
    local first = redis.call('lindex', KEYS[2], 0)
    if not first then return nil end
    local until_ = redis.call('zscore', KEYS[3], first)
    if not until_ or tonumber(until_) > now then return first end
    redis.call('zrem', KEYS[3], first)
    redis.call('lpop', KEYS[2])
  end
end
)";

// The first in the queue, or a client that finds it empty, takes a free lock; those behind it move
// up.
constexpr std::string_view kTakeFree = R"(
local first = drop_the_late(tonumber(ARGV[4]))
if redis.call('exists', KEYS[1]) == 0 and (not first or first == ARGV[2]) then
  redis.call('lpop', KEYS[2])
  redis.call('zrem', KEYS[3], ARGV[2])
  for _, waiter in ipairs(redis.call('zrange', KEYS[3], 0, -1)) do
    redis.call('zincrby', KEYS[3], -tonumber(ARGV[3]), waiter)
  end
  redis.call('hset', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
)";

// Notifies the first in the queue on its own channel.
constexpr std::string_view kCallNext = R"(
local function call_next(prefix)
  local first = redis.call('lindex', KEYS[2], 0)
  if first then redis.call('publish', prefix .. ':' .. first, ARGV[1]) end
end
)";

Script joined(std::initializer_list<std::string_view> parts) {
  std::string body;
  for (const std::string_view part : parts) body += part;
  return Script(std::move(body));
}

}  // namespace

const Script& take_in_turn() {
  static const Script script = joined({kDropTheLate, kTakeFree, R"(
if redis.call('zscore', KEYS[3], ARGV[2]) then
  return math.max(0, redis.call('pttl', KEYS[1]))
end
local last = redis.call('lindex', KEYS[2], -1)
local ahead = last and last ~= ARGV[2] and redis.call('zscore', KEYS[3], last)
local wait = ahead and tonumber(ahead) - tonumber(ARGV[4]) or redis.call('pttl', KEYS[1])
if redis.call('zadd', KEYS[3], wait + tonumber(ARGV[3]) + tonumber(ARGV[4]), ARGV[2]) == 1 then
  redis.call('rpush', KEYS[2], ARGV[2])
end
return wait
)"});
  return script;
}

const Script& take_if_first() {
  static const Script script = joined({kDropTheLate, kTakeFree, R"(
return 1
)"});
  return script;
}

const Script& give_to_next() {
  static const Script script = joined({R"(
local answered = redis.call('get', KEYS[4])
if answered then return tonumber(answered) end
)",
                                       kDropTheLate, kCallNext, R"(
drop_the_late(tonumber(ARGV[4]))
if redis.call('exists', KEYS[1]) == 0 then
  call_next(KEYS[5])
  redis.call('set', KEYS[4], 1, 'px', ARGV[5])
  return 1
end
if redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[3], -1) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('set', KEYS[4], 0, 'px', ARGV[5])
  return 0
end
redis.call('del', KEYS[1])
redis.call('set', KEYS[4], 1, 'px', ARGV[5])
call_next(KEYS[5])
return 1
)"});
  return script;
}

const Script& force_open_for_next() {
  static const Script script = joined({kDropTheLate, kCallNext, R"(
if ARGV[3] ~= '' and redis.call('hexists', KEYS[1], ARGV[3]) == 0 then return 0 end
drop_the_late(tonumber(ARGV[2]))
if redis.call('del', KEYS[1]) == 0 then return 0 end
call_next(KEYS[4])
return 1
)"});
  return script;
}

const Script& leave_queue() {
  static const Script script(R"(
local behind = false
for _, waiter in ipairs(redis.call('lrange', KEYS[1], 0, -1)) do
  if behind then redis.call('zincrby', KEYS[2], -tonumber(ARGV[2]), waiter) end
  behind = behind or waiter == ARGV[1]
end
redis.call('zrem', KEYS[2], ARGV[1])
return redis.call('lrem', KEYS[1], 0, ARGV[1])
)");
  return script;
}

const Script& keep_place() {
  static const Script script(R"(
return redis.call('zadd', KEYS[1], 'xx', 'gt', 'ch', tonumber(ARGV[3]) + tonumber(ARGV[2]), ARGV[1])
)");
  return script;
}

std::string gloss(std::string_view request, std::string_view answer) {
  const auto runs = [request](const Script& script) {
    return request.starts_with("EVALSHA " + script.sha());
  };
  if (runs(extend())) return answer == "[0]" ? "the entry is gone: nothing renewed" : "";
  const bool queues = runs(take_in_turn());
  const bool queues_not = runs(take_if_first());
  if (!queues && !queues_not && !runs(take())) return "";
  if (answer == "nil") return "granted";
  std::int64_t left_ms = 0;
  const char* const end = answer.data() + answer.size();
  const auto number = std::from_chars(answer.data(), end, left_ms);
  if (number.ec != std::errc() || number.ptr != end) return "";
  if (queues_not) return "refused";
  return fmt::format("refused, {}s {}", static_cast<double>(left_ms) / 1000,
                     queues ? "to wait" : "left");
}

}  // namespace picklock::models::locks::redisson
